"""More known mistakes of lesson 14: clocks started once or read backwards, one run too few, positions for sizes."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson14 import BEST, CROSS, HOME, MOVE
from minigrad.backend import cupy, numpy
from minigrad.ops.convert import moved


def _times(action: Any, wait: Any, clock: Any, repeats: int) -> list[Any]:
    """As it should be, but for what is made of the times."""
    action()
    wait()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        wait()
        times.append(clock() - start)
    return times


@mistake(
    BEST,
    zh="clock 是一个函数，你没有调用它：clock 只是它的名字，clock() 才是秒数。两处都要加括号。",
    en="clock is a function, and you do not call it: clock is only its name, clock() are the seconds. Both places need the brackets.",
)
def never_calls_the_clock(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    times = []
    for _ in range(repeats):
        start = clock
        action()
        wait()
        times.append(clock - start)
    return min(times)


@mistake(
    BEST,
    zh="开始时调用了 clock()，结束时忘了括号：clock - start 是拿一个函数去减。写 clock() - start。",
    en="At the start you call clock(), at the end the brackets are missing: clock - start subtracts from a function. Write clock() - start.",
)
def calls_the_clock_once(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        wait()
        times.append(clock - start)
    return min(times)


@mistake(
    BEST,
    zh="action 没有被调用：只写 action，什么也不会做，量到的是空等。要写 action()。",
    en="action is not called: its bare name does nothing, and what you time is an empty wait. Write action().",
)
def never_acts(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min(_times(lambda: None, wait, clock, repeats))


@mistake(
    HOME,
    zh="cupy 后面少了括号：它是一个函数，调用它才得到 CuPy（或者 None）。写 cupy()。",
    en="The brackets are missing after cupy: it is a function, and calling it gives you CuPy, or None. Write cupy().",
)
def does_not_call_cupy(array: Any) -> Any:
    module: Any = cupy
    return module if module is not None and isinstance(array, module.ndarray) else numpy


@mistake(
    HOME,
    zh="你返回的是名字，不是模块：引擎要拿它去调用 exp、maximum。去掉引号。",
    en="You return a name, not the module, and the engine wants to call its exp and maximum. Drop the quotes.",
)
def gives_the_name(array: Any) -> Any:
    return "numpy" if isinstance(array, numpy.ndarray) else "cupy"


@mistake(
    MOVE,
    zh="moved 的两个参数放反了：先要传的，后去处，moved(grad, home)。",
    en="The two arguments of moved are swapped: first what to move, then where to, moved(grad, home).",
)
def exchanges_the_arguments(grad: Any, home: Any) -> Any:
    return moved(home, grad)


@mistake(
    MOVE,
    zh="grad 多半是数组，数组没有 .to。moved(grad, home) 对数组和张量都管用。",
    en="Most of the time grad is an array, which has no .to. moved(grad, home) works on arrays and tensors alike.",
)
def asks_for_to(grad: Any, home: Any) -> Any:
    return grad.to(home)


@mistake(
    BEST,
    zh="表只在循环前开了一次，后面每一遍的时间都把前面的算了进去。每一遍都要重新读 start。",
    en="The clock is started once, before the loop, so each time counts all the runs before it. Read start anew for every run.",
)
def starts_the_clock_once(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    start, times = clock(), []
    for _ in range(repeats):
        action()
        wait()
        times.append(clock() - start)
    return min(times)


@mistake(
    BEST,
    zh="少算了一遍：预热不在 repeats 之内，要计时的是足足 repeats 遍。range(1, repeats)，或者从 repeats 遍里丢掉第一遍，都只剩 repeats - 1 遍；repeats 是 1 时就一遍也没有了。",
    en="One run is missing: the warm-up does not count towards repeats, and all repeats are timed. range(1, repeats), or dropping the first run, leaves repeats - 1; if repeats is 1, none at all.",
)
def one_run_too_few(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min(_times(action, wait, clock, repeats - 1))


@mistake(
    BEST,
    zh="取了最慢的一遍。别的程序只会拖慢它，最快的一遍最接近真正要用的时间：min。",
    en="You take the slowest run. Other programs only ever slow a run down, so the fastest comes closest to the time it really takes: min.",
)
def takes_the_slowest(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return max(_times(action, wait, clock, repeats))


@mistake(
    BEST,
    zh="减反了，时间成了负的：是 clock() - start。",
    en="You subtracted the wrong way round, and the times are negative: it is clock() - start.",
)
def start_minus_end(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return -max(_times(action, wait, clock, repeats))


@mistake(
    BEST,
    zh="return 写进了循环里，只计了一遍就走了。",
    en="The return is inside the loop, so only one run is timed.",
)
def returns_after_one(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min(_times(action, wait, clock, 1))


@mistake(
    BEST,
    zh="预热热了 repeats 遍，一遍就够了。",
    en="The warm-up was run as many times as repeats says; once is enough.",
)
def warms_up_too_often(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    for _ in range(repeats - 1):
        action()
        wait()
    return min(_times(action, wait, clock, repeats))


def _from(here: Any, there: Any, first: int) -> bool:
    return all(fast < slow for slow, fast in zip(here[first:], there[first:], strict=True))


@mistake(
    CROSS,
    zh="从哪里开始赢找对了，返回的却是位置。要的是大小：sizes[i]。",
    en="You found where winning begins, but return its position. Return the size: sizes[i].",
)
def gives_the_position(sizes: Any, here: Any, there: Any) -> Any:
    return next((i for i in range(len(sizes)) if _from(here, there, i)), None)


@mistake(
    CROSS,
    zh="哪里都不赢时你返回了 0。0 也是一个大小；没有，就说 None。",
    en="If it never wins, you return 0. But 0 could be a size; if there is none, say None.",
)
def nought_for_none(sizes: Any, here: Any, there: Any) -> Any:
    return next((size for i, size in enumerate(sizes) if _from(here, there, i)), 0)


@mistake(
    CROSS,
    zh="最大的那个没有看：只在最后一个大小上赢，也算赢。循环要走到头。",
    en="You never look at the largest size, but a win there alone counts, too. Let the loop go to the end.",
)
def leaves_out_the_largest(sizes: Any, here: Any, there: Any) -> Any:
    return next((size for i, size in enumerate(sizes[:-1]) if _from(here, there, i)), None)


@mistake(
    CROSS,
    zh="后面有一次赢就算数了。要从这里起每一个都赢：all，不是 any。",
    en="You are content with one later win. From here on every one must win: all, not any.",
)
def content_with_a_later_win(sizes: Any, here: Any, there: Any) -> Any:
    wins = [fast < slow for slow, fast in zip(here, there, strict=True)]
    return next((size for i, size in enumerate(sizes) if any(wins[i:])), None)


@mistake(
    MOVE,
    zh='你给 moved 的去处是一个字符串（"cpu"、str(home) 或者 home.type），它要的是设备对象。把 home 本身给它：moved(grad, home)。',
    en='The place you give to moved is a string ("cpu", str(home) or home.type), but it wants a device object. Give it home itself: moved(grad, home).',
)
def names_the_host(grad: Any, home: Any) -> Any:
    return moved(grad, "cpu")  # type: ignore[arg-type]


@mistake(
    BEST,
    zh='最短的从 0 开始比，谁也短不过 0。从无穷大（float("inf")）开始，或者把时间收进列表，最后取 min。',
    en='The shortest begins at 0, and no time is shorter. Begin with float("inf"), or collect the times in a list and take its min.',
)
def begins_with_nought(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min(0, *_times(action, wait, clock, repeats))


@mistake(
    BEST,
    zh="你把 repeats 遍连着做完，最后才等一次，再平摊。每一遍都要自己开表、做、等、停表，最后取最短的一遍。",
    en="You let all runs go one after the other, wait once at the end, and share the time out. Each run needs its own start, action, wait and stop; then take the shortest.",
)
def times_them_all_at_once(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    start = clock()
    for _ in range(repeats):
        action()
    wait()
    return (clock() - start) / repeats


@mistake(
    CROSS,
    zh="中间打平了一次，你没有重新找。打平不算赢：那之后才一直赢，就从那之后算起。",
    en="A tie in between does not make you start over. It is not a win: if it wins for good only after the tie, the size after the tie is the answer.",
)
def overlooks_a_tie(sizes: Any, here: Any, there: Any) -> Any:
    found = None
    for size, slow, fast in zip(sizes, here, there, strict=True):
        if fast < slow and found is None:
            found = size
        if fast > slow:
            found = None
    return found


@mistake(
    HOME,
    zh="cupy.get_array_module 要有 CuPy 才有，可 cupy() 可能是 None，这一课里它又只是个替身。自己判断：数组是不是 module.ndarray 的实例。",
    en="cupy.get_array_module exists only where CuPy does; cupy() may be None, and in this lesson it gives a stand-in. Decide for yourself: is the array an instance of module.ndarray?",
)
def asks_cupys_own(array: Any) -> Any:
    module: Any = cupy()
    return module.get_array_module(array)


@mistake(
    CROSS,
    zh="处处都快的时候，i 一直减到 -1 也不停：there[-1] 又是最后一个，绕了回去，直到超出列表。循环里还要看 i >= 0；处处都慢时，返回 None。",
    en="Where it is faster everywhere, i goes on to -1, and there[-1] is the last one again: round it goes, until the list is at an end. Let the loop look at i >= 0 as well; and where it never pays, return None.",
)
def goes_round_the_beginning(sizes: Any, here: Any, there: Any) -> Any:
    i = len(sizes) - 1
    while there[i] < here[i]:
        i -= 1
    return sizes[i + 1]


@mistake(
    BEST,
    zh="你取的是中间的那一次。别的程序只会让它变慢，不会变快，最快的一次才最接近真正要的时间：min。",
    en="You take the middle one. As other programs can only make a run slower, the time it really needs is nearest to that of the fastest: min.",
)
def takes_the_median(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return sorted(_times(action, wait, clock, repeats))[repeats // 2]


@mistake(
    BEST,
    zh="先 action() 再看钟，递单子的时间就没有算进去。次序是：看钟，做，等，再看钟。",
    en="You read the clock after action(), so the time it takes to place the order is not counted. The order is: clock, act, wait, clock.",
)
def starts_the_clock_after_the_order(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    action()
    wait()
    times = []
    for _ in range(repeats):
        action()
        start = clock()
        wait()
        times.append(clock() - start)
    return min(times)


@mistake(
    CROSS,
    zh="最后一个就没有赢的时候，sizes[i + 1] 已经出了列表。没有再大的了，返回 None。",
    en="Where the last size does not win, sizes[i + 1] is beyond the end of the list. There is no larger one: return None.",
)
def steps_off_the_end(sizes: Any, here: Any, there: Any) -> Any:
    for i in range(len(sizes) - 1, -1, -1):
        if there[i] >= here[i]:
            return sizes[i + 1]
    return sizes[0]


@mistake(
    MOVE,
    zh="grad.device 是梯度现在待的地方，你把它传到了原地。要传回去的地方是 home。",
    en="grad.device is where the gradient is now, so you move it nowhere. The place to take it back to is home.",
)
def moves_to_where_it_is(grad: Any, home: Any) -> Any:
    return moved(grad, grad.device)
