"""The frames that the referee and the sandbox exchange: four bytes of length (big-endian), then a JSON
object.

Both sides use this module. The referee reads with suspicion: whatever comes out of a sandbox may have been
written by a learner's program, so lengths, depth, strings and numbers are bounded, nothing is ever
unpickled, and anything malformed, too long or cut short is a `ProtocolError`. The shape of a value (arrays,
"nan") is the business of `checks.encode`, and what a frame means that of testimony.py and runner/.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import select
import time
from typing import Any

__all__ = [
    "MAX_DEPTH",
    "MAX_FRAME",
    "MAX_TEXT",
    "FrameReader",
    "ProtocolError",
    "clip",
    "pack",
    "pack_job",
    "read_apart",
    "unpack",
    "write",
]

MAX_FRAME = 8 << 20  # bytes of one frame
MAX_TEXT = 2000  # characters of one string in a reply
MAX_DEPTH = 32  # lists within lists
_HEADER = 4
_CHUNK = 1 << 16


class ProtocolError(Exception):
    """A frame that is malformed, too long or cut short. The message is one English clause, for a reason."""


# ── One frame ────────────────────────────────────────────────────────────────────────────────────


def pack(message: dict[str, Any]) -> bytes:
    """`message` as a frame. ProtocolError if it is no plain data (NaN must be a string by now) or too long."""
    try:
        payload = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"not plain data: {error}") from None
    if len(payload) > MAX_FRAME:
        raise ProtocolError(f"a frame of {len(payload)} bytes, more than {MAX_FRAME}")
    return len(payload).to_bytes(_HEADER, "big") + payload


def pack_job(job: dict[str, Any]) -> bytes:
    """A job's two frames: what the supervisor has to know (of the cells, their ids), and the learner's cells, for `read_apart`."""
    cells = job.get("cells", [])
    return pack(job | {"cells": [each["id"] for each in cells]}) + pack({"cells": cells})


def unpack(payload: bytes, max_text: int | None = MAX_TEXT) -> dict[str, Any]:
    """The JSON object in `payload`, within bounds. `max_text=None` is for what the referee itself wrote."""
    try:
        message = json.loads(payload, parse_constant=_refuse)
    except (ValueError, RecursionError, MemoryError) as error:
        raise ProtocolError(f"not JSON: {str(error)[:200]}") from None
    if not isinstance(message, dict):
        raise ProtocolError("not a JSON object")
    _check_bounds(message, max_text)
    return message


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _check_bounds(message: dict[str, Any], max_text: int | None) -> None:
    """No string too long, no nesting too deep, no number out of range. Without recursion."""
    level: list[Any] = [message]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += each.values()
                below += each.keys()
            elif isinstance(each, list):
                below += each
            else:
                _check_leaf(each, max_text)
        level = below
        if not level:
            return
    raise ProtocolError(f"nested deeper than {MAX_DEPTH}")


def _check_leaf(leaf: Any, max_text: int | None) -> None:
    if isinstance(leaf, str):
        if max_text is not None and len(leaf) > max_text:
            raise ProtocolError(f"a string of {len(leaf)} characters, more than {max_text}")
        if not leaf.isascii() and leaf != clip(leaf, len(leaf) + 1):
            raise ProtocolError("a string that is no Unicode text")
    elif isinstance(leaf, int) and abs(leaf) >= 1 << 64:
        raise ProtocolError("an integer wider than 64 bits")
    elif isinstance(leaf, float) and not math.isfinite(leaf):
        raise ProtocolError("a number that is not finite")


def clip(words: object, limit: int = MAX_TEXT) -> str:
    """`words` as a string that a frame may carry: at most `limit` characters, encodable as UTF-8."""
    line = str.encode(str(words)[:limit], "utf-8", "replace").decode()
    return line if len(line) < limit else line[: limit - 1] + "…"


# ── A stream of frames ───────────────────────────────────────────────────────────────────────────


def write(fd: int, frame: bytes) -> None:
    """All of `frame`, or OSError."""
    view = memoryview(frame)
    while view:
        view = view[os.write(fd, view) :]


def read_apart(fd: int) -> mmap.mmap | None:
    """The next frame's payload in pages of its own, which closing gives back to the system: nowhere else is a copy left.

    For one learner's cells in a process from which another learner's will be forked. Not a byte of what comes after the
    frame is read. None where the stream ended between frames; ProtocolError as for FrameReader.
    """
    header = bytearray(_HEADER)
    if not (came := _fill(fd, memoryview(header))):
        return None
    size = int.from_bytes(header, "big")
    if size > MAX_FRAME:
        raise ProtocolError(f"a frame of {size} bytes, more than {MAX_FRAME}")
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with memoryview(pages) as view:
        if came < _HEADER or _fill(fd, view) < size:
            raise ProtocolError("the stream ended inside a frame")
    return pages


def _fill(fd: int, room: memoryview) -> int:
    """Read until the room is full, or the stream at its end; how many bytes came."""
    done = 0
    while done < len(room):
        with room[done:] as rest:
            came = os.readv(fd, [rest])
        if not came:
            break
        done += came
    return done


class FrameReader:
    """Takes frames from a file descriptor, never holding more than one frame and a chunk in memory."""

    def __init__(self, fd: int):
        self.fd = fd
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)

    def read(self, timeout: float | None = None) -> bytes | None:
        """The next frame's payload, or None where the stream ended between frames.

        TimeoutError if it is not complete after `timeout` seconds (what came of it is kept for the next
        call); ProtocolError if it is announced too long, or the stream ends inside it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while (payload := self._take()) is None:
            chunk = self._receive(deadline)
            if not chunk:
                if self._buffer:
                    raise ProtocolError("the stream ended inside a frame")
                return None
            self._buffer += chunk
        return payload

    def _take(self) -> bytes | None:
        if len(self._buffer) < _HEADER:
            return None
        size = int.from_bytes(self._buffer[:_HEADER], "big")
        if size > MAX_FRAME:
            raise ProtocolError(f"a frame of {size} bytes, more than {MAX_FRAME}")
        if len(self._buffer) < _HEADER + size:
            return None
        payload = bytes(self._buffer[_HEADER : _HEADER + size])
        del self._buffer[: _HEADER + size]
        return payload

    def _receive(self, deadline: float | None) -> bytes:
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        if not self._poll.poll(left):
            raise TimeoutError
        return os.read(self.fd, _CHUNK)
