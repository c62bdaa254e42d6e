"""Other right ways to write lesson 08's parts."""

from alternatives import alternative
from minigrad.autograd.graph import SECOND_BACKWARD, SavedResult

SAVE = "minigrad.autograd.graph.save_result"
UNPACK = "minigrad.autograd.graph.Node.unpack_arrays"
RELEASE = "minigrad.autograd.engine.release"


@alternative(SAVE)
def by_names(result, output=0):
    return SavedResult(data=result._data, counter=result.counter(), output=output)


@alternative(SAVE)
def counter_first(result, output=0):
    counter = result.counter()
    saved = SavedResult(result._data, counter)
    saved.output = output
    return saved


@alternative(UNPACK)
def by_generator(self):
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    for index, value in enumerate(self.saved):
        if value is not None:
            self.check_saved(index, value)
    return [value if value is None else value._data for value in self.saved]


@alternative(UNPACK)
def by_filling_in(self):
    if self.saved is not None:
        values = [None] * len(self.saved)
        for index, value in enumerate(self.saved):
            if value is None:
                continue
            if value._counter:
                self.check_saved(index, value)
            values[index] = value._data
        return values
    raise RuntimeError(SECOND_BACKWARD)


@alternative(RELEASE)
def by_early_return(node, retain_graph):
    if retain_graph:
        return
    node.saved = None


@alternative(RELEASE)
def by_expression(node, retain_graph):
    node.saved = node.saved if retain_graph else None
