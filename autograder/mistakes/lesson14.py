"""Known mistakes of lesson 14: NumPy for everything, a clock read too early, a lucky size taken for the crossover."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad.backend import cupy, numpy, to_host
from minigrad.ops.convert import moved
from minigrad.size import device

HOME, MOVE = "minigrad.backend.array_module", "minigrad.ops.convert.move_vjp"
BEST, CROSS = "minigrad.timing.best_seconds", "minigrad.timing.crossover"

# ── array_module ─────────────────────────────────────────────────────────────────────────────────


@mistake(
    HOME,
    zh="出来的总是 numpy，数组在 GPU 上时也一样。看它的类型是不是 cupy().ndarray；cupy() 要在函数里每次都问，在外面只问一次，就问得太早了。",
    en="What comes out is always numpy, for an array on a GPU as well. See whether its type is cupy().ndarray, and ask cupy() inside the function, at every call: asked once outside, it is asked too early.",
)
def always_numpy(array: Any) -> Any:
    return numpy


@mistake(
    HOME,
    zh="只问有没有 GPU，没问这个数组在不在上面：有 GPU 的机器上，内存里的数组也交给了 CuPy。",
    en="You ask whether there is a GPU, not whether this array is on it: on a machine with a GPU, arrays in host memory go to CuPy as well.",
)
def wherever_there_is_a_gpu(array: Any) -> Any:
    return cupy() or numpy


@mistake(
    HOME,
    zh="没有 CuPy 的机器上就倒下了：cupy() 可能是 None，先看它是不是 None，再问它的 ndarray。",
    en="This falls over where there is no CuPy: cupy() may be None. Check that before you ask for its ndarray.",
)
def expects_a_gpu(array: Any) -> Any:
    module = cupy()
    return module if isinstance(array, module.ndarray) else numpy  # type: ignore[union-attr]


@mistake(
    HOME,
    zh="不是 numpy.ndarray 的都推给了 CuPy：NumPy 自己的数（求和得到的就是）和普通浮点数也该归 numpy。",
    en="Whatever is not a numpy.ndarray goes to CuPy; but NumPy's own numbers (a sum gives one) and plain floats belong to numpy as well.",
)
def all_others_elsewhere(array: Any) -> Any:
    return numpy if isinstance(array, numpy.ndarray) else cupy()


# ── move_vjp ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    MOVE,
    zh='梯度原样交了回去，没有传回来：叶子在一处，梯度在另一处。要把它传回 home。不用先看 home 是哪儿；home 是设备，不是字符串，home == "cpu" 总是 False。',
    en='You pass the gradient on where it is: the leaf is in one place, its gradient in another. Move it back to home. There is no need to look where home is; it is a device, not a string, and home == "cpu" is always False.',
)
def stays_there(grad: Any, home: Any) -> Any:
    return grad


@mistake(
    MOVE,
    zh="总是传回内存：张量要是从 GPU 来的，梯度就该回 GPU。传到 home，不论它是哪儿。",
    en="You always move to host memory; but if the tensor came from the GPU, its gradient belongs there. Move to home, wherever that is.",
)
def always_to_the_host(grad: Any, home: Any) -> Any:
    return moved(grad, device("cpu"))


@mistake(
    MOVE,
    zh="总是传到 GPU 上：张量多半是从内存出发的，梯度要回的是那里。传到 home。",
    en="You always move to the GPU; but most tensors set out from host memory, and that is where the gradient belongs. Move to home.",
)
def always_to_the_gpu(grad: Any, home: Any) -> Any:
    return moved(grad, device("cuda"))


@mistake(
    MOVE,
    zh="传输不算运算，梯度就没了？这里传回去的是 0。数没有变，斜率是 1：梯度原样传回去。",
    en="Does the gradient end here because a transfer is not an operation? You send back 0. The numbers do not change, so the slope is 1: move the gradient back as it is.",
)
def a_constant(grad: Any, home: Any) -> Any:
    return moved(grad * 0, home)


@mistake(
    MOVE,
    zh="用 to_host 拆开了张量：create_graph=True 时来的是带历史的张量，拆开就断了。moved 两样都会传。",
    en="to_host takes the tensor apart: under create_graph=True a tensor with a history comes in, and the history is lost. moved can move both.",
)
def loses_the_history(grad: Any, home: Any) -> Any:
    return moved(to_host(grad.detach()._data), home) if hasattr(grad, "detach") else moved(grad, home)


# ── best_seconds ─────────────────────────────────────────────────────────────────────────────────


@mistake(
    BEST,
    zh="没有等这一遍：读到的只是“下完单”的时间，活还没干完。先 action()，再 wait()，再停表；wait() 写在 action() 前面，等的是上一遍。",
    en="You did not wait for this run: the time is that of placing the order, and the work is not done yet. First action(), then wait(), then stop the clock; a wait() before action() waits for the previous run.",
)
def never_waits(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        times.append(clock() - start)
    return min(times)


@mistake(
    BEST,
    zh="先停了表才去等，等的时间没有算进去。wait() 要放在读钟之前。",
    en="You stop the clock first and wait afterwards, so the wait is not counted. Call wait() before reading the clock.",
)
def waits_too_late(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        times.append(clock() - start)
        wait()
    return min(times)


@mistake(
    BEST,
    zh="没有预热：第一次总要多花时间（装载、编译），把它也算进去了。先空跑一次，并等它做完。",
    en="No warm-up: the first run always takes longer (loading, compiling), and it was counted. First do one run that is not timed, and wait for it.",
)
def counts_the_first(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        wait()
        times.append(clock() - start)
    return min(times)


@mistake(
    BEST,
    zh="预热之后没有等：它没干完的活，算到了第一次计时头上。",
    en="No wait after the warm-up: the work it left over is counted against the first timed run.",
)
def warm_up_left_running(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        wait()
        times.append(clock() - start)
    return min(times)


@mistake(
    BEST,
    zh="返回的是平均。别的程序一打扰就变慢，最快的那次才最接近它本来的时间：取最小。",
    en="You return the mean. Other programs only ever slow a run down, so the fastest run comes closest to the time it really takes: take the minimum.",
)
def takes_the_mean(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        wait()
        times.append(clock() - start)
    return sum(times) / len(times)


@mistake(
    BEST,
    zh="返回的是总共的时间，不是一次的。",
    en="You return the time of all runs together, not of one.",
)
def takes_the_total(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    start = clock()
    for _ in range(repeats):
        action()
    wait()
    return clock() - start


# ── crossover ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CROSS,
    zh="第一次赢就当真了。也许只是碰巧；要从这里起，往后每一个都赢。",
    en="You believe the first win. It may be chance; from this size on, every larger one must win as well.",
)
def first_win(sizes: Any, here: Any, there: Any) -> Any:
    return next((size for size, a, b in zip(sizes, here, there, strict=True) if b < a), None)


@mistake(
    CROSS,
    zh="谁快谁慢弄反了：要找的是 there 用时更少的地方。",
    en="Fast and slow are swapped: find where `there` takes less time.",
)
def exchanged(sizes: Any, here: Any, there: Any) -> Any:
    found = None
    for size, a, b in zip(reversed(sizes), reversed(here), reversed(there), strict=True):
        if a >= b:
            break
        found = size
    return found


@mistake(
    CROSS,
    zh="返回的是最后输的那个大小，要的是它后面的那一个。",
    en="You return the last size that loses; return the one after it.",
)
def last_loss(sizes: Any, here: Any, there: Any) -> Any:
    lost = [size for size, a, b in zip(sizes, here, there, strict=True) if b >= a]
    return lost[-1] if lost else sizes[0]


@mistake(
    CROSS,
    zh="从来没赢过的时候，应当返回 None，而不是最大的那个。",
    en="If it never wins, return None, not the largest size.",
)
def never_none(sizes: Any, here: Any, there: Any) -> Any:
    found = sizes[-1]
    for size, a, b in zip(reversed(sizes), reversed(here), reversed(there), strict=True):
        if b >= a:
            break
        found = size
    return found


@mistake(
    CROSS,
    zh="打平也算赢了。要更快才值得传过去。",
    en="You count a tie as a win. Moving pays only if it is faster.",
)
def ties_count(sizes: Any, here: Any, there: Any) -> Any:
    found = None
    for size, a, b in zip(reversed(sizes), reversed(here), reversed(there), strict=True):
        if b > a:
            break
        found = size
    return found


@mistake(
    CROSS,
    zh="你返回的是位置（第几个），要的是那个大小本身：sizes[i]。另外，头一次赢也可能是碰巧，往后每一个都要赢。",
    en="You return a position; return the size itself, sizes[i]. Besides, a first win may be chance: every larger one must win as well.",
)
def the_position_of_the_first_win(sizes: Any, here: Any, there: Any) -> Any:
    return next((i for i, (slow, fast) in enumerate(zip(here, there, strict=True)) if fast < slow), None)


@mistake(
    CROSS,
    zh="你留下的是最后一次赢的大小。要的是从哪儿起一直赢：从最大的往回看，碰到不赢的就停，停之前的那一个才是。",
    en="You keep the last size that wins. Find the size from which it wins for good: look back from the largest and stop at the first that does not win.",
)
def the_last_win(sizes: Any, here: Any, there: Any) -> Any:
    found = None
    for size, slow, fast in zip(sizes, here, there, strict=True):
        if fast < slow:
            found = size
    return found


@mistake(
    BEST,
    zh="少了两条规矩：没有预热，又是单子一递出去就停了表。先做一次并等完，不计时；每次都等干完了再看钟。",
    en="Two rules are missing: there is no warm-up, and the clock stops when the order is placed. Act and wait once, untimed; and wait each time before reading the clock.",
)
def cold_and_hasty(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        times.append(clock() - start)
        wait()
    return min(times)
