"""Known mistakes of lesson 14, continued: floats forgotten, one run too many, lists turned round, a loop left too early."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson14 import BEST, CROSS, HOME, MOVE, expects_a_gpu
from autograder.mistakes.lesson14_slips import _times
from minigrad import tensor
from minigrad.backend import cupy, numpy
from minigrad.ops.convert import moved

# ── array_module ─────────────────────────────────────────────────────────────────────────────────


@mistake(
    HOME,
    zh="普通的浮点数漏了：它既不是 numpy.ndarray，也不是 numpy.generic，于是落到了最后，给了 CuPy。只有 cupy().ndarray 才归 CuPy，别的都归 numpy。",
    en="Plain floats are left out: neither numpy.ndarray nor numpy.generic, they fall through to the end and go to CuPy. Only a cupy().ndarray belongs to CuPy, everything else to numpy.",
)
def forgets_plain_floats(array: Any) -> Any:
    return numpy if isinstance(array, (numpy.ndarray, numpy.generic)) else cupy()


@mistake(
    HOME,
    zh='.device 靠不住：浮点数没有它，CuPy 的数组给的也不是字符串 "cuda"。看类型：isinstance(array, cupy().ndarray)。',
    en='.device is no help: a float has none, and that of a CuPy array is not the string "cuda". Look at the type: isinstance(array, cupy().ndarray).',
)
def asks_its_device(array: Any) -> Any:
    return cupy() if array.device == "cuda" else numpy


@mistake(
    HOME,
    zh="NumPy 的数组没有 torch 的 device，更没有 device.type。数组归哪个库，看它的类型：isinstance(array, cupy().ndarray)。",
    en="NumPy's arrays have no torch device, so there is no device.type. The type of the array says whose it is: isinstance(array, cupy().ndarray).",
)
def asks_the_type_of_its_device(array: Any) -> Any:
    return cupy() if array.device.type == "cuda" else numpy


@mistake(
    HOME,
    zh="NumPy 自己的数漏了：float64 的碰巧也是 float，float32 的就不是，落到最后给了 CuPy。它们的类型是 numpy.generic，归 numpy。",
    en="NumPy's own numbers are left out: one of float64 happens to be a float, but one of float32 is none and goes to CuPy. They are of type numpy.generic and belong to numpy.",
)
def forgets_numpys_numbers(array: Any) -> Any:
    return numpy if isinstance(array, (float, numpy.ndarray)) else cupy()


@mistake(
    HOME,
    zh="浮点数走到第二个条件时，cupy() 也许是 None，None 没有 ndarray。先问它是不是 None。",
    en="When a float comes to the second condition, cupy() may be None, which has no ndarray. Ask first whether it is None.",
)
def expects_a_gpu_for_a_float(array: Any) -> Any:
    if isinstance(array, (numpy.ndarray, numpy.generic)) and not isinstance(array, float):
        return numpy
    return expects_a_gpu(array)


@mistake(
    HOME,
    zh="两个 return 放反了：CuPy 的数组给了 numpy，其余的给了 CuPy。",
    en="The two returns are in each other's place: CuPy's arrays get numpy, and all others CuPy.",
)
def exchanges_the_modules(array: Any) -> Any:
    module = cupy()
    return numpy if module is not None and isinstance(array, module.ndarray) else module


# ── best_seconds ─────────────────────────────────────────────────────────────────────────────────


@mistake(
    BEST,
    zh="留下的是最后一遍的时间，前面的都被盖掉了。循环前放一个空列表 times，每一遍 append，循环完了取 min。",
    en="Only the last run's time is left; those before it were overwritten. Make an empty list times before the loop, append to it in every run, and take the min after the loop.",
)
def keeps_the_last_time(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return _times(action, wait, clock, repeats)[-1]


@mistake(
    BEST,
    zh="多计了一遍：预热已经单独做过，要计时的是 repeats 遍，range(repeats)。",
    en="One run too many is timed: the warm-up was done separately, and repeats runs are to be timed, range(repeats).",
)
def one_run_too_many(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min(_times(action, wait, clock, repeats + 1))


@mistake(
    BEST,
    zh="每一遍之前都预热了一次。预热只要一次，放在循环外面。",
    en="You warm up again before every run. One warm-up is enough, outside the loop.",
)
def warms_up_before_every_run(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min([_times(action, wait, clock, 1)[0] for _ in range(repeats)])


@mistake(
    BEST,
    zh='最短的从一个普通的数（比如 1）开始比，每一遍都比它长时，出来的就是它。从无穷大（float("inf")）开始，或者把时间收进列表，最后取 min。',
    en='The shortest time begins at an ordinary number, 1 say, and if every run takes longer, that number comes out. Begin at infinity, float("inf"), or gather the times in a list and take the min at the end.',
)
def begins_with_one(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min([1, *_times(action, wait, clock, repeats)])


@mistake(
    BEST,
    zh="单位不对：说明里要的是秒，不用乘 1e6。课文里的 µs 是打印时才换的。",
    en="The unit is wrong: seconds are wanted, so there is nothing to multiply by 1e6. The lesson's µs are made only for printing.",
)
def in_microseconds(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min(_times(action, wait, clock, repeats)) * 1e6


@mistake(
    BEST,
    zh="预热的那一遍也计了时，它要是碰巧最快，留下的就是它。预热不计时，后面的 repeats 遍才计时。",
    en="The warm-up is timed as well, and if it happens to be the fastest, its time is what you keep. Leave it untimed; the repeats runs after it are the ones to time.",
)
def times_the_warm_up(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    times = []
    for _ in range(repeats + 1):
        start = clock()
        action()
        wait()
        times.append(clock() - start)
    return min(times)


@mistake(
    BEST,
    zh='从 1000 开始比也不够：可能每一遍都比 1000 秒还慢。从 float("inf") 开始。',
    en='Beginning at 1000 is not enough: every run may take longer than that. Begin with float("inf").',
)
def begins_with_a_thousand(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    return min([1000, *_times(action, wait, clock, repeats)])


# ── crossover ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CROSS,
    zh="一直赢的那一串里，你每赢一次就换成后面的，最后总是最大的那个。要的是这一串的第一个：found 是 None 时才记下；没赢就清成 None。",
    en="Within a run of wins you move on to the later size each time, and end up with the largest. The first of the run is wanted: note it only while found is None, and set found back to None where it does not win.",
)
def the_latest_of_the_run(sizes: Any, here: Any, there: Any) -> Any:
    return sizes[-1] if there[-1] < here[-1] else None


@mistake(
    CROSS,
    zh="一碰到不赢的就 return None，整个函数就结束了；可别的大小也许赢。从大往小走，就在这里 break，再返回已经找到的；从小往大走，就接着看下去。",
    en="At the first size that does not win, return None ends the whole function, though others may win. Walking from large to small, break there and return what you have found; from small to large, go on.",
)
def gives_up_at_a_loss(sizes: Any, here: Any, there: Any) -> Any:
    return sizes[0] if all(b < a for a, b in zip(here, there, strict=True)) else None


@mistake(
    CROSS,
    zh="reverse() 把传进来的列表本身倒过来了，别人还要用它们，下一次调用时 sizes 就是反的。用 reversed(sizes) 或者 sizes[::-1]，原来的不变。",
    en="reverse() turns round the very lists that came in, which others still need: at the next call sizes runs backwards. reversed(sizes) and sizes[::-1] leave them as they are.",
)
def turns_the_lists_round(sizes: Any, here: Any, there: Any) -> Any:
    for each in (sizes, here, there):
        each.reverse()
    found = None
    for size, slow, fast in zip(sizes, here, there, strict=True):
        if fast >= slow:
            break
        found = size
    return found


@mistake(
    CROSS,
    zh="只看了第一个大小就返回：if 和 else 里都有 return，循环走不到第二圈。没看完之前不能说 None，赢了一次也还不能返回。",
    en="Only the first size is looked at: with a return in both the if and the else, the loop never gets to its second round. Until all have been seen it is too early for None, and a single win is not enough either.",
)
def decides_at_the_first_size(sizes: Any, here: Any, there: Any) -> Any:
    return sizes[0] if there[0] < here[0] else None


@mistake(
    CROSS,
    zh="倒着走的路走对了，返回的却是碰到的第一个没赢的大小。要的是它后面的那一个，也就是停下之前刚走过的那个；一路都赢，就是最小的那个。",
    en="Walking back is right, but you return the first size that does not win. Return the one after it, which you passed just before; if all of them win, that is the smallest.",
)
def the_first_loss_from_behind(sizes: Any, here: Any, there: Any) -> Any:
    return next((s for s, a, b in zip(sizes[::-1], here[::-1], there[::-1], strict=True) if b >= a), None)


@mistake(
    CROSS,
    zh="there < here 把两个列表整个拿来比：哪一项先不同，就由哪一项说了算。要一个大小一个大小地比：there[i] < here[i]。",
    en="there < here compares two whole lists, and the first entries that differ decide. Compare size by size: there[i] < here[i].",
)
def compares_whole_lists(sizes: Any, here: Any, there: Any) -> Any:
    return sizes[0] if there < here else None


@mistake(
    CROSS,
    zh="there[i:] < here[i:] 比的是两段列表，先不同的那一项就定了输赢，后面的不看。每一项都要比：用 all(…)。",
    en="there[i:] < here[i:] compares two lists: the first entries that differ decide, and those behind them are not looked at. Each one has to win: use all(…).",
)
def compares_the_rest_as_lists(sizes: Any, here: Any, there: Any) -> Any:
    return next((size for i, size in enumerate(sizes) if there[i:] < here[i:]), None)


@mistake(
    CROSS,
    zh="连赢两个，不等于往后都赢；只在最大的那个上赢，也算。要从这里起，每一个更大的都赢。",
    en="Two wins in a row do not mean that all later ones win; and a win at the largest size alone counts, too. From here on, every larger size has to win.",
)
def content_with_two_in_a_row(sizes: Any, here: Any, there: Any) -> Any:
    wins = [fast < slow for slow, fast in zip(here, there, strict=True)]
    return next((size for size, *both in zip(sizes, wins, wins[1:], strict=False) if all(both)), None)


@mistake(
    CROSS,
    zh="pop() 把别人的列表掏空了，下一次调用就没有数可看。只看，不拿：用 reversed(sizes)，或者用下标从后往前走。",
    en="pop() empties the lists of whoever called, and the next call finds nothing in them. Only look: use reversed(sizes), or walk back by index.",
)
def empties_the_lists(sizes: Any, here: Any, there: Any) -> Any:
    found = None
    while sizes and there.pop() < here.pop():
        found = sizes.pop()
    return found


@mistake(
    CROSS,
    zh="not found 把 0 也当成“还没有找到”，可是 0 也可以是一个大小。写 found is None。",
    en='not found takes 0 for "none yet", but a size may be 0. Write found is None.',
)
def takes_nought_for_none(sizes: Any, here: Any, there: Any) -> Any:
    found = None
    for size, slow, fast in zip(sizes, here, there, strict=True):
        if fast >= slow:
            found = None
        elif not found:
            found = size
    return found


@mistake(
    CROSS,
    zh="argmax 给出第一次赢的位置，一次也不赢时给出 0，于是成了最小的那个。头一次赢可能是碰巧；一次也不赢，返回 None。",
    en="argmax gives the place of the first win, and 0 where there is none, which makes it the smallest size. A first win may be chance; and if nothing wins, return None.",
)
def the_first_win_or_the_smallest(sizes: Any, here: Any, there: Any) -> Any:
    return sizes[next((i for i in range(len(sizes)) if there[i] < here[i]), 0)]


# ── move_vjp ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    MOVE,
    zh="grad 多半是数组，数组没有 .cpu；再说该回的是 home，不一定是内存。moved(grad, home) 对数组和张量都管用。",
    en="Most of the time grad is an array, which has no .cpu; and it should go to home, which need not be host memory. moved(grad, home) works on arrays and tensors alike.",
)
def asks_for_cpu(grad: Any, home: Any) -> Any:
    return grad.cpu()


@mistake(
    MOVE,
    zh="grad 多半是数组，数组没有 .detach；来的是张量时，detach 又会丢掉它的历史。什么也不用摘，传回去就行：moved(grad, home)。",
    en="Most of the time grad is an array, which has no .detach; and where it is a tensor, detach would lose its history. There is nothing to detach, only to move back: moved(grad, home).",
)
def asks_for_detach(grad: Any, home: Any) -> Any:
    return grad.detach()


@mistake(
    MOVE,
    zh='home 是设备，不是字符串，home == "cpu" 总是 False，于是走到的总是另一支；"cuda" 也只是一个字符串。不用分情况：moved(grad, home)。',
    en='home is a device, not a string, so home == "cpu" is always False and the other branch is always taken; and "cuda" is only a string, too. There are no cases to tell apart: moved(grad, home).',
)
def names_the_gpu(grad: Any, home: Any) -> Any:
    return moved(grad, "cuda")  # type: ignore[arg-type]


@mistake(
    MOVE,
    zh="没有用 grad 的数：传回去的全是 1。传输的斜率是 1，乘上 grad 还是 grad：原样传回去。",
    en="The factor grad is missing: you send back nothing but ones. The slope of a transfer is 1, and times grad that is grad: move it back as it is.",
)
def move_forgot_grad(grad: Any, home: Any) -> Any:
    return moved(grad * 0 + 1, home)


@mistake(
    MOVE,
    zh="get() 是 CuPy 的数组才有的，只能从 GPU 取回内存；梯度也可能是往 GPU 去的。moved(grad, home) 两个方向都行。",
    en="get() is a method of CuPy's arrays and only brings them to host memory; but a gradient may go the other way as well. moved(grad, home) does both.",
)
def asks_for_get(grad: Any, home: Any) -> Any:
    return grad.get()


@mistake(
    MOVE,
    zh="numpy.asarray 碰不得 GPU 上的数组，也丢掉张量的历史；何况梯度不一定是回内存。用 moved(grad, home)。",
    en="numpy.asarray cannot touch an array on a GPU and loses a tensor's history; nor does every gradient go to host memory. Use moved(grad, home).",
)
def makes_a_numpy_array(grad: Any, home: Any) -> Any:
    return numpy.asarray(grad)


@mistake(
    MOVE,
    zh="tensor(…) 造了一个没有历史的新张量，可来的多半是数组，要的也是数组。用 moved(grad, home)：来的是什么，回去的还是什么。",
    en="tensor(…) makes a new tensor without a history, where mostly an array comes in and an array is wanted. moved(grad, home) gives back the kind of thing that came.",
)
def makes_a_new_tensor(grad: Any, home: Any) -> Any:
    return tensor(grad, device=home)


@mistake(
    MOVE,
    zh="create_graph=True 时来的是张量，detach() 把它的历史丢了，二阶导数就少了这条路。不用摘，直接 moved(grad, home)。",
    en="Under create_graph=True a tensor comes in, and detach() drops its history, so that the second derivative misses this path. Do not detach: moved(grad, home).",
)
def detaches_a_tensor(grad: Any, home: Any) -> Any:
    return moved(grad.detach() if hasattr(grad, "detach") else grad, home)


@mistake(
    BEST,
    zh="预热那一次等了，计时的却没有等：action() 只是把活交出去，wait() 返回之后才算干完。每一次都要等了再读 clock()。",
    en="You wait in the warm-up but not in the timed runs: action() only hands the work over, and it is done once wait() has returned. Wait in every run before clock() is read.",
)
def waits_for_the_first_only(action: Any, wait: Any, clock: Any, repeats: int) -> Any:
    once = iter([wait])
    return min(_times(action, lambda: next(once, int)(), clock, repeats))  # int() does nothing


@mistake(
    CROSS,
    zh="一个也没赢时，min 没有东西可取，就报错；赢过的里面最小的那个，也可能只是碰巧。倒着走，碰到没赢的就停，没有就返回 None。",
    en="If nothing wins, min has nothing to take and raises; and the smallest that wins may do so by chance. Walk back until one does not win, and return None if there is none.",
)
def the_smallest_of_the_winners(sizes: Any, here: Any, there: Any) -> Any:
    return min(size for size, slow, fast in zip(sizes, here, there, strict=True) if fast < slow)
