"""Frames of a learner's own making, in place of what the runner would say of relu: malformed, out of order, misleading."""

from __future__ import annotations

from attacks import Forgery

RISKS = ("tanh_backward", "exp_log_backward")  # the stream may break before these are through
_BESIDE = """
import json, os
import autograder.runner.checking as checking
plain = checking.Learner.tell
def say(self, message):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    data = len(data).to_bytes(4, "big") + data
    while data: data = data[os.write(self.pipe, data):]
def number(message, digits): return json.dumps({{**message, "value": "X"}}).replace('"X"', digits).encode()
def tree(depth): return [tree(depth - 1) for _ in range(12)] if depth else 0
def array(shape, dtype, data): return {{"shape": shape, "dtype": dtype, "data": data}}
def counted(message, times): return {{"calls": dict.fromkeys(message["calls"], times)}}
def tell(self, message):
    if message.get("check") != "relu_backward" or message["type"] != {kind!r}: return plain(self, message)
    {body}
checking.Learner.tell = tell
"""
_VALUES = {
    "an_empty_shape_of_many_numbers": "array([0, 2**62, 2**62], 'float64', [])",
    "a_shape_of_32_dimensions": "array([1] * 32, 'float64', [0.0])",
    "a_dtype_of_many_letters": "array([], 'f' * 1900, [0.0])",
    "a_dtype_that_turns_the_line": "array([], '\\u202efloat64', [0.0])",
    "numbers_that_are_words": "array([3], 'float64', ['nan', 'inf', '-inf'])",
    "numbers_that_are_booleans": "array([2], 'float64', [True, False])",
    "a_tree_of_a_quarter_of_a_million": "tree(5)",
}
_PROPERTIES = {
    **{name: f"say(self, {{**message, 'value': {value}}})" for name, value in _VALUES.items()},
    "the_same_label_twice": "for each in (0.0, message['value']): plain(self, {**message, 'value': each})",
    "two_kinds_in_one": 'say(self, json.dumps(message).encode()[:-1] + b\', "type": "check_done", "calls": {}}\')',
    "no_text": 'say(self, b\'{"type": "property", "check": "relu_backward", "label": "\\xff"}\')',
    "half_a_character": "say(self, {**message, 'label': '\\ud800'})",
    "another_encoding": "say(self, json.dumps(message).encode('utf-16'))",
    "eight_megabytes_of_blanks": "say(self, b' ' * (8 << 20))",
    "a_number_of_4000_digits": "say(self, number(message, '9' * 4200))",
    "a_number_that_is_not_finite": "say(self, number(message, '1e400'))",
    "a_kind_that_is_a_list": "say(self, {**message, 'type': ['property']})",
    "a_check_that_is_a_list": "say(self, {**message, 'check': ['relu_backward']})",
    "a_label_that_is_an_object": "say(self, {**message, 'label': {'a': 1}})",
    "a_cell_that_is_a_list": "say(self, {'type': 'starts', 'cell': ['relu']})",
    "the_start_again_and_again": "for _ in range(3000): say(self, {'type': 'starts', 'check': 'relu_backward'})",
    "the_end_in_the_middle": "say(self, {'type': 'end'})",
    "back_to_a_cell": "say(self, {'type': 'starts', 'cell': 'relu'}); plain(self, message)",
}
_ENDS = {
    "counts_that_are_true": "say(self, {**message, **counted(message, True), 'unwritten': [], 'error': None})",
    "counts_without_end": "say(self, {**message, **counted(message, 2**63), 'unwritten': {}, 'error': []})",
}
FORGED = [
    Forgery(f"frame:{name}", _BESIDE.format(kind=kind, body=body), risks=RISKS)
    for kind, bodies in (("property", _PROPERTIES), ("check_done", _ENDS))
    for name, body in bodies.items()
]
