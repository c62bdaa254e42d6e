"""Known mistakes of lesson 08: cycles, copies and lost histories in what is saved; unpacking that checks too little;
releasing too early, never, or too much."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad.autograd.graph import SECOND_BACKWARD, Constant, SavedResult, VersionCounter

SAVE = "minigrad.autograd.graph.save_result"
UNPACK = "minigrad.autograd.graph.Node.unpack_arrays"
RELEASE = "minigrad.autograd.engine.release"

# ── save_result ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    SAVE,
    zh="你存了张量本身。它抓着节点，节点又抓着它，成了一个环：名字都没了，内存还占着。只存数组和计数器。",
    en="You keep the tensor itself. It holds its node, and its node holds it: a cycle, which stays in memory when every name is gone. Keep only the array and the counter.",
)
def keeps_the_tensor(result: Any, output: int = 0) -> Any:
    return result


@mistake(
    SAVE,
    zh="你复制了数组，内存白白翻倍。数组和张量是同一个，不用复制：有人改它，版本号会说。",
    en="You copied the array, at twice the memory. No copy is needed: it may be the tensor's own array, for if somebody writes to it, the version tells.",
)
def copies_the_array(result: Any, output: int = 0) -> Any:
    return SavedResult(result._data.copy(), result.counter(), output)


@mistake(
    SAVE,
    zh="交给 SavedResult 的不是张量自己的计数器：新造一个，或者写 result._counter（没人要过之前，那里是 None），张量被改写都看不出来，错的值就溜了过去。要调用 result.counter()。",
    en="What SavedResult gets is not the tensor's own counter: neither a new one nor result._counter, which is None until somebody asks for it, notices writes to the tensor, so wrong values slip through. Call result.counter().",
)
def counts_by_itself(result: Any, output: int = 0) -> Any:
    return SavedResult(result._data, VersionCounter(), output)


@mistake(
    SAVE,
    zh="detach() 断开了环，也断开了历史：对梯度再求导时，它成了常数。用 SavedResult，取出来的时候引擎会把历史接上。",
    en="detach() cuts the cycle, and the history with it: in a gradient of the gradient it counts as a constant. Use SavedResult: the engine attaches the history again when it is read.",
)
def detaches_it(result: Any, output: int = 0) -> Any:
    return result.detach()


@mistake(
    SAVE,
    zh="Constant 是给数和不要梯度的数组用的：没有版本检查，也没有历史。运算自己的输出要用 SavedResult。",
    en="Constant is for numbers and for arrays that want no gradient: it has no version check and no history. For an operation's own output use SavedResult.",
)
def takes_it_for_constant(result: Any, output: int = 0) -> Any:
    return Constant(result._data)


@mistake(
    SAVE,
    zh="编号没有记下：运算有几个输出时，第二个会被当成第 0 个，报错说错了地方，对梯度再求导也接错了。把 output 也交给 SavedResult。",
    en="You did not note the number: when an operation has several outputs, the second is taken for number 0, errors name the wrong one, and a gradient of the gradient is attached to the wrong one. Pass output to SavedResult, too.",
)
def forgets_the_number(result: Any, output: int = 0) -> Any:
    return SavedResult(result._data, result.counter())


# ── unpack_arrays ────────────────────────────────────────────────────────────────────────────────


@mistake(
    UNPACK,
    zh="已经释放的情形没有管：self.saved 是 None 时要 raise RuntimeError(SECOND_BACKWARD)，不然用户看到的是一个莫名其妙的 TypeError。",
    en="You forgot the case of released values: when self.saved is None, raise RuntimeError(SECOND_BACKWARD); otherwise the user gets a baffling TypeError.",
)
def forgets_released(self: Any) -> list[Any]:
    values = []
    for index, value in enumerate(self.saved):
        if value is not None and value._counter is not None:
            self.check_saved(index, value)
        values.append(None if value is None else value._data)
    return values


@mistake(
    UNPACK,
    zh="没有检查版本：保存之后被原地改写的值也照用，梯度悄悄地错了。取出之前调用 self.check_saved(index, value)，它报的错要放出去，别用 try 接住。",
    en="You do not check the version: a value that was written to after saving is used all the same, and the gradient is silently wrong. Call self.check_saved(index, value) first, and let its error out: no try around it.",
)
def checks_no_version(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    return [None if value is None else value._data for value in self.saved]


@mistake(
    UNPACK,
    zh="None 被丢掉了，后面的值都往前挪了一位，规则拿到的就不是它要的那一个。None 也要占着位置。",
    en="You drop the Nones, so all later values move up, and a rule gets another value than it asked for. A None keeps its place.",
)
def drops_the_nones(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    values = []
    for index, value in enumerate(self.saved):
        if value is not None:
            if value._counter is not None:
                self.check_saved(index, value)
            values.append(value._data)
    return values


@mistake(
    UNPACK,
    zh="某个值可能是 None（没人要它的那一份），None 没有 _data。先看是不是 None。",
    en="A value may be None, because nobody needs it, and None has no _data. Check for None first.",
)
def stumbles_over_nones(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    for index, value in enumerate(self.saved):
        self.check_saved(index, value)
    return [value._data for value in self.saved]


@mistake(
    UNPACK,
    zh="check_saved 的第一个参数应当是这个值自己的位置。你总是拿第 0 个的版本去比：两个值保存时版本不同，没人改写也会报错。",
    en="The first argument of check_saved is the place of this very value. You always compare with the version of item 0: if two values were saved at different versions, this raises although nobody wrote to them.",
)
def always_asks_for_the_first(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    for value in self.saved:
        if value is not None and value._counter is not None:
            self.check_saved(0, value)
    return [None if value is None else value._data for value in self.saved]


@mistake(
    UNPACK,
    zh="读一次就把它丢了：取出之后 self.saved 成了 None，retain_graph=True 也救不回来。释放是 release 的事。",
    en="You read it once and throw it away: self.saved is None afterwards, and retain_graph=True cannot help. Letting go is the job of release.",
)
def uses_it_up(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    values = []
    for index, value in enumerate(self.saved):
        if value is not None and value._counter is not None:
            self.check_saved(index, value)
        values.append(None if value is None else value._data)
    self.saved = None
    return values


@mistake(
    UNPACK,
    zh="报错的类别不对：torch 在这里报 RuntimeError，用户的 except 才接得住。",
    en="The error is of another class: torch raises RuntimeError here, and that is what users catch.",
)
def raises_value_error_instead(self: Any) -> list[Any]:
    if self.saved is None:
        raise ValueError(SECOND_BACKWARD)
    values = []
    for index, value in enumerate(self.saved):
        if value is not None and value._counter is not None:
            self.check_saved(index, value)
        values.append(None if value is None else value._data)
    return values


@mistake(
    UNPACK,
    zh="释放之后，你给了空列表，规则就缺了参数。该报错：raise RuntimeError(SECOND_BACKWARD)。",
    en="After the release you return an empty list, and the rules lack their arguments. Raise an error instead: raise RuntimeError(SECOND_BACKWARD).",
)
def gives_nothing_when_released(self: Any) -> list[Any]:
    values = []
    for index, value in enumerate(self.saved or ()):
        if value is not None and value._counter is not None:
            self.check_saved(index, value)
        values.append(None if value is None else value._data)
    return values


@mistake(
    UNPACK,
    zh="光取 _data 还不够，三件事都漏了：释放之后要报错，某一项是 None 时要照样留着，有计数器的要先检查版本。",
    en="Fetching _data is not enough; three things are missing: raise once released, keep a None where there is one, and check the version of what has a counter.",
)
def fetches_and_asks_nothing(self: Any) -> list[Any]:
    return [value._data for value in self.saved]


# ── release ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    RELEASE,
    zh="什么都没有释放：图走完了，保存的值还全占着内存，第二遍也不报错。要改的是节点的属性：node.saved = None。写 saved = None 或 node = None，只是让函数里的名字指向别处；写 == 只是比较。",
    en="You let nothing go: after the walk all saved values are still in memory, and a second walk does not raise an error. What has to change is the node's attribute: node.saved = None. saved = None or node = None only points a name of the function's elsewhere, and == only compares.",
)
def never_releases(node: Any, retain_graph: bool) -> None:
    pass


@mistake(
    RELEASE,
    zh="没有看 retain_graph：用户说了要留着，还是释放了。",
    en="You do not look at retain_graph: the user asked to keep the values, and you let them go all the same.",
)
def always_releases(node: Any, retain_graph: bool) -> None:
    node.saved = None


@mistake(
    RELEASE,
    zh="条件反了：retain_graph 为真是要留着，为假才释放。",
    en="The condition is the wrong way round: retain_graph true means keep, false means let go.",
)
def releases_what_it_should_keep(node: Any, retain_graph: bool) -> None:
    if retain_graph:
        node.saved = None


@mistake(
    RELEASE,
    zh="你把 saved 设成了空元组，看上去就像“什么也没存”。释放过要能看得出来：设成 None。",
    en='You set saved to an empty tuple, which looks like "saved nothing". It has to show that the values were released: set it to None.',
)
def leaves_an_empty_tuple(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = ()


@mistake(
    RELEASE,
    zh="你连边也拆了。释放的只是保存的值，图的节点和边都还在。",
    en="You removed the edges as well. Only the saved values are let go; the nodes and edges of the graph stay.",
)
def takes_the_graph_apart(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = None
        node.next_functions = ((None, 0),) * len(node.next_functions)


# ── Slips ────────────────────────────────────────────────────────────────────────────────────────


@mistake(
    SAVE,
    zh="result.counter 后面少了括号：要的是计数器，不是取计数器的那个方法。",
    en="The brackets are missing after result.counter: you need the counter, not the method that returns it.",
)
def does_not_call_counter(result: Any, output: int = 0) -> Any:
    method: Any = result.counter
    return SavedResult(result._data, method, output)


@mistake(
    SAVE,
    zh="SavedResult 的第二个参数该是计数器，你给的是一个整数。_version 只是此刻的数，以后的改写它不知道；output 是第三个参数。要的是 result.counter()。",
    en="The second argument of SavedResult is the counter, and you gave an int. _version is only the number at this moment and does not notice later writes; output is the third argument. You need result.counter().",
)
def notes_the_number(result: Any, output: int = 0) -> Any:
    number: Any = result._version
    return SavedResult(result._data, number, output)


@mistake(
    SAVE,
    zh="SavedResult 的参数次序不对：先数组，再计数器，最后编号。",
    en="The arguments of SavedResult are out of order: the array first, then the counter, the number last.",
)
def exchanges_array_and_counter(result: Any, output: int = 0) -> Any:
    array: Any = result._data
    return SavedResult(result.counter(), array, output)


@mistake(
    SAVE,
    zh="你放进 SavedResult 的不是数组：result 自己、result.data 和 detach() 都是张量，tolist() 是列表。节点要存的是数组：result._data。",
    en="What you put into the SavedResult is not the array: result itself, result.data and detach() are all tensors, and tolist() gives a list. What the node keeps is the array, result._data.",
)
def takes_data(result: Any, output: int = 0) -> Any:
    tensor: Any = result.data
    return SavedResult(tensor, result.counter(), output)


def _arrays(node: Any, one: Any) -> list[Any]:
    """Every item through `one`, checked as it should be."""
    if node.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    for index, value in enumerate(node.saved):
        if value is not None and value._counter is not None:
            node.check_saved(index, value)
    return [None if value is None else one(value) for value in node.saved]


@mistake(
    UNPACK,
    zh="return 缩进到了循环里面：看完第一项就返回了，规则缺了后面的值。",
    en="The return is indented into the loop: the function ends after the first item, and the rule lacks all the values after it.",
)
def returns_in_the_loop(self: Any) -> list[Any]:
    return _arrays(self, lambda value: value._data)[:1]


@mistake(
    UNPACK,
    zh="你把保存的值整个交了出去。规则要的是里面的数组：value._data。",
    en="You return the saved value as a whole. The rule needs the array inside it: value._data.",
)
def gives_the_wrapper(self: Any) -> list[Any]:
    return _arrays(self, lambda value: value)


@mistake(
    UNPACK,
    zh="没有计数器的值被漏掉了。计数器只决定要不要检查版本；不管有没有，value._data 都要放进列表。",
    en="You leave out values without a counter. The counter only decides whether the version is checked; value._data goes into the list either way.",
)
def only_those_with_a_counter(self: Any) -> list[Any]:
    every = _arrays(self, lambda value: value)
    return [None if value is None else value._data for value in every if value is None or value._counter is not None]


@mistake(
    UNPACK,
    zh="SECOND_BACKWARD 只是一段文字，不能直接 raise。写成 raise RuntimeError(SECOND_BACKWARD)。",
    en="SECOND_BACKWARD is only a text and cannot be raised. Write raise RuntimeError(SECOND_BACKWARD).",
)
def raises_the_text(self: Any) -> list[Any]:
    if self.saved is None:
        words: Any = SECOND_BACKWARD
        raise words
    return _arrays(self, lambda value: value._data)


@mistake(
    RELEASE,
    zh="del 把 saved 这个属性整个删了，再问它就是 AttributeError。把它设成 None。",
    en="del removes the attribute saved altogether, and asking for it later is an AttributeError. Set it to None.",
)
def deletes_it(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        del node.saved


@mistake(
    RELEASE,
    zh="你把元组里的每一项换成了 None，那意思是“这一项没人要”，不是“已经释放”。整个 node.saved 都设成 None。",
    en="Each item became None, which means that nobody wants that item, not that it was released. Set node.saved as a whole to None.",
)
def fills_it_with_nones(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = tuple(None for _ in node.saved)
