"""Frames: whatever is sent arrives unchanged, and whatever is malformed, too long, too deep or cut short is refused."""

import json
import os
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.protocol import (
    MAX_DEPTH,
    MAX_FRAME,
    FrameReader,
    ProtocolError,
    clip,
    pack,
    pack_job,
    read_apart,
    unpack,
    write,
)

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner), max_leaves=20)


@pytest.mark.slow
@given(st.dictionaries(st.text("abcxyz", max_size=5), VALUES))
def test_what_is_packed_is_unpacked(message):
    assert unpack(pack(message)[4:]) == message


@given(st.binary(max_size=300))
def test_noise_is_refused_or_an_object(noise):
    try:
        assert isinstance(unpack(noise), dict)
    except ProtocolError:
        pass


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b"3",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 30 + b"}",
        b'{"a": ' + b"9" * 10000 + b"}",
        b'{"a": "' + b"x" * 2001 + b'"}',
        b'{"' + b"x" * 2001 + b'": 1}',
        b'{"a": "\\ud800"}',
        b'{"a": "\xff"}',
        b'{"a": ' + b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1) + b"}",
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a": ' + b'{"a": ' * 100_000 + b"1" + b"}" * 100_001,
    ],
    ids=lambda payload: repr(payload[:20]),
)
def test_what_is_out_of_bounds_is_refused(payload):
    with pytest.raises(ProtocolError):
        unpack(payload)


def test_a_job_may_hold_long_text():
    source = {"source": "x" * 100_000}
    assert unpack(pack(source)[4:], max_text=None) == source


@pytest.mark.parametrize("message", [{"a": float("nan")}, {"a": object()}, {"a": "x" * (MAX_FRAME + 1)}])
def test_what_cannot_be_sent_is_refused(message):
    with pytest.raises(ProtocolError):
        pack(message)


def test_nothing_is_taken_for_more_than_text():
    """No pickle, no class, no hook: JSON's own six kinds."""
    kinds = {type(each) for each in unpack(json.dumps({"a": {"__class__": "x"}}).encode())["a"].values()}
    assert kinds == {str}


@given(st.text(max_size=50), st.integers(1, 60))
def test_clipped_text_can_be_sent(words, limit):
    clipped = clip(words, limit)
    assert len(clipped) <= limit
    assert unpack(pack({"a": clipped})[4:]) == {"a": clipped}


# ── Streams ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def pipe():
    ends = list(os.pipe())
    yield ends
    for end in ends:
        os.close(end)


def close_writer(pipe):
    os.close(pipe[1])
    pipe[1] = os.dup(pipe[0])


@settings(max_examples=30)
@given(
    st.lists(st.dictionaries(st.text("ab", max_size=3), st.text("é字x", max_size=300)), max_size=5),
    st.integers(1, 50),
)
def test_frames_arrive_whole_however_they_are_cut(messages, size):
    ours, theirs = os.pipe()
    stream = b"".join(pack(each) for each in messages)

    def send():
        for at in range(0, len(stream), size):
            write(theirs, stream[at : at + size])
        os.close(theirs)

    sender = threading.Thread(target=send)
    sender.start()
    reader = FrameReader(ours)
    try:
        assert [unpack(reader.read(5)) for _ in messages] == messages
        assert reader.read(5) is None
    finally:
        sender.join()
        os.close(ours)


def test_a_late_frame_is_late_but_not_lost(pipe):
    frame = pack({"a": 1})
    reader = FrameReader(pipe[0])
    write(pipe[1], frame[:3])
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        reader.read(0.05)
    assert time.monotonic() - start < 2
    write(pipe[1], frame[3:])
    assert unpack(reader.read(1)) == {"a": 1}


def test_a_frame_that_is_announced_too_long_is_refused_at_once(pipe):
    write(pipe[1], (MAX_FRAME + 1).to_bytes(4, "big"))
    with pytest.raises(ProtocolError, match="more than"):
        FrameReader(pipe[0]).read(1)


def test_a_stream_that_ends_inside_a_frame_is_refused(pipe):
    write(pipe[1], pack({"a": 1})[:-1])
    close_writer(pipe)
    with pytest.raises(ProtocolError, match="inside"):
        FrameReader(pipe[0]).read(1)


def test_a_jobs_cells_come_apart_from_what_is_said_of_it(pipe):
    cells = [{"id": "one", "source": "x = 1\n" * 1000}, {"id": "two", "source": "重"}]
    frames = pack_job({"cells": cells, "checks": []})
    sender = threading.Thread(target=write, args=(pipe[1], frames * 2))
    sender.start()
    for expected in ({"cells": ["one", "two"], "checks": []}, {"cells": cells}) * 2:
        with read_apart(pipe[0]) as pages:
            assert unpack(pages[:], max_text=None) == expected
    sender.join()
    close_writer(pipe)
    assert read_apart(pipe[0]) is None


@pytest.mark.parametrize(("sent", "why"), [(b"\x00\x00\x00\x09{}", "inside"), (b"\xff\xff\xff\xff", "more than")])
def test_what_comes_apart_is_bounded_too(pipe, sent, why):
    write(pipe[1], sent)
    close_writer(pipe)
    with pytest.raises(ProtocolError, match=why):
        read_apart(pipe[0])
