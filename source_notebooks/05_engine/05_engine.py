# %% [markdown] tags=["lang-zh"]
# # 05 · 反向传播引擎
#
# 预计 55 分钟
#
# 每个运算怎么求导，你已经会写了。可一张图里有那么多运算，谁先谁后？走到分岔口怎么办？这一课写出引擎本身：数边，排队，走完整张图。一共三个函数，从此 `backward()` 就由它们来跑。

# %% [markdown] tags=["lang-en"]
# # 05 · The backward engine
#
# About 55 minutes
#
# You already know how to differentiate a single operation. But a graph holds many of them: which goes first, and what happens where paths fork?
# In this lesson you write the engine itself: count the edges, keep a queue, walk the whole graph. Three functions in all, and from then on `backward()` runs on them.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad.autograd.engine import merge, run_node
from minigrad.autograd.ready import push, sink

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 只对 J 调用了一次，x 怎么就知道了？
#
# 下面 $y = x + 1$，$z = 2y^2$，`J` 是 `z` 的平均值。`backward()` 只对 `J` 调用了一次，`y` 和 `z` 提都没提。
#
# 先猜 `x.grad` 左上角的数，再运行。

# %% [markdown] tags=["lang-en"]
# ## 1 · Called only on J; how does x know?
#
# Below, $y = x + 1$, $z = 2y^2$, and `J` is the mean of `z`. `backward()` is called once, on `J`; nobody mentions `y` or `z`.
#
# Guess the number in the top left corner of `x.grad`, then run.

# %% tags=["demo"]
import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
y = x + 1
z = 2 * y * y
J = z.mean()
J.backward()
print(x.grad)

# %% tags=["proof"]
assert torch.allclose(x.grad, 4 * (x.detach() + 1) / 6)
assert x.grad[0, 0].item() == torch.tensor(8 / 6).item()

# %% [markdown] tags=["lang-zh"]
# `J` 只认得自己的节点（node），节点只认得自己的几条边（edge）。剩下的要靠走：从 `J` 出发，带着一个 1，沿着边往下，走到每一个叶子（leaf）。
#
# 出发的地方叫根（root）。每到一个节点，这个节点就按自己的规则，把收到的梯度（gradient）变成几份，一条边一份，送给下家。送到 `AccumulateGrad`，就加进 `.grad`。
#
# `minigrad` 能把这一趟画成动画，一帧一个节点。特别留意 `AddBackward0`，它是 `y` 的节点：有几条边通向它？第一份梯度一到，它就走吗？

# %% [markdown] tags=["lang-en"]
# `J` knows only its own node (节点), and a node knows only its own edges (边). The rest has to be walked: from `J`, starting with a 1, along the edges down to every leaf (叶子).
#
# The place where the walk starts is called the root (根). At each node, that node's rule turns the gradient (梯度) that came in into several, one for each edge, and sends them on. What reaches an `AccumulateGrad` is added to `.grad`.
#
# `minigrad` can animate this walk, one node per frame. Watch `AddBackward0`, the node of `y`: how many edges lead to it? Does it run as soon as the first gradient arrives?

# %% tags=["picture"]
from minigrad.viz import trace_backward

x = minigrad.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
y = x + 1
z = 2 * y * y
J = z.mean()
trace_backward(J, params={"x": x, "y": y, "z": z, "J": J}, show=["grads"])

# %% tags=["proof"]
assert abs(x.grad[0, 0].item() - 8 / 6) < 1e-6

# %% [markdown] tags=["lang-zh"]
# `y` 用了两次，两条边通向它的节点。第一份梯度到了，它没有动；等第二份也到了，两份相加，它才走，而且只走了一次。

# %% [markdown] tags=["lang-en"]
# `y` was used twice, and two edges lead to its node. When the first gradient arrived, the node waited; once the second was there as well, the two were added, and only then did the node run, just once.

# %% [markdown] tags=["lang-zh"]
# ## 2 · 用递归不就行了？
#
# 沿着边往下走，最顺手的写法是递归（recursion）：一个节点算完，就对每个下家调用自己。下面这十来行，就跑在 torch 自己的节点上。
#
# 它对不对？图里有 5 个节点，猜猜 `recurse` 一共调用了几次。

# %% [markdown] tags=["lang-en"]
# ## 2 · Why not simply use recursion?
#
# The most obvious way to follow edges is recursion (递归): once a node is done, the function calls itself for each of the nodes after it. Here it is, in a dozen lines, running on torch's own nodes.
#
# Is it right? The graph has 5 nodes; guess how many times `recurse` is called.


# %% tags=["demo"]
visits = 0


def recurse(node, grad):
    global visits
    visits += 1
    if hasattr(node, "variable"):  # AccumulateGrad: the end of the road
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    results = node(grad)
    results = results if isinstance(results, tuple) else (results,)
    for (target, _), result in zip(node.next_functions, results):
        if target is not None:
            recurse(target, result)


x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
y = x + 1
J = (2 * y * y).mean()
with torch.no_grad():
    recurse(J.grad_fn, torch.tensor(1.0))
print(x.grad)
print("visits:", visits)

# %% tags=["proof"]
assert torch.allclose(x.grad, 4 * (x.detach() + 1) / 6) and visits == 7

# %% [markdown] tags=["lang-zh"]
# 梯度全对。很多人就此打住：“递归就够了。”不过它调用了 7 次，`y` 的节点和它下面的叶子都走了两遍。图再大一点会怎样？
#
# 两个试验。第一个：每一步 `y = y + y`，走 `n` 步，图里只有 `n + 1` 个节点，要访问多少次？第二个：一条 10000 个运算的长链，没有分岔，每个节点只走一遍。先猜，再运行。

# %% [markdown] tags=["lang-en"]
# The gradients are right, and many stop here: "recursion is enough". Still, there were 7 calls: the node of `y` and the leaf below it were both visited twice. What if the graph is larger?
#
# Two experiments. First, `y = y + y` at every step, for `n` steps: the graph has just `n + 1` nodes; how many visits? Second, a long chain of 10000 operations, with no forks, so each node is visited only once. Guess, then run.


# %% tags=["demo"]
def doubled(n):
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(n):
        y = y + y
    return y


def visits_of(y):
    global visits
    visits = 0
    with torch.no_grad():
        recurse(y.grad_fn, torch.tensor(1.0))
    return visits


steps = range(1, 13)
by_recursion = [visits_of(doubled(n)) for n in steps]
print("nodes: ", [n + 1 for n in steps])
print("visits:", by_recursion)

chain = torch.tensor(1.0, requires_grad=True)
for _ in range(10_000):
    chain = chain * 1.0
try:
    visits_of(chain)
except RecursionError as error:
    print("RecursionError:", error)
chain.backward()
print("torch gets through all the same")

# %% tags=["proof"]
assert by_recursion == [2 ** (n + 1) - 1 for n in steps]
deep = torch.tensor(1.0, requires_grad=True)
y = deep
for _ in range(10_000):
    y = y * 1.0
try:
    visits_of(y)
    raise AssertionError
except RecursionError:
    y.backward()
assert deep.grad.item() == 1.0

# %% tags=["picture"]
from autograder.plots import axes

ax = axes("步数 n · steps n", "次数 · how many")
ax.plot(steps, by_recursion, "o-", label="递归的访问 · visits by recursion")
ax.plot(steps, [n + 1 for n in steps], "s--", label="图里的节点 · nodes in the graph")
ax.set_yscale("log")
_ = ax.legend()

# %% [markdown] tags=["lang-zh"]
# “递归就够了”错在两处：图宽了不行，图深了也不行。
#
# 1. 递归走的是路，不是节点，而路的条数每一步翻一倍：12 步，13 个节点，8191 次访问。
# 2. 图有多深，递归就有多深，而 Python 的栈很浅。
#
# 还有一处看不出来：访问两遍的节点，每一遍只见到一部分梯度。上面要是有钩子（hook），见到的也就是零碎的两份。
#
# 对的做法是：一个节点等它的梯度全部到齐，加起来，只走一次。要知道到没到齐，就得先知道一共有几份。

# %% [markdown] tags=["lang-en"]
# "Recursion is enough" fails twice: on wide graphs, and on deep ones.
#
# 1. Recursion walks paths, not nodes, and at every step the number of paths doubles: 12 steps, 13 nodes, 8191 visits.
# 2. It goes as deep as the graph does, and Python's stack is shallow.
#
# There is a third flaw, which doesn't show: a node that is visited twice sees only part of its gradient each time, and a hook (钩子) registered there would see it in two pieces.
#
# The right way: a node waits until all its gradients have arrived, adds them up, and runs just once. And to know when all have arrived, you have to know how many there will be.

# %% [markdown] tags=["lang-zh"]
# ## 3 · 数一数：会来几份梯度？
#
# 每条边会送来一份；没有梯度，送来的就是 `None`。所以，通向一个节点的边有几条，它就要等几份。
#
# 数边不用算梯度，走一遍图就够了。看看 `minigrad` 的两个节点各有什么边：

# %% [markdown] tags=["lang-en"]
# ## 3 · Count: how many gradients will come?
#
# Each edge brings one, or `None` if there is no gradient on it. So a node waits for as many as there are edges leading to it.
#
# Counting needs no gradients, just one trip through the graph. Look at the edges of two of `minigrad`'s nodes:

# %%
x = minigrad.tensor([1.0, 2.0], requires_grad=True)
y = x * x
z = y + 1
for name, tensor in [("z", z), ("y", y)]:
    print(name, [target and target.name() for target, _ in tensor.grad_fn.next_functions])

# %% tags=["proof"]
assert [target is y.grad_fn for target, _ in z.grad_fn.next_functions] == [True, False]
first, second = [target for target, _ in y.grad_fn.next_functions]
assert first is second and first.variable is x and z.grad_fn.next_functions[1] == (None, 0)

# %% [markdown] tags=["lang-zh"]
# 写 `count_dependencies`。`roots` 里是几个根节点，可以用 `for` 逐个读出，但不要改动它：引擎给的是它自己的字典。`node.next_functions` 是一个节点的边，每条写成一对：通向的节点，编号。编号这里用不到；通向 `None` 的边不算。
#
# minigrad 内部把这两样分开存：`node.parents` 只有那些节点，第 `i` 条边的编号是 `node.number(i)`；用哪一种写法都行。
#
# 返回一个字典：从根能走到的每个节点，对应通向它的边数。没有边通向的根，记 0。
#
# 例子：上面的 `z`，从 `z.grad_fn` 数起，得 `AddBackward0` 0，`MulBackward0` 1，`x` 的 `AccumulateGrad` 2，因为 `x * x` 用了它两次。
#
# 图可以很深，别用递归；一个节点可能从好几条路走到，它自己的边只能数一遍。

# %% [markdown] tags=["lang-en"]
# Write `count_dependencies`. `roots` holds the root nodes; loop over it with `for`, but leave it as it is: what the engine passes is a dict of its own. `node.next_functions` are a node's edges, each of them a pair: the node it leads to, and a number. You don't need the number here; edges that lead to `None` don't count.
#
# Internally, minigrad keeps the two apart: `node.parents` holds just the nodes, and the number of edge `i` is `node.number(i)`; write it either way.
#
# Return a dict: for each node that can be reached from the roots, how many edges lead to it. A root that no edge leads to gets 0.
#
# Example: for `z` above, starting at `z.grad_fn`: `AddBackward0` 0, `MulBackward0` 1, the `AccumulateGrad` of `x` 2, since `x * x` uses it twice.
#
# Graphs may be deep, so don't recurse; and a node may be reached by several paths, but its own edges must be counted only once.


# %% nbgrader={"grade_id": "count_dependencies", "solution": true}
@implements("minigrad.autograd.engine.count_dependencies")
def count_dependencies(roots):
    """How many edges lead to each node that the roots can reach. In torch: Engine::compute_dependencies.

    roots: an iterable of nodes.  node.next_functions: a tuple of (node or None, int).  Returns {node: int}.
    Example: y = x * x, roots [y.grad_fn]  ->  {MulBackward0: 0, AccumulateGrad of x: 2}
    """
    ### BEGIN SOLUTION
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent in stack.pop().parents:
            if parent is not None:
                if parent in counts:
                    counts[parent] += 1
                else:
                    counts[parent] = 1
                    stack.append(parent)
    return counts
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_edges_to_a_node", "grade": true, "points": 2}
check("edges_to_a_node")

# %% nbgrader={"grade_id": "check_edges_of_deep_graphs", "grade": true, "points": 1}
check("edges_of_deep_graphs")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 都到齐了，谁先走？
#
# 下面三段程序，在每个张量上登记一个钩子，记下它的梯度是第几个到的。前两段算的是同一个式子，只是 `b` 和 `c` 写的先后不同。
#
# 第一段里 `d` 走完，`b` 和 `c` 都不用再等了。先走哪一个？写下三段的次序，再运行。

# %% [markdown] tags=["lang-en"]
# ## 4 · Everything has arrived; who goes first?
#
# In the three programs below, every tensor has a hook that records when its gradient arrives. The first two compute the same expression; they differ only in whether `b` or `c` is written first.
#
# In the first, once `d` has run, neither `b` nor `c` has anything left to wait for. Which goes first? Write down the order for all three, then run.


# %% tags=["demo"]
def order(program):
    fired = []

    def named(tensor, name):
        tensor.register_hook(lambda grad: fired.append(name))
        return tensor

    a = named(torch.tensor(1.5, requires_grad=True), "a")
    program(a, named).backward()
    return " ".join(fired), a.grad.item()


def b_then_c(a, named):
    b = named(a * 2, "b")
    c = named(a * 3, "c")
    return named(b + c, "d")


def c_then_b(a, named):
    c = named(a * 3, "c")
    b = named(a * 2, "b")
    return named(b + c, "d")


def leaf_beside(a, named):
    b = named(torch.tensor(1.0, requires_grad=True) * 2, "b")
    c = named(b.exp(), "c")
    return named(c * a, "d")


for program in (b_then_c, c_then_b, leaf_beside):
    print(program.__name__, *order(program), sep="   ")

# %% tags=["proof"]
assert order(b_then_c) == ("d c b a", 5.0)
assert order(c_then_b) == ("d b c a", 5.0)
assert order(leaf_beside)[0] == "d a c b"

# %% [markdown] tags=["lang-zh"]
# 前两段的图一模一样，梯度也一样，钩子的次序却不同：最晚记录的先走。`b` 和 `c` 谁先谁后都说得通，只要都在 `d` 之后、`a` 之前；每个节点都排在送梯度给它的节点之后，这样的排法叫拓扑序（topological order）。
#
# 所以，“随便哪个拓扑序，看到的都一样”这句话只对了一半：梯度一样，钩子的次序不一样。在钩子里打印、裁剪、发送梯度的人，就看得见这个差别。torch 的次序是定好的，我们的引擎要和它一样。
#
# 第三段里，`a` 比 `c` 和 `b` 都早造，却排在它们前面：叶子的 `AccumulateGrad` 总是最先。torch 给每个节点一个号，照号排队。先猜：叶子那个节点的号是多大？

# %% [markdown] tags=["lang-en"]
# The first two graphs are the same, and so are the gradients; but the hooks fire in a different order: the one recorded last goes first. Either `b` or `c` could reasonably go first, as long as both come after `d` and before `a`; an order in which each node comes after those that send to it is called a topological order (拓扑序).
#
# So "any topological order shows the same" is only half right: the gradients are the same, the order of hooks is not. Anyone who prints, clips or sends gradients in hooks can see the difference. torch's order is fixed, and our engine must follow the same one.
#
# In the third program `a` was made before `c` and `b`, and still goes ahead of them: a leaf's `AccumulateGrad` always comes first. torch gives each node a number and queues by it. Guess: how large is the number of the leaf's node?

# %% tags=["demo"]
a = torch.tensor(1.5, requires_grad=True)
b = a * 2
c = a * 3
end = b.grad_fn.next_functions[0][0]
print("c is recorded right after b:", c.grad_fn._sequence_nr() - b.grad_fn._sequence_nr())
print("the leaf's end:", end._sequence_nr(), " 2**64 - 1:", 2**64 - 1)

# %% tags=["proof"]
assert c.grad_fn._sequence_nr() == b.grad_fn._sequence_nr() + 1 and end._sequence_nr() == 2**64 - 1

# %% [markdown] tags=["lang-zh"]
# 号大的先走。`AccumulateGrad` 的号是放得下的最大的数，谁也排不到它前面。
#
# `minigrad` 的节点也有 `_sequence_nr()`，另外还把它的相反数放在 `node.order` 里：`order` 最小的先走。

# %% [markdown] tags=["lang-en"]
# The highest number goes first. An `AccumulateGrad` has the highest number that fits, so nothing gets ahead of it.
#
# A `minigrad` node has `_sequence_nr()` as well, and keeps the negative of that number in `node.order`: the smallest `order` goes first.

# %% tags=["picture"]
from minigrad.viz import draw

a = minigrad.tensor(1.5, requires_grad=True)
b = a * 2
c = a * 3
d = b + c
for name, tensor in [("b", b), ("c", c), ("d", d)]:
    print(name, "order", tensor.grad_fn.order - b.grad_fn.order, "compared with b")
draw(d, params={"a": a, "b": b, "c": c, "d": d}, show=["shapes"])

# %% tags=["proof"]
assert d.grad_fn.order < c.grad_fn.order < b.grad_fn.order and d.grad_fn._sequence_nr() == -d.grad_fn.order
assert b.grad_fn.next_functions[0][0].order < d.grad_fn.order

# %% [markdown] tags=["lang-zh"]
# 不用再等的节点放在一起，叫就绪队列（ready queue）。放进去有现成的 `push(heap, node)`；取出来的 `pop(heap)` 由你来写。
#
# `heap` 是一个列表，至少有一个节点，先后不一定。找出最该走的那个，从列表里拿走，返回它；其余的留着。几个叶子的 `AccumulateGrad` 一样靠前，先拿哪个都行。
#
# 开头导入的 `sink` 是参考答案用的，你可以不用。
#
# 例子：`heap` 里是 `b`、`c` 和 `a` 的节点，第一次得到 `a` 的 `AccumulateGrad`，第二次得到 `c` 的，第三次得到 `b` 的。

# %% [markdown] tags=["lang-en"]
# The nodes with nothing left to wait for are kept in the ready queue (就绪队列). `push(heap, node)`, which puts one in, already exists; `pop(heap)`, which takes one out, is yours to write.
#
# `heap` is a list of at least one node, in no particular order. Find the one whose turn it is, take it out of the list and return it; the others stay. The `AccumulateGrad` nodes of several leaves rank the same; take any of them.
#
# The `sink` imported at the top is what the reference answer uses; you need not.
#
# Example: with the nodes of `b`, `c` and `a` in `heap`, the first call gives the `AccumulateGrad` of `a`, the second the node of `c`, the third that of `b`.


# %% nbgrader={"grade_id": "pop", "solution": true}
@implements("minigrad.autograd.ready.pop")
def pop(heap):
    """Take out the node that goes next: the one recorded last, a leaf's AccumulateGrad before all others.

    heap: a list of nodes, not empty; the returned one is removed.  node.order: an int, minus the sequence number.
    torch keeps such a queue too, ReadyQueue, and takes the highest sequence number.
    Example: heap = [node of b, node of c], b recorded before c  ->  node of c; heap is [node of b]
    """
    ### BEGIN SOLUTION
    last = heap.pop()
    if not heap:
        return last
    top, heap[0] = heap[0], last
    if len(heap) > 1:
        sink(heap, last)
    return top
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_who_goes_next", "grade": true, "points": 2}
check("who_goes_next")

# %% [markdown] tags=["lang-zh"]
# ## 5 · 装起来：run_backward
#
# 部件齐了。引擎要做四件事：
#
# 1. 数边：每个节点还要等几份，记在 `waiting` 里。
# 2. 不用等的根，放进就绪队列。
# 3. 队列不空，就取出一个节点，拿走为它攒下的梯度，让它走。
# 4. 它的每条边得到一份结果，加到下家攒着的那份上去；下家要等的数减 1，减到 0，就放进队列。
#
# 第 4 件里的“加”，就是分岔处的求和：一个值用了几处，各处的梯度在这里汇合。图里有岔路的地方，链式法则的加号就在这一行；广播的求和不在这里，第 04 课已经写过了。

# %% [markdown] tags=["lang-en"]
# ## 5 · Put it together: run_backward
#
# All the pieces are there. The engine has to do four things:
#
# 1. Count the edges: `waiting` holds how many gradients each node still waits for.
# 2. Roots with nothing to wait for go into the ready queue.
# 3. While the queue is not empty, take out a node, fetch the gradient collected for it, and let it run.
# 4. Each of its edges gets one result, which is added to what has been collected for the next node; that node now waits for 1 less, and at 0 it goes into the queue.
#
# The word "added" in step 4 is the sum at a fork: if a value was used in several places, the gradients from those places meet here. Where paths of the graph fork, the plus sign of the chain rule is in that one line; the sums of broadcasting are not: you wrote those in lesson 04.

# %% [markdown] tags=["lang-zh"]
# 手边有这些工具：
#
# - 你写的 `count_dependencies(buffers)` 数边；`push(ready, node)` 放进队列，`pop(ready)` 取出来，`ready` 一开始是空列表。放的时候也要用 `push`，不要用 `append`：引擎自己的 `pop` 只认 `push` 排好的列表。
# - `buffers`：字典，节点对应已经到的梯度。一开始只有根，和它们各自的起点梯度。用 `buffers.pop(node, None)` 拿走一份；什么也没到，就是 `None`。
# - `run_node(node, grad, retain_graph, create_graph, task)`：让一个节点走。返回的结果和 `node.next_functions` 一一对应，没有梯度的地方是 `None`。后三个参数原样传下去，以后的课会讲。
# - `parent.receive(result, output, result is grad)`：第一份到达时该存下什么；`output` 是那条边的编号。第三个参数说的是，这是不是原封不动转手的同一个数组；加法就会把同一份交给两家。
# - `merge(parent, held, result, output)`：已经存着 `held`，又来了一份，返回两份之和。多数节点就是 `held + result`。
# - `task`：只求某几个输入的梯度时才有，否则是 `None`。有的话，数完边以后调用一次 `task.plan(waiting)`。
#
# 例子：$y = x \cdot x$，$x = 3$。`buffers` 是 `{y.grad_fn: 1}`。取出它，得到两份结果，都是 3，都给 `x` 的 `AccumulateGrad`：第一份存下，`waiting` 从 2 到 1；第二份加上去，成了 6，`waiting` 到 0，放进队列。它走的时候，6 加进 `x.grad`。
#
# `run_backward` 什么也不返回；走完之后，`buffers` 是空的。

# %% [markdown] tags=["lang-en"]
# You have these tools:
#
# - Your `count_dependencies(buffers)` counts the edges; `push(ready, node)` puts a node into the queue and `pop(ready)` takes one out, where `ready` is an empty list at first. Put nodes in with `push`, not with `append`: the engine's own `pop` relies on the order that `push` keeps.
# - `buffers`: a dict from each node to the gradient that has arrived for it so far. At first it holds only the roots, each with the gradient it starts with. `buffers.pop(node, None)` takes one out; if nothing has arrived, you get `None`.
# - `run_node(node, grad, retain_graph, create_graph, task)`: runs a node. The results match `node.next_functions` one by one, with `None` where there is no gradient. Pass the last three arguments on as they are; later lessons explain them.
# - `parent.receive(result, output, result is grad)`: what to keep when the first gradient arrives; `output` is the edge's number. The third argument says whether this is the very array that came in, passed on unchanged; addition passes the same one to both its inputs.
# - `merge(parent, held, result, output)`: when `held` is already stored and one more arrives, their sum. For most nodes it is `held + result`.
# - `task`: given only when just the gradients of certain inputs are asked for, otherwise `None`. If there is one, call `task.plan(waiting)` once, after counting.
#
# Example: $y = x \cdot x$, $x = 3$. `buffers` is `{y.grad_fn: 1}`. Take it out; it gives two results, both 3, both for the `AccumulateGrad` of `x`. The first is kept, and `waiting` goes from 2 to 1; the second is added, which makes 6, `waiting` drops to 0, and the node goes into the queue. When it runs, 6 is added to `x.grad`.
#
# `run_backward` returns nothing; when it is done, `buffers` is empty.


# %% nbgrader={"grade_id": "run_backward", "solution": true}
@implements("minigrad.autograd.engine.run_backward")
def run_backward(buffers, retain_graph, create_graph, task=None):
    """Walk the graph from its roots to its leaves, each node once, when all its gradients are in.

    buffers: {node: gradient}, the roots and what they start with; each gradient an array.  Returns None.
    retain_graph, create_graph: bools for run_node.  task: None, or else task.plan(waiting) once.
    Of the nodes that wait for nothing more, pop(heap) says which goes next. In torch: Engine::thread_main.
    Example: y = x * x at x = 3., buffers = {y.grad_fn: 1.}  ->  x.grad is 6., buffers is {}
    """
    ### BEGIN SOLUTION
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready: list[Node] = []
    for root in buffers:
        if not waiting[root]:
            push(ready, root)
    while ready:
        node = ready.pop() if len(ready) == 1 else pop(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        i = -1  # counted by hand: zip would cost as much as all the rest of a turn
        for parent in node.parents:
            i += 1
            if parent is None:
                continue
            result = results[i]
            if result is not None:
                held = buffers.get(parent)
                if held is None:
                    buffers[parent] = result if parent.plain else parent.receive(result, node.number(i), result is grad)
                elif type(held) is list:
                    buffers[parent] = merge(parent, held, result, node.number(i))
                else:
                    buffers[parent] = held + result
            left = waiting[parent]
            if left > 1:
                waiting[parent] = left - 1
            elif ready:
                push(ready, parent)
            else:
                ready.append(parent)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_gradients_meet", "grade": true, "points": 2}
check("gradients_meet")

# %% nbgrader={"grade_id": "check_each_node_once", "grade": true, "points": 2}
check("each_node_once")

# %% nbgrader={"grade_id": "check_order_of_hooks", "grade": true, "points": 2}
check("order_of_hooks")

# %% nbgrader={"grade_id": "check_what_the_walk_keeps", "grade": true, "points": 1}
check("what_the_walk_keeps")

# %% [markdown] tags=["lang-zh"]
# ## 6 · 十万个节点深
#
# 第 2 节里，10000 个运算的链就让递归倒下了。现在换成 100000 个，让 torch 和你的引擎各走一遍。先猜：两边都走得完吗，谁更快？

# %% [markdown] tags=["lang-en"]
# ## 6 · A hundred thousand nodes deep
#
# In section 2 a chain of 10000 operations was too much for recursion. Now try 100000, once with torch and once with your engine. Guess: do both get through, and which is faster?

# %% tags=["demo"]
import time


def walk_a_chain(T, n):
    x = T.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(n):
        y = y * 1.0
    start = time.perf_counter()
    y.backward()
    return x.grad.item(), time.perf_counter() - start


arrived = []
for T in (torch, minigrad):
    gradient, seconds = walk_a_chain(T, 100_000)
    arrived.append(gradient)
    print(f"{T.__name__:<9} x.grad = {gradient}   backward: {seconds:.2f} s")

# %% tags=["proof"]
assert arrived == [1.0, 1.0]

# %% [markdown] tags=["lang-zh"]
# 两边都走完了；谁更快，看上面的时间，换一台机器也许不同。没有递归，就没有深度的限制：这条链再长，队列里也最多一个节点，深度只是循环的次数。宽的图也不怕，6561 条路，每个节点只走一次：

# %% [markdown] tags=["lang-en"]
# Both get through; the times above show which is faster, and another machine may say otherwise. Without recursion there is no limit to depth: however long this chain is, the queue never holds more than one node, and depth is just the number of iterations of the loop. Nor is width a problem: 6561 paths, and each node runs only once:

# %% nbgrader={"grade_id": "check_deep_and_many_ways", "grade": true, "points": 2}
check("deep_and_many_ways")

# %% [markdown] tags=["lang-zh"]
# 最后一项检查：一个两层网络，同一个矩阵用在两层里，外加一条捷径，训练三步。数边、排队、走图都是你写的，每一个梯度和钩子的次序都和 torch 比。

# %% [markdown] tags=["lang-en"]
# The last check: a network of two layers that share one matrix, with a shortcut around them, trained for three steps. The counting, queueing and walking are all yours, and every gradient and the order of the hooks are compared with torch.

# %% nbgrader={"grade_id": "check_engine_trains_a_network", "grade": true, "points": 3}
check("engine_trains_a_network")

# %% [markdown] tags=["lang-zh"]
# ## 7 · torch 其实是怎么做的
#
# torch 的引擎和你的走法相同，上面的检查都比过了。它也能从好几个根一起出发，哪怕一个根在另一个的下游。下面 `z` 由 `y` 算出，两个都是根：`y` 的钩子会响几次？
#
# 还有两问：引擎在哪个线程（thread）里跑，是调用 `backward()` 的这一个，还是另外一个？钩子里要是出了错，从哪一行冒出来？

# %% [markdown] tags=["lang-en"]
# ## 7 · What torch really does
#
# torch's engine walks the way yours does; the checks above have compared the two. It, too, can start from several roots at once, even when one lies downstream of another. Below, `z` is computed from `y`, and both are roots: how many times does the hook of `y` fire?
#
# And two more questions: in which thread (线程) does the engine run, the one that calls `backward()` or another? And if a hook raises an error, at which line does it surface?

# %% tags=["demo"]
import threading

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y * y
seen = []
y.register_hook(lambda grad: seen.append((grad.item(), threading.get_ident())))
torch.autograd.backward([y, z])
print("the hook of y saw", [grad for grad, _ in seen])
print("in this very thread:", seen[0][1] == threading.get_ident())


def fails(grad):
    raise ValueError("found in a hook")


y = x * 2
y.register_hook(fails)
try:
    y.backward()
except ValueError as error:
    print("ValueError:", error)

# %% tags=["proof"]
assert seen == [(5.0, threading.get_ident())]
try:
    y.backward()
    raise AssertionError
except ValueError as error:
    assert str(error) == "found in a hook"

# %% [markdown] tags=["lang-zh"]
# 只响了一次，见到的是完整的梯度：1 是 `y` 作为根的起点，4 来自 `z`，加起来是 5。
#
# 在 CPU 上，引擎就在调用 `backward()` 的那个线程里跑。钩子里的错，从写着 `backward()` 的那一行冒出来。

# %% [markdown] tags=["lang-en"]
# It fired once and saw the complete gradient: the 1 that `y` starts with as a root, plus 4 from `z`, which makes 5.
#
# On a CPU the engine runs in the very thread that calls `backward()`. An error in a hook surfaces at the line that says `backward()`.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** `p = a * 2`，`q = p * 3`，`r = a * 5`，`s = q + r`，每个都有钩子。`s.backward()` 之后，钩子按什么次序响？
#
# <details><summary>答案</summary><code>s r q p a</code>。<code>s</code> 走完，<code>q</code> 和 <code>r</code> 都就绪了，<code>r</code> 记录得更晚，所以先走；<code>a</code> 要等 <code>r</code> 和 <code>p</code> 两份，最后才到齐。</details><br>
#
# **2.** 有人的引擎不数边，梯度一到就让节点走，每来一份走一遍。没有钩子的时候，`x.grad` 会错吗？
#
# <details><summary>答案</summary>不会。每条规则对传来的梯度都是线性的：分两次走，结果再加起来，和加起来走一次一样。错的是次数：节点走了许多遍，钩子看到的是零碎的梯度。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** `p = a * 2`, `q = p * 3`, `r = a * 5`, `s = q + r`, each with a hook. In which order do the hooks fire on `s.backward()`?
#
# <details><summary>Answer</summary><code>s r q p a</code>. Once <code>s</code> has run, both <code>q</code> and <code>r</code> are ready; <code>r</code> was recorded later and goes first; <code>a</code> waits for two gradients, from <code>r</code> and from <code>p</code>, and has both only at the end.</details><br>
#
# **2.** Somebody's engine doesn't count edges: a node runs every time a gradient arrives, once for each. Without hooks, will `x.grad` be wrong?
#
# <details><summary>Answer</summary>No. Every rule is linear in the gradient that arrives: running twice and adding the results is the same as adding first and running once. What goes wrong is how often nodes run: many times, and hooks see gradients in pieces.</details>

# %% tags=["proof"]


def in_the_self_test(a, named):
    p = named(a * 2, "p")
    q = named(p * 3, "q")
    r = named(a * 5, "r")
    return named(q + r, "s")


assert order(in_the_self_test)[0] == "s r q p a"
x = torch.tensor(3.0, requires_grad=True)
y = x * x
z = y * y
with torch.no_grad():
    recurse(z.grad_fn, torch.tensor(1.0))
assert x.grad.item() == 4 * 27.0

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学写了一个小引擎，反向就是一个递归函数，小例子都对。他问：“还缺什么？”用四五句话告诉他：图变宽时会怎样，图变深时会怎样（各举一个例子），怎么改才能让每个节点只走一次；改好以后，什么决定钩子的次序？中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student has written a small engine whose backward is one recursive function; small examples come out right. "What is missing?" they ask. Tell them in four or five sentences: what happens when the graph gets wide, what happens when it gets deep (an example of each), and how to change it so that each node runs only once? And once that is done, what decides the order of the hooks? In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 下面四点说对三点（其中必须有第 3 点），给 1 分：
# 1. 宽：递归走的是路，不是节点；一个值用了几次，它下面的一切就走几遍，路的条数成倍增长。例子要成立，如 n 次 y = y + y 要访问约 2 的 n+1 次方次。
# 2. 深：图有多深，调用就有多深，几千个运算的链就会 RecursionError。
# 3. 改法：先数每个节点有几条边通向它；梯度到了先加着，数减 1，减到 0 才放进队列；用循环取，不用递归。
# 4. 次序：就绪的节点里，最晚记录的先走，叶子的 AccumulateGrad 最先。
#
# 参考回答：你的递归沿着每条路各走一遍。y = y + y 做 12 步，图里 13 个节点，它却要访问 8191 次；一条一万个运算的链，又会让 Python 报 RecursionError。先从根走一遍图，数出通向每个节点的边；反向时把到的梯度加在一起，每到一份就减 1，减到 0 再把节点放进队列，用 while 循环一个一个取。这样每个节点只走一次，钩子看到的是完整的梯度。钩子的次序由队列决定：最晚记录的先走，AccumulateGrad 排在所有节点前面。
#
# **Rubric (1 point)** Three of these four, the third among them:
# 1. Wide: recursion walks paths, not nodes; when a value was used several times, everything below it is walked that many times, and the paths multiply. The example must hold: n steps of y = y + y take about 2 to the n+1 visits.
# 2. Deep: calls nest as deep as the graph; a chain of a few thousand operations ends in a RecursionError.
# 3. The change: first count how many edges lead to each node; add up gradients as they arrive and lower the count by 1; at 0 the node goes into a queue; a loop takes nodes out, no recursion.
# 4. The order: of the nodes that are ready, the one recorded last goes first, and a leaf's AccumulateGrad before all.
#
# Model answer: your recursion walks every path separately. Twelve steps of y = y + y make 13 nodes and 8191 visits; and a chain of ten thousand operations makes Python raise a RecursionError. Go through the graph once from the roots and count the edges that lead to each node; on the way back add up the gradients that arrive, lower the count for each, and at 0 put the node into a queue from which a while loop takes one after the other. Each node then goes once, and hooks see whole gradients. The queue decides the order of hooks: the one recorded last goes first, an AccumulateGrad before all others.
