# %% [markdown] tags=["lang-zh"]
# # 14 · GPU：何时值得
#
# 预计 45 分钟
#
# “搬到 GPU 上就快了。”是吗？多大才快，怎么知道快了？这一课里，你先写出不分设备的代码，再写设备之间传输的梯度，然后学会正确计时，最后算出来：从多大开始才值得。
#
# 没有 GPU 也能学：一切都跑在 NumPy 上，GPU 由一个模拟的设备代替；图里 GPU 的线是在一块 NVIDIA H100 上量好、录下来的，怎么量的写在第 5 节。要是这台机器有 GPU，测时间的格子会真的去量。

# %% [markdown] tags=["lang-en"]
# # 14 · GPU: when it pays
#
# About 45 minutes
#
# "Move it to the GPU and it will be fast." Will it? At what size, and how would you know? In this lesson you first write code that works on any device, then the gradient of a transfer between devices, then time code correctly, and finally work out at what size a GPU starts to pay.
#
# You do not need a GPU. Without one, everything runs on NumPy, with a simulated device in place of the GPU; the GPU's lines in the plots are recorded measurements from an NVIDIA H100, and section 5 says how they were taken. If your machine has a GPU, the timing cells measure it.

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
from autograder.standin import machine
from minigrad.backend import cupy, numpy
from minigrad.ops.convert import moved

# %% [markdown] tags=["lang-zh"]
# 前几课里通过检查的部件，这一课可以接着用：`use_parts("mine")` 接上你写的，`use_parts("reference")` 换回引擎自己的。评分不受影响：前几课的部件，评分时用的总是引擎自己的。

# %% [markdown] tags=["lang-en"]
# Parts of yours that passed in earlier lessons can go on working in this one: `use_parts("mine")` plugs in yours, `use_parts("reference")` goes back to the engine's own. Grading is not affected: in place of those parts it always uses the engine's own.

# %%
from autograder import use_parts

use_parts("mine")

# %% [markdown] tags=["lang-zh"]
# ## 1 · 一个元素要多少时间？
#
# 把两个数组加起来，元素从 1 个到一百万个。元素多到一百倍，时间也要一百倍吗？先猜一猜 1 个元素和 100 个元素各要多久，再运行。

# %% [markdown] tags=["lang-en"]
# ## 1 · How long does one element take?
#
# We add two arrays, first with 1 element each, finally with a million. Do a hundred times as many elements take a hundred times as long? Guess how long 1 element takes, and 100, then run.

# %% tags=["demo"]
import time

import torch

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
print("this machine:", torch.cuda.get_device_name() if GPU else "no GPU that torch can use, so this is the CPU")

each = {}
for n in (1, 100, 10_000, 1_000_000):
    x = torch.ones(n, device=DEVICE)
    y = torch.empty_like(x)
    rounds = []
    for _ in range(50):
        start = time.perf_counter()
        torch.add(x, x, out=y)
        if GPU:
            torch.cuda.synchronize()  # wait until it is done: see section 4
        rounds.append(time.perf_counter() - start)
    each[n] = min(rounds) / n
    print(f"{n:>9} elements: {min(rounds) * 1e6:8.1f} µs a call = {each[n] * 1e9:8.2f} ns an element")

# %% tags=["proof"]
assert each[1] > 10 * each[10_000] or GPU

# %% [markdown] tags=["lang-zh"]
# 1 个和 100 个几乎一样久：调用一次函数，不管里面算多少，都有一笔固定的开销，叫延迟（latency）。元素足够多，这笔开销才可以忽略，才看得出一个元素要多少时间：
#
# $$t = \text{latency} + \frac{\text{bytes}}{\text{bandwidth}}$$
#
# 后一项的分母是带宽（bandwidth）：一秒钟能读写多少字节。GPU 的带宽大得多，延迟也更大（数在第 5 节）。所以“GPU 总是更快”从式子上就说不通：算得少的时候，输在前一项。
#
# 式子里还缺一项：数组在主机内存（host memory）里，得先传过去。讲传输之前，先看数组在哪里。

# %% [markdown] tags=["lang-en"]
# 1 and 100 take nearly the same time: however little there is to compute, every call of a function has a fixed cost, the latency (延迟). Only with so many elements that this cost hardly counts can you see what one element takes:
#
# $$t = \text{latency} + \frac{\text{bytes}}{\text{bandwidth}}$$
#
# The denominator is the bandwidth (带宽): how many bytes can be read and written in a second. A GPU has much more bandwidth, and also more latency (section 5 has figures). So the formula refutes "a GPU is always faster": with little to compute, it loses by the first term.
#
# One term is missing. Arrays are in host memory (主机内存) and have to be transferred first. But before that: where is an array?

# %% [markdown] tags=["lang-zh"]
# ## 2 · 数组在哪个设备上？
#
# 每个张量都有一个设备（device）。torch 有一个设备叫 `meta`，每台机器上都有：上面的张量有形状，没有数。它算不出东西，但很适合用来看看“在另一个设备上”是什么意思。把两个设备上的加起来，会怎样？

# %% [markdown] tags=["lang-en"]
# ## 2 · On which device is an array?
#
# Every tensor has a device (设备). torch has one that exists on every machine, `meta`: tensors on it have a shape, but no numbers. It computes nothing, but it shows what "on another device" means. What happens when you add tensors from two devices?

# %% tags=["demo"]
here, there = torch.ones(2), torch.ones(2, device="meta")
print(here.device, there.device, tuple(there.shape))


def says(program):
    try:
        return program()
    except (AssertionError, RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


print(says(lambda: here + there))
print(says(lambda: there.numpy()))
print(says(lambda: here * torch.tensor(3.0, device="meta")))
print((there * torch.tensor(3.0)).device)

# %% tags=["proof"]
assert says(lambda: here + there) == "RuntimeError: Tensor on device meta is not on the expected device cpu!"
assert says(lambda: there.numpy()).startswith("TypeError: can't convert meta device type tensor to numpy.")
assert says(lambda: here * torch.tensor(3.0, device="meta")).startswith("RuntimeError: Tensor on device meta is not")
assert (there * torch.tensor(3.0)).device.type == "meta" and torch.tensor(3.0).device.type == "cpu"

# %% [markdown] tags=["lang-zh"]
# 两个设备上的数组不能一起算，torch 也不会悄悄替你传。（只有 CPU 上的零维张量例外，它就像一个普通的数，最后一行没有报错；零维的在另一个设备上就不行，倒数第二行照样报错。）`minigrad` 也这样：GPU 上的数组归 CuPy 管，内存里的归 NumPy 管，这两个库的函数名字几乎一样，各管各的数组。
#
# `machine(minigrad)` 让 `minigrad` 以为这台机器有一块 GPU。它其实是模拟的设备（simulated device）：数还在内存里，只是 NumPy 的函数不能用。这一点它比真的 CuPy 还严：调用错了库，当场就报错。

# %% [markdown] tags=["lang-en"]
# You cannot compute with arrays from two devices at once, and torch does not transfer them silently. (A tensor without dimensions on the CPU is the exception: it counts as a plain number, and the last line raised nothing. With the single number on the other device, in the line before it, torch does raise.) The same is true of `minigrad`: arrays on a GPU belong to CuPy, arrays in host memory to NumPy. The two libraries have functions of nearly the same names, each for its own arrays.
#
# `machine(minigrad)` makes `minigrad` believe that this machine has a GPU. It is really a simulated device (模拟的设备): its numbers are in host memory, but NumPy's functions don't work on them. In this it is even stricter than the real CuPy, so that a call to the wrong library fails at once.

# %%
import numpy as np

with machine(minigrad):
    home, away = np.ones(2, np.float32), minigrad.ones(2, device="cuda")
    print(away)
    array = away._data
    print("np.exp, at home:     ", np.exp(home))
    print("np.exp, elsewhere:   ", says(lambda: np.exp(array)))
    print("its own exp:         ", cupy().exp(array).get())
    print("one here, one there: ", says(lambda: minigrad.ones(2) + away))

# %% tags=["proof"]
with machine(minigrad):
    assert says(lambda: np.exp(array)).startswith("TypeError")
    assert np.allclose(cupy().exp(array).get(), np.exp(home))
    assert "same device" in says(lambda: minigrad.ones(2) + away)

# %% [markdown] tags=["lang-zh"]
# 引擎里的函数不用写两遍，只要先问：这个数组归哪个库管？写出 `array_module`，它返回管这个数组的模块（module）：`numpy`，或者 `cupy()`。
#
# `cupy()` 是现成的，它返回 CuPy；没有装、或者没有 GPU，就返回 `None`。CuPy 的数组，类型是 `cupy().ndarray`。注意三件事：机器上有 GPU，不等于这个数组在 GPU 上；NumPy 的数组求和，得到的不是数组，是 NumPy 自己的数，类型是 `numpy.generic`；普通的浮点数归 `numpy`。
#
# 例子：`array_module(np.ones(2))` 是 `numpy`。有了它，下面这样的函数在哪个设备上都能跑：

# %% [markdown] tags=["lang-en"]
# To avoid writing the engine's functions twice, they first ask which library the array belongs to. Write `array_module`. It returns the module (模块) that the array belongs to: `numpy`, or `cupy()`.
#
# `cupy()` already exists; it returns CuPy, or `None` if CuPy is not installed or there is no GPU. The type of CuPy's arrays is `cupy().ndarray`. Three things to watch: a machine may have a GPU without this array being on it; the sum of a NumPy array is not an array, but a number of NumPy's own, of type `numpy.generic`; and plain floats belong to `numpy`.
#
# Example: `array_module(np.ones(2))` is `numpy`. With it, a function like this one runs on either device:


# %%
def softplus(x):
    module = minigrad.backend.array_module(x)
    return module.maximum(x, 0.0) + module.log1p(module.exp(-module.abs(x)))


# %% nbgrader={"grade_id": "array_module", "solution": true}
@implements("minigrad.backend.array_module")
def array_module(array):
    """The module whose functions work on this array: numpy, or cupy() for an array on a GPU.

    array: a NumPy array or one of NumPy's numbers, an array of CuPy's (its type is cupy().ndarray), or a float.
    cupy() is None where there is no CuPy or no GPU. CuPy itself calls such a function cupy.get_array_module.
    Example: array_module(numpy.ones(2))  ->  numpy
    """
    ### BEGIN SOLUTION
    if isinstance(array, (numpy.ndarray, numpy.generic)):
        return numpy
    module = cupy()
    return module if module is not None and isinstance(array, module.ndarray) else numpy
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_where_arrays_live", "grade": true, "points": 2}
check("where_arrays_live")

# %% nbgrader={"grade_id": "check_one_code_two_homes", "grade": true, "points": 2}
check("one_code_two_homes")

# %% [markdown] tags=["lang-zh"]
# 前面的 `softplus` 真的在哪个设备上都能跑吗？给它一个内存里的数组，再给一个模拟的设备上的：

# %% [markdown] tags=["lang-en"]
# Does the `softplus` from before really run on either device? Give it an array in host memory, then one on the simulated device:

# %%
with machine(minigrad):
    print("at home:  ", softplus(home))
    print("elsewhere:", softplus(array).get())

# %% tags=["proof"]
with machine(minigrad):
    assert np.allclose(softplus(home), softplus(array).get())

# %% [markdown] tags=["lang-zh"]
# ## 3 · 传到另一个设备，也是一个运算吗？
#
# `x.to(device)` 是把 `x` 移走，还是造一个新张量？下面把一个张量转换三次：到它本来就在的 `cpu`，到另一个设备 `meta`，再就是换一个类型。猜猜得到的哪几个还是叶子（leaf）：

# %% [markdown] tags=["lang-en"]
# ## 3 · Is a transfer an operation, too?
#
# Does `x.to(device)` move `x`, or create a new tensor? Below, a tensor is converted three times: to `cpu`, where it already is; to `meta`, another device; and to another dtype. Guess which results are still leaves (叶子):

# %% tags=["demo"]
w = torch.rand(3, requires_grad=True)
ways = {"cpu": w.to("cpu"), "meta": w.to("meta"), "float64": w.to(torch.float64)}
for name, arrived in ways.items():
    print(f"to {name:<8} the same object: {arrived is w!s:<6} leaf: {arrived.is_leaf!s:<6} {arrived.grad_fn}")

(3 * ways["float64"]).sum().backward()
print(w.grad, w.grad.dtype)

# %% tags=["proof"]
assert ways["cpu"] is w
for name in ("meta", "float64"):
    assert not ways[name].is_leaf and ways[name].grad_fn.name() == "ToCopyBackward0"
assert w.grad.tolist() == [3.0, 3.0, 3.0] and w.grad.dtype == torch.float32

# %% [markdown] tags=["lang-zh"]
# 已经在那里，就原样返回；要转换，就造一个新的，由 `ToCopyBackward0` 记进计算图（computational graph）。反向时，梯度也要转换回去：`w` 是 float32，它的梯度也是。换设备用的是同一种节点，道理也一样。
#
# 这里有一个坑。`w = torch.rand(3, requires_grad=True).to(DEVICE)` 在没有 GPU 的机器上好好的，`w` 就是那个叶子；换到有 GPU 的机器上，`w` 成了转换的结果，`w.grad` 永远是 `None`。同一行代码，在两台机器上结果不同。要写 `torch.rand(3, device=DEVICE, requires_grad=True)`。
#
# 看看模拟的设备上的图。有几处传输，叶子各在哪个设备上？

# %% [markdown] tags=["lang-en"]
# If it is there already, you get the very same tensor; if it has to be converted, a new one is created, and `ToCopyBackward0` records that in the computational graph (计算图). In backward, the gradient is converted back: `w` is float32, and so is its gradient. Changing the device gives the same kind of node, for the same reason.
#
# Here is a trap. `w = torch.rand(3, requires_grad=True).to(DEVICE)` is fine on a machine without a GPU, where `w` is that very leaf; on one with a GPU, `w` is the result of a transfer, and `w.grad` always stays `None`. The same line behaves differently on the two machines. Write `torch.rand(3, device=DEVICE, requires_grad=True)` instead.
#
# Look at a graph on the simulated device. How many transfers are there, and on which device is each leaf?

# %% tags=["picture"]
from minigrad.viz import draw

with machine(minigrad):
    x = minigrad.ones(2, 3)
    first = minigrad.ones(3, 3, requires_grad=True)
    second = minigrad.ones(3, 1, device="cuda", requires_grad=True)
    hidden = (x @ first).tanh()
    loss = (hidden.to("cuda") @ second).to("cpu").mean()
    loss.backward()
    print("first: ", first.device, "  gradient:", first.grad.device)
    print("second:", second.device, "  gradient:", second.grad.device)
draw(loss, params={"first": first, "second": second, "hidden": hidden, "loss": loss}, show=["shapes"])

# %% tags=["proof"]
assert first.grad.device == first.device and second.grad.device == second.device != first.device

# %% [markdown] tags=["lang-zh"]
# 写出 `move_vjp`：传输的反向（backward）。`home` 是张量原来的设备，`grad` 是到达的梯度，在另一个设备上。`home` 是设备对象，不是字符串。
#
# `moved(x, device)` 是现成的，把 `x` 传到一个设备；数组可以传，`create_graph=True` 时带着历史的张量也可以。
#
# 例子：`x` 在 `cpu`，`y = x.cuda()`，到 `y` 的梯度是 GPU 上的 `[3, 3]`；`home` 是 `cpu`，返回内存里的 `[3, 3]`。

# %% [markdown] tags=["lang-en"]
# Write `move_vjp`, the backward (反向) of a transfer. `home` is the device the tensor came from, `grad` the gradient that arrives, on the other device. `home` is a device object, not a string.
#
# `moved(x, device)` already exists and transfers `x` to a device; it takes arrays and, under `create_graph=True`, tensors with their history.
#
# Example: `x` is on `cpu`, `y = x.cuda()`, and the gradient that reaches `y` is `[3, 3]` on the GPU; `home` is `cpu`, and you return `[3, 3]` in host memory.


# %% nbgrader={"grade_id": "move_vjp", "solution": true}
@implements("minigrad.ops.convert.move_vjp")
def move_vjp(grad, home):
    """The gradient of x.to(device), of x.cuda() and of x.cpu(): what arrived there, brought home.

    grad: the gradient of the moved tensor, an array or a Tensor, on that tensor's device.
    home: a device, where x is; what is returned must be there, too.  In torch: the rule of ToCopyBackward0.
    Example: grad = [3., 3.] on cuda:0, home = cpu  ->  [3., 3.] on the CPU
    """
    ### BEGIN SOLUTION
    return moved(grad, home)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_transfer_gradient", "grade": true, "points": 3}
check("transfer_gradient")

# %% [markdown] tags=["lang-zh"]
# 再来一个网络：两层在两个设备上，每一步梯度都要传输两次，训练三步。

# %% [markdown] tags=["lang-en"]
# Next comes a network with its two layers on two devices: at each of three training steps, gradients are transferred twice.

# %% nbgrader={"grade_id": "check_network_elsewhere", "grade": true, "points": 3}
check("network_elsewhere")

# %% [markdown] tags=["lang-zh"]
# ## 4 · 算完了吗？
#
# GPU 和 Python 各算各的。Python 把任务提交给 GPU 就立刻返回，不等它算完，这叫异步（asynchronous）。那么，刚提交完就看时间，量到的是什么？
#
# 不用 GPU 也能看见：下面的 `Helper` 是另一条线程，收到任务立刻返回，在后台计算。它不比 CPU 快，但同样是异步的。下面几个时间，猜猜哪个最短，哪个才是真的：

# %% [markdown] tags=["lang-en"]
# ## 4 · Has it finished?
#
# A GPU works on its own. Python submits a task and returns at once, without waiting for it to finish; this is called asynchronous (异步). So if you read the clock right after submitting, what have you measured?
#
# You can see it even without a GPU: `Helper` below is another thread, which accepts a task, returns at once and computes in the background. It is no faster than the CPU, but it is just as asynchronous. Among the times below, guess which is the shortest, and which is the true one:

# %%
from concurrent.futures import ThreadPoolExecutor


class Helper:
    """A device made of one thread."""

    def __init__(self):
        self.thread, self.tasks = ThreadPoolExecutor(1), []

    def launch(self, work):
        self.tasks.append(self.thread.submit(work))

    def synchronize(self):
        while self.tasks:
            self.tasks.pop().result()


helper = Helper()
square = np.random.default_rng(0).random((300, 300))


def work():
    for _ in range(3):
        square @ square


for name in ("the first time", "the second time"):
    start = time.perf_counter()
    helper.launch(work)
    submitted = time.perf_counter() - start
    helper.synchronize()
    done = time.perf_counter() - start
    print(f"{name}: submitted after {submitted * 1e6:6.0f} µs, finished after {done * 1e6:6.0f} µs")

start = time.perf_counter()
work()
print(f"without the helper: {(time.perf_counter() - start) * 1e6:6.0f} µs")

# %% tags=["proof"]
import threading

gate = threading.Event()
helper.launch(gate.wait)
assert helper.tasks and not helper.tasks[0].done()  # launch has returned, the work is not done
gate.set()
helper.synchronize()
assert helper.tasks == []

# %% [markdown] tags=["lang-zh"]
# 看第二行：提交几乎不花时间，这时计算才刚开始。很多人量的就是前一个时间，于是以为 GPU 很快。要等它算完，这叫同步（synchronise）：torch 里是 `torch.cuda.synchronize()`，`minigrad` 里是 `minigrad.cuda.synchronize()`。
#
# 第一行里，连提交也可能很慢：线程要先启动；换成 GPU，要先装载、编译。所以计时有四条规则：
#
# 1. 先做一次预热（warm-up），不计时，并且等它算完。
# 2. 记下时间，运行，等它算完，再记一次。
# 3. 重复几次。
# 4. 取最短的一次：别的程序只会让你变慢，不会让你变快。

# %% [markdown] tags=["lang-en"]
# Look at the second line: submitting takes almost no time, and the work has hardly begun. Many people measure just that and think the GPU is fast. You have to wait until the work is done, that is, synchronise (同步): `torch.cuda.synchronize()` in torch, `minigrad.cuda.synchronize()` in `minigrad`.
#
# In the first line even submitting may be slow, because the thread has to start; with a GPU, there are things to load and to compile. So there are four rules for timing:
#
# 1. Do one warm-up (预热), without timing it, and wait until it is done.
# 2. Read the clock, run, wait until it is done, read the clock.
# 3. Repeat this a few times.
# 4. Take the shortest: other programs can only slow you down, never speed you up.

# %% [markdown] tags=["lang-zh"]
# 写出 `best_seconds`，四条规则都在里面。`action()` 提交任务，`wait()` 等它算完，`clock()` 返回现在的时间，单位是秒。时钟和等待都由调用的人给，所以同一个函数 CPU、GPU、模拟的设备都能测。
#
# 例子：`repeats` 是 3，预热之后三次各用 5、4、6 秒，返回 4。

# %% [markdown] tags=["lang-en"]
# Write `best_seconds`, which follows all four rules. `action()` submits a task, `wait()` waits until it is done, `clock()` returns the current time in seconds. The caller supplies both the clock and the waiting, so the same function can time a CPU, a GPU or a simulated device.
#
# Example: `repeats` is 3, and after the warm-up the three runs take 5, 4 and 6 seconds; return 4.


# %% nbgrader={"grade_id": "best_seconds", "solution": true}
@implements("minigrad.timing.best_seconds")
def best_seconds(action, wait, clock, repeats):
    """The seconds one run of action takes until it is done: the shortest of repeats, after a warm-up.

    action(), wait(): what they return does not matter.  clock(): a float, seconds.  repeats: an int, at least 1.
    torch has torch.utils.benchmark.Timer for this.
    Example: runs of 5., 4. and 6. seconds after the warm-up, repeats = 3  ->  4.
    """
    ### BEGIN SOLUTION
    action()
    wait()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        wait()
        times.append(clock() - start)
    return min(times)
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_honest_timing", "grade": true, "points": 3}
check("honest_timing")

# %% [markdown] tags=["lang-zh"]
# 用它给 `Helper` 计时：等它算完，和不等。先猜差多少倍：

# %% [markdown] tags=["lang-en"]
# Use it to time the `Helper`, once waiting and once not. Guess by what factor they differ:

# %%
best = minigrad.timing.best_seconds
honest = best(lambda: helper.launch(work), helper.synchronize, time.perf_counter, 5)
hasty = best(lambda: helper.launch(work), lambda: None, time.perf_counter, 5)
helper.synchronize()
print(f"with wait {honest * 1e6:.0f} µs, without {hasty * 1e6:.0f} µs: {honest / hasty:.0f} times too fast")

# %% [markdown] tags=["lang-zh"]
# ## 5 · 从多大开始值得？
#
# 现在可以比了。先量这台机器的 CPU：加法和矩阵乘法，从小到大，都用你的 `best_seconds`。

# %% [markdown] tags=["lang-en"]
# ## 5 · At what size does it start to pay?
#
# Now we can compare. First we measure this machine's CPU: additions and matrix products from small to large, all timed by your `best_seconds`.

# %%
counts = [10**k for k in range(2, 8)]  # elements of a vector
sides = [2**k for k in range(4, 11)]  # rows of a square matrix


def add(T, x, y, z):
    T.add(x, y, out=z)


def product(T, x, y, z):
    T.matmul(x, y, out=z)


def on_cpu(f, shape):
    x, y, z = (np.ones(shape, np.float32) for _ in range(3))
    return best(lambda: f(np, x, y, z), lambda: None, time.perf_counter, 7)


cpu_add = [on_cpu(add, n) for n in counts]
cpu_product = [on_cpu(product, (n, n)) for n in sides]
for n, seconds in zip(counts, cpu_add):
    print(f"add {n:>9} elements: {seconds * 1e6:9.1f} µs")

# %% [markdown] tags=["lang-zh"]
# 再看 GPU。有 GPU 就实测；没有，就用录下来的：在一台有 NVIDIA H100 的机器上，用 torch 2.11 量的，命令是 `python -m benchmarks.engine --cuda`。那台机器的 CPU 不是你的，所以两边只能粗略地比。
#
# 要比两种情形：数组已经在 GPU 上；或者从内存传过去，算完再传回来。先猜：一千万个元素的加法，后一种要多花几倍的时间？

# %% [markdown] tags=["lang-en"]
# Now the GPU. If there is one, we measure it; if not, we take recorded figures: from a machine with an NVIDIA H100, measured with torch 2.11 by the command `python -m benchmarks.engine --cuda`. Its CPU is not yours, so the two can only be compared roughly.
#
# There are two cases: the arrays are on the GPU already, or they are transferred there from host memory and the result is transferred back. Guess: for an addition of ten million elements, by what factor is the second case slower?

# %% tags=["demo"]
RECORDED = {  # seconds; additions of 10**2 to 10**7 elements, products of matrices of 16 to 4096 rows
    ("add", "NumPy, one core"): [8.06e-6, 8.6e-6, 11.9e-6, 38.8e-6, 682e-6, 14900e-6],
    ("add", "already there"): [16.9e-6, 17.2e-6, 16.9e-6, 16.9e-6, 20.2e-6, 58e-6],
    ("add", "with transfers"): [58.3e-6, 60e-6, 77.1e-6, 198e-6, 1240e-6, 15100e-6],
    ("add", "pinned"): [55.1e-6, 55.4e-6, 60.4e-6, 82.7e-6, 283e-6, 2420e-6],
    ("product", "already there"): [20.8e-6, 25.5e-6, 29e-6, 24.9e-6, 29.4e-6, 36.4e-6, 78.1e-6, 358e-6, 2700e-6],
    ("product", "with transfers"): [62.4e-6, 69.5e-6, 76.4e-6, 98e-6, 149e-6, 407e-6, 1300e-6, 6250e-6, 26200e-6],
    "add, 50000×10000": {
        "NumPy, one core": 0.726,
        "already there": 0.00198,
        "with transfers": 0.653,
        "from pinned memory": 0.112,
    },
}

gpu_sides = sides + [2048, 4096]


def measured(f, shape, moving):
    here = [torch.ones(shape) for _ in range(3)]
    there = [t.cuda() for t in here]

    def act():
        if moving:
            for to, of in zip(there[:2], here[:2]):
                to.copy_(of)
        f(torch, *there)
        if moving:
            here[2].copy_(there[2])

    return best(act, torch.cuda.synchronize, time.perf_counter, 5)


def on_gpu(moving):
    if GPU:
        return [measured(add, n, moving) for n in counts], [measured(product, (n, n), moving) for n in gpu_sides]
    return [RECORDED[name, "with transfers" if moving else "already there"] for name in ("add", "product")]


source = "measured here" if GPU else "recorded, NVIDIA H100"
gpu_add, gpu_product = on_gpu(False)
moving_add, moving_product = on_gpu(True)
print("GPU:", source)
print(f"add 10 000 000 elements: {gpu_add[-1] * 1e6:.0f} µs, with transfers {moving_add[-1] * 1e6:.0f} µs")

# %% tags=["proof"]
assert GPU or moving_add[-1] > 100 * gpu_add[-1]

# %% [markdown] tags=["lang-zh"]
# 在 H100 上是两百多倍。第 1 节的式子说得出这个数吗？给它添上计算和传输两项，参数照 NVIDIA H100 SXM 的公开规格写，都是峰值；只有延迟，规格表里没有，是我们假设的。四个数里有一个离实际很远，猜猜是哪个：

# %% [markdown] tags=["lang-en"]
# On the H100, over two hundred times. Could the formula of section 1 have told us? Add terms for arithmetic and for transfers, with numbers from the public data sheet of NVIDIA's H100 SXM, which are all peak values; only the latency is not in the data sheet, and is our assumption. One of the four numbers is far from reality. Guess which:

# %% tags=["demo"]
MEMORY = 3.35e12  # bytes a second, the GPU's own memory
ARITHMETIC = 67e12  # float32 additions or multiplications a second
BUS = 64e9  # bytes a second each way between host memory and GPU: PCIe 5, 16 lanes
LATENCY = 10e-6  # seconds a call: an assumption


def model(elements, operations, on_the_bus, bus=BUS):
    """Seconds for an operation on three float32 arrays of so many elements, on_the_bus of them being transferred."""
    return (
        LATENCY + max(3 * 4 * elements / MEMORY, operations / ARITHMETIC) + on_the_bus * (LATENCY + 4 * elements / bus)
    )


n, rows = counts[-1], gpu_sides[-1]
for what, timed, modelled in (
    ("add, 100 elements", gpu_add[0], model(counts[0], counts[0], 0)),
    ("add, 10 000 000 elements", gpu_add[-1], model(n, n, 0)),
    ("product, 4096 rows", gpu_product[-1], model(rows**2, 2 * rows**3, 0)),
    ("add with transfers", moving_add[-1], model(n, n, 3)),
):
    print(f"{what:<26} {timed * 1e6:8.0f} µs   model {modelled * 1e6:8.0f} µs   ratio {timed / modelled:.1f}")

# %% tags=["proof"]
assert GPU or 1.3 < gpu_add[0] / model(counts[0], counts[0], 0) < 2
assert GPU or 1 < gpu_add[-1] / model(n, n, 0) < 1.4
assert GPU or 1 < gpu_product[-1] / model(4096**2, 2 * 4096**3, 0) < 1.4
assert GPU or moving_add[-1] > 4 * model(n, n, 3)
assert model(10**7, 10**7, 3) > 30 * model(10**7, 10**7, 0)

# %% [markdown] tags=["lang-zh"]
# 在 H100 上，前三行差不到一倍，差得最多的是我们自己假设的延迟；式子大体是对的。离谱的是 `BUS`：规格说每秒 64 GB，实际传得慢好几倍。
#
# 普通内存里的数组，操作系统随时可以挪走，GPU 不能直接读，驱动程序只好先抄一份到不会挪的地方。
#
# 数组也可以一开始就放在那种地方，这叫锁页内存（pinned memory），torch 里写 `x.pin_memory()`。会快多少？

# %% [markdown] tags=["lang-en"]
# On the H100, the first three rows differ by less than a factor of two, most in the latency, which was our own assumption; so the formula is about right. What is far off is `BUS`: the data sheet says 64 GB a second, and the real transfer is several times slower.
#
# The operating system may move an array in ordinary memory at any time, so a GPU cannot read it directly, and the driver first copies it to a place that stays put.
#
# Arrays can be in such a place from the start; this is called pinned memory (锁页内存), and in torch you write `x.pin_memory()`. How much faster is that?

# %%
pinned = RECORDED["add", "pinned"][-1]
for what, seconds in (("ordinary memory", RECORDED["add", "with transfers"][-1]), ("pinned memory", pinned)):
    print(f"{what:<15}: {seconds * 1e6:6.0f} µs, {3 * 4 * 10**7 / seconds / 1e9:.0f} GB a second")
print(f"the model      : {model(n, n, 3) * 1e6:6.0f} µs")

# %% tags=["proof"]
assert 1 < pinned / model(n, n, 3) < 1.4
assert 24 < pinned / RECORDED["add", "already there"][-1] < 100  # dozens of times

# %% [markdown] tags=["lang-zh"]
# 快了好几倍，模型也说中了；可是和加法本身比，传输仍然要花几十倍的时间。

# %% [markdown] tags=["lang-en"]
# Several times faster, and about what the model says; but compared with the addition itself, the transfers still take dozens of times as long.

# %% [markdown] tags=["lang-zh"]
# 写出 `crossover`，找出转折点（crossover）：从哪个大小起，`there` 比 `here` 快，而且往后每一个都快。中间碰巧快一次不算，一样快也不算。没有这样的大小，返回 `None`。
#
# 例子：`sizes` 是 `[10, 100, 1000]`，`here` 是 `[1, 2, 9]`，`there` 是 `[3, 1, 4]`，返回 100。

# %% [markdown] tags=["lang-en"]
# Write `crossover`, which finds the crossover (转折点): the smallest size such that, at it and at every larger one, `there` is faster than `here`. Being faster by chance in between does not count, nor does a tie. If there is no such size, return `None`.
#
# Example: if `sizes` is `[10, 100, 1000]`, `here` is `[1, 2, 9]` and `there` is `[3, 1, 4]`, return 100.


# %% nbgrader={"grade_id": "crossover", "solution": true}
@implements("minigrad.timing.crossover")
def crossover(sizes, here, there):
    """The smallest size such that `there` takes less time than `here` at it and at every larger one; None if there is none.

    sizes: a growing list of ints, not empty.  here, there: lists of floats, the seconds at each size.
    Example: sizes = [10, 100, 1000], here = [1., 2., 9.], there = [3., 1., 4.]  ->  100
    """
    ### BEGIN SOLUTION
    found = None
    for size, slow, fast in zip(reversed(sizes), reversed(here), reversed(there), strict=True):
        if fast >= slow:
            break
        found = size
    return found
    ### END SOLUTION


# %% nbgrader={"grade_id": "check_crossover_size", "grade": true, "points": 2}
check("crossover_size")

# %% nbgrader={"grade_id": "check_when_it_pays", "grade": true, "points": 2}
check("when_it_pays")

# %% [markdown] tags=["lang-zh"]
# 画出来。虚线和点线之间的距离就是传输的代价。加法和矩阵乘法，哪一个受传输的影响更大？先猜。

# %% [markdown] tags=["lang-en"]
# Plot it. The distance between the dashed and the dotted line is the cost of the transfers. Which of the two suffers more from it, the addition or the matrix product? Guess.

# %% tags=["picture"]
from autograder.plots import row

for name, sizes, cpu, gpu, moving in (
    ("add, elements", counts, cpu_add, gpu_add, moving_add),
    ("product, rows", sides, cpu_product, gpu_product, moving_product),
):
    for what, times in (("already there", gpu), ("with transfers", moving)):
        found = minigrad.timing.crossover(sizes, cpu, times[: len(sizes)])
        print(f"{name:<14} {what:<15} pays from {found}   (GPU: {source})")

kind = "实测 · measured" if GPU else "H100 录下 · recorded"
labels = [
    ("元素 · elements", "秒 · seconds", "加法 · addition"),
    ("矩阵的行数 · rows of the matrix", "秒 · seconds", "矩阵乘法 · matrix product"),
]
left, right = row(labels)
for ax, sizes, gpu_sizes, cpu, gpu, moving in (
    (left, counts, counts, cpu_add, gpu_add, moving_add),
    (right, sides, gpu_sides, cpu_product, gpu_product, moving_product),
):
    ax.plot(sizes, cpu, "o-", label="CPU 实测 · measured")
    ax.plot(gpu_sizes, gpu, "s--", label=f"GPU {kind}")
    ax.plot(gpu_sizes, moving, "^:", label=f"GPU + 传输 · transfers, {kind}")
    ax.set_xscale("log")
    ax.set_yscale("log")
_ = left.legend(fontsize="small")

# %% [markdown] tags=["lang-zh"]
# 数组小的时候，CPU 更快：GPU 每次调用至少要一个延迟。数组大、又已经在 GPU 上的时候，两种运算都值得。
#
# 加上传输就不一样了。加法里每个元素只用一次，却有三次传输；在 H100 上，一千万个元素时，传输的时间是计算的两百多倍。从普通内存传，和那台机器自己的一个 CPU 核比，小一些的都输，一千万个元素时也只是打平：15.1 毫秒对 14.9 毫秒。
#
# 上面印出的是和你这台机器比；CPU 慢一些，最大的那个也许就值得了。
#
# 矩阵乘法越大，每个元素用到的次数越多，到了几千行，两条线又靠近了。
#
# 所以不是“GPU 总是更快”，也不只是“大了就快”，而是：传一次，算很多次，才值得。权重和数据传过去就留在那里，不要每一步来回传。
#
# 有一份笔记把两个 50000×10000 的矩阵传到 GPU 上，加一次，觉得没快多少，就说矩阵太小。各有五亿个元素，还小吗？先猜时间花在哪里，再看 H100 那台机器上的：

# %% [markdown] tags=["lang-en"]
# For small arrays the CPU is faster: a GPU needs at least one latency per call. For large arrays that are on the GPU already, both operations pay.
#
# Transfers change that. An addition uses each element once but needs three transfers; on the H100, for ten million elements, they take over two hundred times as long as the computation. From ordinary memory, against one CPU core of that machine, it loses at every smaller size and only breaks even at ten million: 15.1 ms against 14.9 ms.
#
# The lines printed above compare with your machine; if its CPU is slower, the largest size may pay.
#
# The larger a matrix product, the more often each element is used, and at a few thousand rows the two lines come closer again.
#
# So it is neither "a GPU is always faster" nor just "faster when large": it pays to transfer once and compute many times. Transfer the weights and the data once and leave them there, instead of transferring them back and forth at every step.
#
# One set of notes transfers two matrices of 50000×10000 to the GPU, adds them once, sees little gain, and concludes that the matrices are too small. Half a billion elements each: is that small? Guess where the time goes, then look at the machine with the H100:

# %%
for what, seconds in RECORDED["add, 50000×10000"].items():
    print(f"{what:<28} {seconds * 1e3:6.1f} ms")

# %% tags=["proof"]
large = RECORDED["add, 50000×10000"]
assert large["NumPy, one core"] > 6 * large["from pinned memory"] > 6 * 50 * large["already there"]
assert large["with transfers"] > 0.5 * large["NumPy, one core"] > 50 * large["already there"]
assert all(
    times > seconds for times, seconds in zip(RECORDED["add", "with transfers"], RECORDED["add", "NumPy, one core"])
)
largest = [RECORDED["add", how][-1] for how in ("already there", "with transfers", "NumPy, one core")]
assert (largest[1] - largest[0]) / largest[0] > 200 and [round(s * 1e3, 1) for s in largest[1:]] == [15.1, 14.9]
ratio = [slow / fast for slow, fast in zip(RECORDED["product", "with transfers"], RECORDED["product", "already there"])]
assert ratio[-1] < 0.7 * max(ratio) and ratio.index(max(ratio)) not in (0, len(ratio) - 1)

# %% [markdown] tags=["lang-zh"]
# 加法只要两毫秒；从普通内存传，却要几百毫秒，和一个 CPU 核自己加一遍差不了多少。换成锁页内存，一共 112 毫秒，比一个核快了六倍多，可其中约 110 毫秒还是传输。不是太小，是传得太多，算得太少。
#
# 再拿模型试试：`model(n, n, 3, bus=…)` 里换几个 `bus`，看看传输要快到多少，五亿个元素的加法才值得传。

# %% [markdown] tags=["lang-en"]
# The addition takes two milliseconds; from ordinary memory the transfers take hundreds, about as long as one CPU core takes to do it itself. From pinned memory it is 112 milliseconds in all, over six times as fast as that core, but some 110 of them are still transfers. The problem is not the size: too much was transferred, and too little computed.
#
# Now use the model: try some values of `bus` in `model(n, n, 3, bus=…)`. How fast would transfers have to be for half a billion additions to be worth them?

# %%
n = 50_000 * 10_000
for bus in (10e9, 64e9, 500e9):
    print(f"bus {bus / 1e9:5.0f} GB a second: {model(n, n, 3, bus) * 1e3:7.1f} ms")

# %% tags=["proof"]
assert model(n, n, 3, 8e9) > large["NumPy, one core"] > model(n, n, 3, 10e9)
assert model(n, n, 3, 500e9) > 5 * large["already there"]

# %% [markdown] tags=["lang-zh"]
# 和一个核的 726 毫秒比，每秒 10 GB 就够了；和加法自己的两毫秒比，每秒 500 GB 还不够。所以先要问：和谁比？

# %% [markdown] tags=["lang-en"]
# Against one core's 726 ms, 10 GB a second is enough; against the two milliseconds of the addition itself, even 500 GB is not. So first ask: compared with what?

# %% [markdown] tags=["lang-zh"]
# ## 6 · torch 其实是怎么做的
#
# torch 也有自己的计时工具。先猜：它在读时间之前做了什么？再读源代码，并看看没有 GPU 的机器上，`synchronize` 会报什么错：

# %% [markdown] tags=["lang-en"]
# ## 6 · What torch really does
#
# torch has a timing tool of its own. Guess: what does it do before it reads the clock? Then look at the source, and at the error that `synchronize` raises on a machine without a GPU:

# %% tags=["demo"]
import inspect

import torch.utils.benchmark

print(inspect.getsource(torch.utils.benchmark.timer))
print("torch.cuda.synchronize():", says(torch.cuda.synchronize))

small = torch.utils.benchmark.Timer("x + x", globals={"x": torch.ones(1)}).timeit(100)
print(f"one addition of one element, by torch's own tool: {small.mean * 1e6:.1f} µs")

# %% tags=["proof"]
before, synchronized, after = inspect.getsource(torch.utils.benchmark.timer).partition("synchronize()")
assert synchronized and "timeit.default_timer()" not in before and "timeit.default_timer()" in after
without = "AssertionError: Torch not compiled with CUDA enabled"
assert GPU or torch.version.cuda is not None or says(torch.cuda.synchronize) == without
assert 0 < small.mean < 1e-2
assert not hasattr(small, "min") and hasattr(small, "median")
assert "Warmup" in inspect.getsource(torch.utils.benchmark.Timer.timeit)

# %% [markdown] tags=["lang-zh"]
# 先同步，再读时间，和你写的一样。预热它也做；第四条却不同：它报的是平均数和中位数，不取最短的。

# %% [markdown] tags=["lang-en"]
# Synchronise first, then read the clock: just as in your function. It warms up, too; only the fourth rule differs: it reports the mean and the median, not the shortest.

# %% [markdown] tags=["lang-zh"]
# ## 自测
#
# **1.** 同学在自己的电脑上写好了 `w = torch.rand(3, requires_grad=True).to(DEVICE)`，`optimizer = torch.optim.SGD([w], lr=0.1)`，训练正常。到了有 GPU 的机器上，会在哪一行报错？
#
# <details><summary>答案</summary>创建优化器的那一行：<code>w</code> 是转换的结果，不是叶子，SGD 不接受。在他的电脑上 <code>.to</code> 什么也没做，所以没事。</details><br>
#
# **2.** 有人报告：两个 4096×4096 的 float32 矩阵，在一块峰值每秒 67 万亿次的 GPU 上相乘，只用了 20 微秒。信吗？
#
# <details><summary>答案</summary>不信。要算 2·4096³ 次；20 微秒算完，就是每秒 6872 万亿次，是峰值的一百多倍。他没有等它算完。</details>

# %% [markdown] tags=["lang-en"]
# ## Test yourself
#
# **1.** On their own computer, a fellow student wrote `w = torch.rand(3, requires_grad=True).to(DEVICE)`, `optimizer = torch.optim.SGD([w], lr=0.1)`, and training works. On a machine with a GPU, which line will raise an error?
#
# <details><summary>Answer</summary>The one that creates the optimizer: <code>w</code> is the result of a transfer, not a leaf, and SGD does not accept it. On their own computer <code>.to</code> did nothing, so all was well.</details><br>
#
# **2.** Somebody reports that it took only 20 microseconds to multiply two float32 matrices of 4096×4096, on a GPU with a peak of 67 trillion operations a second. Do you believe it?
#
# <details><summary>Answer</summary>No. It takes 2·4096³ operations; doing them in 20 microseconds would mean 6872 trillion a second, more than a hundred times the peak. They did not wait until the work was done.</details>

# %% tags=["proof"]
try:
    torch.optim.SGD([torch.rand(3, requires_grad=True).to("meta")], lr=0.1)
    raise AssertionError
except ValueError as error:
    assert str(error) == "can't optimize a non-leaf Tensor"
torch.optim.SGD([torch.rand(3, requires_grad=True).to("cpu")], lr=0.1)
assert round(2 * 4096**3 / 20e-6 / 1e12) == 6872
assert 2 * 4096**3 / 20e-6 / ARITHMETIC > 100

# %% [markdown] tags=["lang-zh"]
# ## 想一想，写下来
#
# 同学把一个很小的网络搬到了 GPU 上，每一步都把一批 32 条数据 `.to("cuda")`，再打印 `loss.item()`。他量了一下，一步比 CPU 还慢；又听说“不打印就快了”，于是在 `backward()` 之后直接读时间，果然快了十倍。用四五句话告诉他：慢在哪几处，“快了十倍”是怎么来的，怎样测才准，怎样改才可能真的值得。中文英文都行。这一格由老师评阅，1 分。

# %% [markdown] tags=["lang-en"]
# ## Think, then write
#
# A fellow student has moved a very small network to a GPU. At each step they move a batch of 32 examples with `.to("cuda")` and print `loss.item()`. They measure a step, and it is slower than on the CPU. Then they hear that "it is fast without printing" and read the clock right after `backward()`: it seems ten times faster. Tell them in four or five sentences where the time goes, where "ten times" comes from, how to measure correctly, and what to change so that a GPU may pay. In Chinese or English. A teacher reads this cell; it is worth 1 point.

# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# **评分标准（1 分）** 四点里说清三点（其中必须有第 2 点），给 1 分：
# 1. 慢的原因：网络小，每个运算都要付一次延迟；每一步还要传一批数据。
# 2. “快十倍”是假的：GPU 异步，读时间时还没算完；`item()` 要等结果，所以打印的时候时间才显出来。
# 3. 测法：预热，等，读时间，运行，再等，再读时间，重复取最短。
# 4. 改法：数据一次传过去留在那里；批次加大，让每次调用算得更多；少取 `item()`。或者干脆留在 CPU 上。
#
# 参考回答：网络太小，每个运算省下的时间抵不上延迟，每一步还要传一次数据，所以比 CPU 慢。不打印就“快十倍”，是因为 Python 提交完任务就返回，你读时间的时候 GPU 还在算；item() 要把数取回来，只好等，时间就算在它头上。先预热，读时间之前调用 torch.cuda.synchronize()，多量几次取最短，再和 CPU 比。想真的值得，就把数据一次传到 GPU 上，把批次加大；还是慢，就说明它该留在 CPU 上。
#
# **Rubric (1 point)** Three of these four, the second among them:
# 1. Why slow: the network is small and each operation costs one latency; and every step transfers a batch.
# 2. "Ten times" is not true: a GPU is asynchronous, and when the clock was read the work was not done; `item()` has to wait for its result, so the time shows where it is printed.
# 3. Measuring: warm up, wait, read the clock, run, wait, read it again; repeat and take the shortest.
# 4. The change: transfer the data once and leave it there; larger batches, more work per call; fewer `item()`. Or simply stay on the CPU.
#
# Model answer: the network is so small that what each operation gains does not make up for its latency, and every step transfers data as well; hence slower than the CPU. Without printing it looks ten times faster because Python submits the tasks and returns, and when you read the clock the GPU is still computing; item() fetches a number and has to wait, so the time is counted there. Warm up, call torch.cuda.synchronize() before reading the clock, repeat and take the shortest, and then compare with the CPU. To make it pay, transfer the data to the GPU once and make batches larger; if it is still slow, stay on the CPU.
