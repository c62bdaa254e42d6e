# %% [markdown] tags=["lang-zh"]
# # 15 · 报错诊所
#
# 预计 60 分钟
#
# 诊所今天来了十个程序，都只有几行，都和自动求导有关。有的一运行就报错；有的不报错，数却不对，钩子不运行，或者内存越涨越高。
#
# 你来当医生：看报错，问病史，找病根，开方子。治好的标准只有一条：结果要和健康的程序一样。

# %% [markdown] tags=["lang-en"]
# # 15 · The error clinic
#
# About 60 minutes
#
# Ten programs have come to the clinic today, each just a few lines long, and each with a problem in autograd. Some raise an error as soon as they run; others raise none, but their numbers are wrong, their hook never fires, or their memory keeps growing.
#
# You are the doctor: read the message, ask about the history, find the cause, write the prescription. A program is cured when its results are the same as those of a healthy one.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from minigrad import float64, no_grad, tensor, zeros

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 报错的那一行，就是病根吗？
#
# “报错指着哪一行，就改哪一行。”多数时候这样想没有错。自动求导（autograd）偏偏是个例外。
#
# 下面的程序只有三步：`squash` 算一个值，`train` 求和，再反向（backward）。它会报错。先读代码，猜两件事：报错停在哪一行？毛病又在哪一行？

# %% [markdown] tags=["lang-en"]
# ## 1 · Is the cause where the error is?
#
# "The message points at a line, so that is the line to fix." Most of the time this is good advice. Autograd (自动求导) is the exception.
#
# The program below has three steps: `squash` computes a value, `train` sums it up and goes backward (反向). It will raise an error. Read the code first and guess two things: at which line does it stop? And which line is wrong?


# %% tags=["demo"]
import traceback

import torch


def squash(x):
    y = x.tanh()
    y += 1
    return y


def train():
    w = torch.zeros(3, requires_grad=True)
    loss = squash(w).sum()
    loss.backward()


try:
    train()
except RuntimeError as error:
    words = str(error)
    places = [(frame.name, frame.line) for frame in traceback.extract_tb(error.__traceback__)]
print(words.split(":")[0])
for name, line in places[:2]:
    print(f"    in {name}:  {line}")

# %% tags=["proof"]
assert words.startswith(
    "one of the variables needed for gradient computation has been modified by an inplace operation"
)
assert places[1][1] == "loss.backward()" and "squash" not in [name for name, _ in places]

# %% [markdown] tags=["lang-zh"]
# 报错停在 `loss.backward()`，可这一行没有错。真正的病根是 `squash` 里的 `y += 1`：`tanh` 把输出保存了下来，等反向时用，它却被原地（in-place）改写了。而 `squash` 这个名字，在整个报错里根本没有出现。
#
# 道理不难：前向（forward）只管记录，反向才去检查。保存的值被改写的那一刻没有人知道，反向查到的时候，那一行早就运行完了。
#
# 所以读自动求导的报错，分两步：先看它抱怨的是“什么”，再自己去找“哪里”。下面先把“什么”列成一张表。

# %% [markdown] tags=["lang-en"]
# It stops at `loss.backward()`, and there is nothing wrong with that line. The real cause is `y += 1` in `squash`: `tanh` had saved its output for backward, and then it was overwritten in place (原地). Yet the name `squash` appears nowhere in the traceback.
#
# The reason is simple: forward (前向) only records, and backward checks what was recorded. When a saved value is overwritten, nobody notices; when backward finds it, the line that did it has long finished.
#
# So read an autograd error in two steps: first see what it complains about, then go and find out where yourself. We start with a table for the "what".

# %% [markdown] tags=["lang-zh"]
# ## 2 · 门诊手册：哪句报错，哪种病
#
# 下面在 torch 上把常见的报错都引发一遍。字典 `provoke` 里是起因：先一个一个读，猜它会报什么错，再运行：

# %% [markdown] tags=["lang-en"]
# ## 2 · The handbook: which message means what
#
# The cell below provokes the common errors in torch. The dictionary `provoke` has the causes: read each and guess the error message, then run:


# %% tags=["demo"]
from textwrap import shorten

x = torch.ones(2, requires_grad=True)


def twice():
    loss = (x * x).sum()
    loss.backward()
    loss.backward()


def saved():
    y = x.exp()
    y += 1
    y.sum().backward()


provoke = {
    "scalar": lambda: (x * x).backward(),
    "shape": lambda: (x * x).backward(torch.ones(3)),
    "twice": twice,
    "leaf": lambda: x.add_(1),
    "saved": saved,
    "no graph": lambda: torch.zeros(3).sum().backward(),
    "unused": lambda: torch.autograd.grad(x.sum(), torch.ones(2, requires_grad=True)),
    "no leaf": lambda: torch.optim.SGD([x * 2], lr=0.1),
    "None": lambda: 0.1 * torch.ones(2).grad,
    "numpy": lambda: x.numpy(),
    "item": lambda: (x * x).item(),
    "integers": lambda: torch.tensor([1, 2], requires_grad=True),
    "two lists": lambda: torch.tensor([1.0], [2.0]),
    "Variable": lambda: __import__("torch.autograd.Variable"),
}
messages = {}
for name, action in provoke.items():
    try:
        action()
    except Exception as error:
        messages[name] = f"{type(error).__name__}: {error}"
    print(f"{name:<10} {shorten(messages[name], 105, placeholder=' ...')}")

# %% tags=["proof"]
expected = {
    "scalar": "grad can be implicitly created only for scalar outputs",
    "shape": "Mismatch in shape: grad_output[0] has a shape of",
    "twice": "Trying to backward through the graph a second time",
    "leaf": "a leaf Variable that requires grad is being used in an in-place operation",
    "saved": "has been modified by an inplace operation",
    "no graph": "does not require grad and does not have a grad_fn",
    "unused": "appears to not have been used in the graph",
    "no leaf": "can't optimize a non-leaf Tensor",
    "None": "unsupported operand type(s) for *: 'float' and 'NoneType'",
    "numpy": "Can't call numpy() on Tensor that requires grad",
    "item": "cannot be converted to Scalar",
    "integers": "Only Tensors of floating point and complex dtype can require gradients",
    "two lists": "tensor() takes 1 positional argument but 2 were given",
    "Variable": "No module named 'torch.autograd.Variable'",
}
assert expected.keys() == messages.keys()
assert all(expected[name] in messages[name] for name in expected), messages

# %% [markdown] tags=["lang-zh"]
# | 报错里的话 | 意思 | 多半是 | 课 |
# |---|---|---|---|
# | `grad can be implicitly created only for scalar outputs` | 对几个数求导，没给它们的权重 | 损失忘了求平均或求和 | 06 |
# | `Mismatch in shape: grad_output[0] has a shape of` | `backward` 收到的权重和输出形状不同 | 随手写的 `ones` | 06 |
# | `Trying to backward through the graph a second time` | 走过的图，保存的值已经释放 | 图的一部分是在循环外面建的 | 08 |
# | `a leaf Variable that requires grad is being used in an in-place operation` | 记录着的时候，叶子不许原地改 | 更新或初始化没有放进 `no_grad` | 10 |
# | `has been modified by an inplace operation` | 保存给反向的值被改写了 | 上游某处的 `+=`、`/=`，或者先 `step` 后 `backward` | 10 |
# | `does not require grad and does not have a grad_fn` | 损失背后没有图 | `detach`、`no_grad`、`item` 或 NumPy 把路剪断了 | 01、10、11 |
# | `appears to not have been used in the graph` | 要求梯度的张量不在这张图上 | 名字指着另一个张量 | 06、09 |
# | `can't optimize a non-leaf Tensor` | 优化器只收叶子 | `.double()`、`.view()`、`* 0.1` 写在 `requires_grad=True` 后面 | 02、14 |
# | `unsupported operand type(s) for *: 'float' and 'NoneType'` | `.grad` 是 `None` | 不是叶子，没有反向过，或者刚清零 | 02、07、10 |
# | `Can't call numpy() on Tensor that requires grad` | NumPy 不记录运算 | 损失里混进了 NumPy；别急着 `detach` | 01、11 |
# | `cannot be converted to Scalar` | `item` 只取一个数 | 损失还不是一个数 | 01 |
# | `Only Tensors of floating point and complex dtype can require gradients` | 整数不能求导 | 写了 `1` 而不是 `1.` | 01 |
# | `tensor() takes 1 positional argument but 2 were given` | `tensor` 只收一个参数 | 少了一层方括号 | 01 |
# | `No module named 'torch.autograd.Variable'` | `Variable` 不是模块，不能这样 `import`；它如今就是张量 | 照抄了老教程 | 01 |
#
# 还有几种病不报错，表里查不到：梯度（gradient）越来越大（第 07 课），内存越涨越高（第 01、10 课），钩子不再运行（第 09 课），`detach` 写错了地方，`.data` 瞒过了版本检查（第 10 课）。

# %% [markdown] tags=["lang-en"]
# | The message says | It means | Most often | Lesson |
# |---|---|---|---|
# | `grad can be implicitly created only for scalar outputs` | a derivative of several numbers, without weights for them | the loss was never averaged or summed | 06 |
# | `Mismatch in shape: grad_output[0] has a shape of` | the weights given to `backward` do not have the output's shape | a careless `ones` | 06 |
# | `Trying to backward through the graph a second time` | the graph was walked before, and what it saved is gone | part of the graph was built outside the loop | 08 |
# | `a leaf Variable that requires grad is being used in an in-place operation` | a leaf must not change in place while operations are recorded | an update or an initialisation outside `no_grad` | 10 |
# | `has been modified by an inplace operation` | a value saved for backward was overwritten | a `+=` or `/=` somewhere upstream, or `step` before `backward` | 10 |
# | `does not require grad and does not have a grad_fn` | there is no graph behind the loss | `detach`, `no_grad`, `item` or NumPy cut the path | 01, 10, 11 |
# | `appears to not have been used in the graph` | the tensor whose gradient you ask for is not in this graph | the name points at another tensor | 06, 09 |
# | `can't optimize a non-leaf Tensor` | an optimizer takes leaves only | `.double()`, `.view()` or `* 0.1` after `requires_grad=True` | 02, 14 |
# | `unsupported operand type(s) for *: 'float' and 'NoneType'` | `.grad` is `None` | not a leaf, no backward yet, or just cleared | 02, 07, 10 |
# | `Can't call numpy() on Tensor that requires grad` | NumPy does not record operations | NumPy inside the loss; do not rush to `detach` | 01, 11 |
# | `cannot be converted to Scalar` | `item` takes one number only | the loss is not a single number yet | 01 |
# | `Only Tensors of floating point and complex dtype can require gradients` | integers cannot be differentiated | `1` written where `1.` was meant | 01 |
# | `tensor() takes 1 positional argument but 2 were given` | `tensor` takes one argument | one pair of brackets is missing | 01 |
# | `No module named 'torch.autograd.Variable'` | `Variable` is no module you could `import`; today it is simply a tensor | an old tutorial was copied | 01 |
#
# Some illnesses raise no error, so they are not in the table: gradients (梯度) that keep growing (lesson 07), memory that keeps climbing (lessons 01 and 10), hooks that no longer fire (lesson 09), a `detach` in the wrong place, a `.data` that gets past the version check (lesson 10).

# %% [markdown] tags=["lang-zh"]
# ## 3 · 会报错的病人
#
# 下面每一格是一个有病的程序，说明（docstring 那几行）写的是它本来该做的事。先运行程序格和检查格，看它怎么报错；再改程序，重新运行这两格。
#
# 只改该改的：参数和说明不要动。不报错了，不等于治好了：检查看的是训练出来的数。没有头绪，就运行 `hint("fit_slope")` 这样的一句，一步一步给提示。
#
# ### 病人一：一串损失
#
# `fit_slope` 用梯度下降凑一条过原点的直线。

# %% [markdown] tags=["lang-en"]
# ## 3 · Patients that raise an error
#
# Each cell below holds a program that is ill; its docstring says what it should do. Run the program's cell and the check's, and see what error it raises; then fix the program and run both again.
#
# Change only what needs changing: keep the parameters and the docstring as they are. A program without an error is not yet cured; the check looks at the numbers that come out of training. If you are stuck, run a line such as `hint("fit_slope")` for hints, one step at a time.
#
# ### Patient one: a row of losses
#
# `fit_slope` fits a line through the origin by gradient descent.


# %% nbgrader={"grade_id": "fit_slope", "solution": true}
@implements("minigrad.clinic.fit_slope")
def fit_slope(X, Y, steps, lr):
    """The slope w of y = w * x by gradient descent on the mean squared error, starting from 0.

    X, Y: float tensors of shape (n,).  steps: an int.  lr: the learning rate, a float.
    Returns w, of shape (1,): a leaf, as torch.optim would take it.
    Example: X = [1., 2.], Y = [2., 4.], steps = 1, lr = 0.1  ->  w = [1.0]
    """
    ### BEGIN SOLUTION
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        loss = ((Y - w * X) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w
    ### RELEASED AS
    # w = zeros(1, dtype=X.dtype, requires_grad=True)
    # for _ in range(steps):
    #     loss = (Y - w * X) ** 2
    #     loss.backward()
    #     with no_grad():
    #         w -= lr * w.grad
    #     w.grad = None
    # return w
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_scalar", "grade": true, "points": 1}
check("clinic_scalar")

# %% [markdown] tags=["lang-zh"]
# ### 病人二：第二步才发作
#
# `two_layers` 训练一个两层的小网络。第一步好好的，第二步就报错。torch 自己的报错里还附了一张方子，照方抓药，就不报错了。可病真的好了吗？

# %% [markdown] tags=["lang-en"]
# ### Patient two: the second step
#
# `two_layers` trains a small network of two layers. The first step goes well; the second raises an error. torch's own message even comes with a prescription; follow it, and the error is gone. But is the patient cured?


# %% nbgrader={"grade_id": "two_layers", "solution": true}
@implements("minigrad.clinic.two_layers")
def two_layers(X, Y, W1, W2, steps, lr):
    """Train both layers of tanh(X @ W1) @ W2 in place; return the mean squared error before each step, as floats.

    X: (n, k), Y: (n, 1), W1: (k, h), W2: (h, 1); float tensors, W1 and W2 leaves that require a gradient.
    Example: steps = 2  ->  a list of two losses, both weights moved twice, their .grad None
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return losses
    ### RELEASED AS
    # losses = []
    # hidden = (X @ W1).tanh()
    # for _ in range(steps):
    #     loss = ((hidden @ W2 - Y) ** 2).mean()
    #     loss.backward()
    #     losses.append(loss.item())
    #     with no_grad():
    #         for w in (W1, W2):
    #             w -= lr * w.grad
    #             w.grad = None
    # return losses
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_second_backward", "grade": true, "points": 1}
check("clinic_second_backward")

# %% [markdown] tags=["lang-zh"]
# ### 病人三：初始化就报错
#
# `scaled_start` 造一组初始权重：把给定的数缩小一些，交给优化器去训练。

# %% [markdown] tags=["lang-en"]
# ### Patient three: an error in initialisation
#
# `scaled_start` makes the initial weights: it scales down the numbers it is given, for an optimizer to train.


# %% nbgrader={"grade_id": "scaled_start", "solution": true}
@implements("minigrad.clinic.scaled_start")
def scaled_start(values, scale):
    """A leaf that requires a gradient and holds values * scale; values itself stays as it was.

    values: a float tensor of any shape.  scale: a float.  Any torch optimizer takes what is returned.
    Example: values = [2., 4.], scale = 0.5  ->  tensor([1., 2.], requires_grad=True)
    """
    ### BEGIN SOLUTION
    w = values.clone()
    w *= scale
    return w.requires_grad_()
    ### RELEASED AS
    # w = values.clone().requires_grad_()
    # w *= scale
    # return w
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_leaf", "grade": true, "points": 1}
check("clinic_leaf")

# %% [markdown] tags=["lang-zh"]
# ### 病人四：病根在别处
#
# `softmax_rows` 自己从不报错；谁用了它，谁在 `backward` 时报错。和第 1 节一样。

# %% [markdown] tags=["lang-en"]
# ### Patient four: the cause is elsewhere
#
# `softmax_rows` itself never raises an error; whoever uses it gets one, in `backward`, as in section 1.


# %% nbgrader={"grade_id": "softmax_rows", "solution": true}
@implements("minigrad.clinic.softmax_rows")
def softmax_rows(scores):
    """Each row of scores as probabilities: e**score, divided by the row's sum. In torch: scores.softmax(1).

    scores: (n, c), float, perhaps with a graph behind it.  Returns (n, c), differentiable in scores.
    Example: scores = [[0., 0.]]  ->  [[0.5, 0.5]]
    """
    ### BEGIN SOLUTION
    p = scores.exp()
    total = p.sum(1, keepdim=True)
    return p / total
    ### RELEASED AS
    # p = scores.exp()
    # total = p.sum(1, keepdim=True)
    # p /= total
    # return p
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_saved", "grade": true, "points": 1}
check("clinic_saved")

# %% [markdown] tags=["lang-zh"]
# ### 病人五：None 从哪儿来
#
# `double_fit` 要用双精度，于是给权重加了 `.double()`。报错说的是 `float` 和 `NoneType`，看起来和求导毫不相干，前面还有一句警告。用 `.view()`、`.to()` 也会得同样的病。
#
# 先看一眼图，猜猜 `w` 为什么收不到梯度：

# %% [markdown] tags=["lang-en"]
# ### Patient five: where None comes from
#
# `double_fit` needs double precision, so its weights were given a `.double()`. The message is about `float` and `NoneType` and seems to have nothing to do with derivatives; a warning comes before it. `.view()` and `.to()` cause the same illness.
#
# Look at the graph first, and guess why `w` collects no gradient:

# %% tags=["picture"]
from minigrad.viz import draw

w = torch.zeros(3, requires_grad=True).double()
draw((w * w).sum(), params={"w": w}, show=["shapes"])

# %% tags=["proof"]
assert not w.is_leaf and w.grad_fn.name() == "ToCopyBackward0"
for remade in (lambda w: w.view(3, 1), lambda w: w.to(torch.float16)):
    assert not remade(torch.zeros(3, requires_grad=True)).is_leaf


# %% nbgrader={"grade_id": "double_fit", "solution": true}
@implements("minigrad.clinic.double_fit")
def double_fit(X, Y, steps, lr):
    """Weights w of y = X @ w in double precision, by gradient descent on the mean squared error, starting from 0.

    X: (n, k), Y: (n,), float64.  Returns w, of shape (k,), float64: a leaf, as torch.optim would take it.
    Example: X = [[1., 0.], [0., 1.]], Y = [1., 2.], steps = 1, lr = 0.5  ->  w = [0.5, 1.0]
    """
    ### BEGIN SOLUTION
    w = zeros(X.shape[1], dtype=float64, requires_grad=True)
    for _ in range(steps):
        loss = ((X @ w - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w
    ### RELEASED AS
    # w = zeros(X.shape[1], requires_grad=True).double()
    # for _ in range(steps):
    #     loss = ((X @ w - Y) ** 2).mean()
    #     loss.backward()
    #     with no_grad():
    #         w -= lr * w.grad
    #     w.grad = None
    # return w
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_double", "grade": true, "points": 1}
check("clinic_double")

# %% [markdown] tags=["lang-zh"]
# ### 病人六：该不该听报错的
#
# `absolute_loss` 用 NumPy 算绝对值。报错自己开了方子：改用 `tensor.detach().numpy()`。照做，会换来表里的另一句报错；再想办法让那一句也不报，程序就什么也学不到了。

# %% [markdown] tags=["lang-en"]
# ### Patient six: should you do as the message says?
#
# `absolute_loss` computes absolute values with NumPy. The message has a prescription of its own: use `tensor.detach().numpy()` instead. Do so, and you get another message from the table; suppress that one as well, and the program learns nothing.


# %% nbgrader={"grade_id": "absolute_loss", "solution": true}
@implements("minigrad.clinic.absolute_loss")
def absolute_loss(prediction, target):
    """The mean absolute error, one number, differentiable in prediction. In torch: torch.nn.functional.l1_loss.

    prediction, target: float tensors of the same shape; prediction has a graph behind it.
    Example: prediction = [1., 5.], target = [2., 2.]  ->  2.0, and prediction's gradient is [-0.5, 0.5]
    """
    ### BEGIN SOLUTION
    return (prediction - target).abs().mean()
    ### RELEASED AS
    # error = abs((prediction - target).numpy())
    # return tensor(error.mean())
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_numpy", "grade": true, "points": 1}
check("clinic_numpy")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 不报错的病人
#
# 下面四个从不报错。其中两种病画出来就看得见：左边是同一个小问题上每一步的 `w`，一条每步清零，一条从不清；右边是损失（loss）累计量背后有多少个节点，一条加的是张量（tensor），一条加的是 `item()`。先猜四条线的样子。

# %% [markdown] tags=["lang-en"]
# ## 4 · Patients that raise no error
#
# The four below never raise an error. Two of the illnesses show in a plot: on the left, `w` at each step of a small problem, with the gradients cleared at every step or never; on the right, how many nodes are behind the running total of the losses (损失) when you add tensors (张量) or add `item()`. Guess the four lines first.


# %% tags=["demo"]
def count_nodes(value):
    seen, todo = set(), [getattr(value, "grad_fn", None)]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [after for after, _ in node.next_functions]
    return len(seen)


def diary(clear=True, number=True, steps=40):
    w, total = torch.tensor([1.0], requires_grad=True), 0.0
    path, nodes = [], []
    for _ in range(steps):
        if clear:
            w.grad = None
        loss = ((w - 3) ** 2).sum()
        loss.backward()
        total = total + (loss.item() if number else loss)
        with torch.no_grad():
            w -= 0.1 * w.grad
        path.append(w.item())
        nodes.append(count_nodes(total))
    return path, nodes, total


print("cleared     ends at", round(diary()[0][-1], 3), " highest", round(max(diary()[0]), 3))
print("never       ends at", round(diary(clear=False)[0][-1], 3), " highest", round(max(diary(clear=False)[0]), 3))
print("item()      nodes", diary()[1][-1])
print("the tensor  nodes", diary(number=False)[1][-1])

# %% tags=["proof"]
assert abs(diary()[0][-1] - 3) < 1e-3 and max(diary(clear=False)[0]) > 4.5 and min(diary(clear=False)[0][10:]) < 1.5
assert set(diary()[1]) == {0}
nodes = diary(number=False)[1]
assert nodes == [5 + 4 * step for step in range(40)]

# %% tags=["picture"]
from autograder.plots import row

left, right = row([("步数 · steps", "w", ""), ("步数 · steps", "节点数 · nodes behind total", "")], size=(8.4, 3))
left.plot(diary()[0], label="每步清零 · cleared")
left.plot(diary(clear=False)[0], "--", label="从不清 · never")
right.plot(diary()[1], label="item()")
right.plot(diary(number=False)[1], "--", label="张量 · tensor")
left.legend()
_ = right.legend()

# %% [markdown] tags=["lang-zh"]
# 从不清零的 `w` 在谷底两边摆来摆去，停不下来：旧的梯度还在起作用。加张量的累计量，每一步多四个节点，一张图也释放不了。这后一种，只走三步，画出来看：

# %% [markdown] tags=["lang-en"]
# If gradients are never cleared, `w` swings from one side of the valley to the other and does not come to rest: the old gradients keep acting. If tensors are added, the total gains four nodes at every step, and none of the graphs can be freed. Here is the second case after three steps:

# %% tags=["picture"]
total = diary(number=False, steps=3)[2]
draw(total, params={"total": total})

# %% [markdown] tags=["lang-zh"]
# ### 病人七：来回摆动
#
# `descend` 训练任意一个模块。交给它的网络，可能还带着别处留下的梯度。

# %% [markdown] tags=["lang-en"]
# ### Patient seven: back and forth
#
# `descend` trains any module. The network it is given may still carry gradients left over from somewhere else.


# %% nbgrader={"grade_id": "descend", "solution": true}
@implements("minigrad.clinic.descend")
def descend(net, X, Y, steps, lr):
    """Train a module in place by gradient descent; return the mean squared error before each step, as floats.

    net: a module; net.parameters() gives its weights, some perhaps with an old .grad.  X, Y: its inputs and targets.
    Example: steps = 2  ->  a list of two losses, each weight moved twice, by its own step's gradient alone
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        for p in net.parameters():
            p.grad = None
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
    return losses
    ### RELEASED AS
    # losses = []
    # for _ in range(steps):
    #     loss = ((net(X) - Y) ** 2).mean()
    #     loss.backward()
    #     losses.append(loss.item())
    #     with no_grad():
    #         for p in net.parameters():
    #             p -= lr * p.grad
    # return losses
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_accumulated", "grade": true, "points": 1}
check("clinic_accumulated")

# %% [markdown] tags=["lang-zh"]
# ### 病人八：内存只涨不跌
#
# `mean_loss` 训练得一点不错，只是占的内存越来越多。检查会数一数，跑的时候有几张计算图（computational graph）同时活着。

# %% [markdown] tags=["lang-en"]
# ### Patient eight: memory only climbs
#
# There is nothing wrong with the way `mean_loss` trains; it just takes more and more memory. The check counts how many computational graphs (计算图) are alive at the same time while it runs.


# %% nbgrader={"grade_id": "mean_loss", "solution": true}
@implements("minigrad.clinic.mean_loss")
def mean_loss(w, loss_of, steps, lr):
    """Train w in place on loss_of(w); return the mean of the losses: a plain Python float, no graph behind it.

    w: a leaf that requires a gradient.  loss_of: w -> a 0-d tensor, a new graph at every call; each is let go after its step.
    Example: losses 3.0 and 1.0 in two steps  ->  2.0
    """
    ### BEGIN SOLUTION
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss.item()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return total / steps
    ### RELEASED AS
    # total = 0.0
    # for _ in range(steps):
    #     loss = loss_of(w)
    #     loss.backward()
    #     total += loss
    #     with no_grad():
    #         w -= lr * w.grad
    #     w.grad = None
    # return total / steps
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_memory", "grade": true, "points": 1}
check("clinic_memory")

# %% [markdown] tags=["lang-zh"]
# ### 病人九：钩子不运行
#
# `watch_hidden` 想知道每一步传到隐藏层的梯度有多大，登记了一个钩子。训练照常，记下来的却一个也没有。

# %% [markdown] tags=["lang-en"]
# ### Patient nine: the hook that never fires
#
# `watch_hidden` wants to know how large the gradient at the hidden layer is at each step, and has registered a hook there. Training goes on as usual, but nothing is ever recorded.


# %% nbgrader={"grade_id": "watch_hidden", "solution": true}
@implements("minigrad.clinic.watch_hidden")
def watch_hidden(X, Y, W1, W2, steps, lr):
    """Train as two_layers does; return the norm of the gradient that arrives at hidden = tanh(X @ W1), one float per step.

    Shapes as in two_layers.  torch: hidden.register_hook(f) calls f with the gradient when it arrives.
    Example: steps = 3  ->  a list of three norms
    """
    ### BEGIN SOLUTION
    norms: list[float] = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        hidden.register_hook(lambda grad: norms.append(grad.norm().item()))
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms
    ### RELEASED AS
    # norms = []
    # hidden = (X @ W1).tanh()
    # hidden.register_hook(lambda grad: norms.append(grad.norm().item()))
    # for _ in range(steps):
    #     hidden = (X @ W1).tanh()
    #     loss = ((hidden @ W2 - Y) ** 2).mean()
    #     loss.backward()
    #     with no_grad():
    #         for w in (W1, W2):
    #             w -= lr * w.grad
    #             w.grad = None
    # return norms
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_hook", "grade": true, "points": 1}
check("clinic_hook")

# %% [markdown] tags=["lang-zh"]
# ### 病人十：detach 写错了一边
#
# `learn_values` 学的是“现在值多少”：让 `X @ w` 去靠近奖励加上将来的价值。将来的价值也是用 `w` 算的，但应当看作给定的数，只有现在的估计去靠近它。强化学习里天天这样做。
#
# 程序里有 `detach`，也不报错，损失也在变。只是学反了。

# %% [markdown] tags=["lang-en"]
# ### Patient ten: the wrong side detached
#
# `learn_values` learns what the present is worth: `X @ w` should approach the reward plus what the future is worth. What the future is worth is computed with `w`, too, but it should be treated as given; only the estimate of the present should change. In reinforcement learning this is done every day.
#
# There is a `detach` in the program, nothing raises an error, and the loss does change. But it learns the wrong way round.


# %% nbgrader={"grade_id": "learn_values", "solution": true}
@implements("minigrad.clinic.learn_values")
def learn_values(X, X_next, reward, w, steps, lr):
    """Train values X @ w towards reward + 0.9 * (X_next @ w), which counts as given; return the losses, as floats.

    X, X_next: (n, k), reward: (n,), w: (k,), a leaf; float tensors.  The loss is the mean squared difference.
    Example: X = [[1.]], X_next = [[0.]], reward = [1.], w = [0.], steps = 1, lr = 0.5  ->  [1.0], and w is [1.0]
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        value = X @ w
        target = (reward + 0.9 * (X_next @ w)).detach()
        loss = ((value - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses
    ### RELEASED AS
    # losses = []
    # for _ in range(steps):
    #     value = (X @ w).detach()
    #     target = reward + 0.9 * (X_next @ w)
    #     loss = ((value - target) ** 2).mean()
    #     loss.backward()
    #     losses.append(loss.item())
    #     with no_grad():
    #         w -= lr * w.grad
    #     w.grad = None
    # return losses
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_clinic_detach", "grade": true, "points": 1}
check("clinic_detach")

# %% [markdown] tags=["lang-zh"]
# ## 5 · torch 其实是怎么做的
#
# 每次都自己去找“哪里”，太累了。torch 有一个办法：打开异常检测（anomaly detection），前向时给每个节点记下它是在哪一行造的。反向出了错，torch 就说出那一行。拿第 1 节的程序再跑一遍，先猜：它会指着哪一行，记这些又要多花几倍的时间？

# %% [markdown] tags=["lang-en"]
# ## 5 · What torch really does
#
# Finding the "where" by yourself every time is tiring. torch can help: switch on anomaly detection (异常检测), and forward records for each node the line in which it was created. When backward then fails, torch names that line. Run the program of section 1 again and guess: which line does it name, and by what factor does the recording slow forward down?

# %% tags=["demo"]
import time
import warnings

with warnings.catch_warnings(record=True) as heard, torch.autograd.set_detect_anomaly(True):
    warnings.simplefilter("always")
    try:
        train()
    except RuntimeError:
        pass
told = [line.strip() for line in str(heard[-1].message).splitlines()]
print(told[0])
print(told[told.index("y = x.tanh()") - 1].split(", in ")[-1], ":", "y = x.tanh()")


def seconds(noting):
    start = time.perf_counter()
    with warnings.catch_warnings(action="ignore"), torch.autograd.set_detect_anomaly(noting):
        for _ in range(300):
            squash(x)
    return time.perf_counter() - start


print(f"forward takes {seconds(True) / min(seconds(False) for _ in range(3)):.0f} times as long with it")

# %% tags=["proof"]
assert told[0].startswith("Error detected in TanhBackward0") and told[-2] == "y = x.tanh()"
assert min(seconds(True) for _ in range(3)) > 1.5 * min(seconds(False) for _ in range(3))

# %% [markdown] tags=["lang-zh"]
# 它说的是 `squash` 里的 `y = x.tanh()`：保存的值被改坏的，就是这个运算。改它的那一行 `y += 1` 还得自己找，但已经很近了。
#
# 每个节点都要记，前向慢了许多，所以平时关着，找错时才打开。

# %% [markdown] tags=["lang-en"]
# It names `y = x.tanh()` in `squash`, the operation whose saved value was overwritten. The line that overwrote it, `y += 1`, is still yours to find, but it is close by.
#
# Recording this for every node makes forward much slower, so keep it off normally and switch it on only to look for an error.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** 笔记本里三格：造 `w`；`loss = (w ** 2).sum(); loss.backward()`；`w = w - 0.1 * w.grad`。从上往下运行一遍，没有错。再单独把后两格运行一次，会怎样？
#
# <details><summary>答案</summary>第三格报错：<code>w.grad</code> 是 <code>None</code>。第一遍之后，<code>w</code> 已经是减法的结果，不是叶子。运行的先后也是病史的一部分：Restart Kernel，从头再来。</details><br>
#
# **2.** 报错是 `does not require grad and does not have a grad_fn`。同学在损失后面加了 `.requires_grad_()`，不报错了。治好了吗？
#
# <details><summary>答案</summary>没有。损失成了一个叶子，梯度到它为止，权重的 <code>.grad</code> 还是 <code>None</code>。路断在更上游，要改那里。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** A notebook has three cells: one makes `w`; then `loss = (w ** 2).sum(); loss.backward()`; then `w = w - 0.1 * w.grad`. Run once from top to bottom, they work. What happens if you run just the last two once more?
#
# <details><summary>Answer</summary>The third cell raises an error: <code>w.grad</code> is <code>None</code>. Since the first round, <code>w</code> has been the result of a subtraction, not a leaf. The order in which cells were run is part of the history, too: Restart Kernel, and start again from the top.</details><br>
#
# **2.** The message is `does not require grad and does not have a grad_fn`. A fellow student puts `.requires_grad_()` after the loss, and the message is gone. Is the patient cured?
#
# <details><summary>Answer</summary>No. The loss has become a leaf, the gradient ends there, and the weights' <code>.grad</code> is still <code>None</code>. The path was cut farther upstream; that is where to fix it.</details>

# %% tags=["proof"]
w = torch.tensor([1.0], requires_grad=True)
(w**2).sum().backward()
w = w - 0.1 * w.grad
(w**2).sum().backward()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    assert w.grad is None
w = torch.ones(2, requires_grad=True)
loss = (w.detach() ** 2).sum().requires_grad_()
loss.backward()
assert w.grad is None and loss.grad.item() == 1.0

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 挑一个病人，写一份病历，四五句话：它的症状（报错，或者哪个数不对）；病根在哪一行，为什么症状不在那一行；一张看起来有效、其实治不好病的方子，以及用什么数能看穿它；最后是你的方子。中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# Choose one patient and write its medical record in four or five sentences: the symptom (a message, or a number that is wrong); the line that is the cause, and why the symptom shows elsewhere; a prescription that seems to work but does not cure, and the number that shows it; and finally your own prescription. In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 病根说对，并且下面两点至少有一点，给 1 分：
# 1. 解释了症状和病根为什么不在同一行（前向记录、反向检查；名字换了张量；累积不报错）。
# 2. 给出一张假方子，并说出能看穿它的数（例如 retain_graph=True 之后 W1 已变而损失仍按旧的 hidden 算；跳过 None 之后 w 一直是 0）。
#
# 参考回答：病人二第二步报“second time”，停在 backward。病根是 hidden 算在循环外：第二步还去走第一步的图，那里保存的值已经释放。照报错加 retain_graph=True 就不报错了，可 hidden 还是最初的 W1 算的，损失和健康的程序从第二步起就不同。我的方子是把 hidden 挪进循环，每一步重新前向。
#
# **Rubric (1 point)** The cause is right, and at least one of these two:
# 1. It explains why symptom and cause are in different lines (forward records, backward checks; a name moved to another tensor; accumulation raises no error).
# 2. It gives a false prescription and the number that shows it (after retain_graph=True W1 has moved while the loss still uses the old hidden; with None skipped, w stays 0).
#
# Model answer: patient two raises "second time" at its second step, in backward. The cause is that hidden is computed outside the loop: the second step walks the first step's graph, whose saved values are gone. With retain_graph=True, as the message says, there is no error, but hidden is still that of the first W1, and from the second step on the losses differ from a healthy program's. I move hidden into the loop, a fresh forward pass each step.
