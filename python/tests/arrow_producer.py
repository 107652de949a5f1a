"""An Arrow stream made by hand, with ctypes: what no library would produce, and a count of the release callbacks."""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowArrayStream(ctypes.Structure):
    pass


ReleaseSchema = CFUNCTYPE(None, POINTER(ArrowSchema))
ReleaseArray = CFUNCTYPE(None, POINTER(ArrowArray))
ReleaseStream = CFUNCTYPE(None, POINTER(ArrowArrayStream))
GetSchema = CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))
GetNext = CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))
GetLastError = CFUNCTYPE(c_void_p, POINTER(ArrowArrayStream))

ArrowSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)),
    ("release", ReleaseSchema),
    ("private_data", c_void_p),
]
ArrowArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))),
    ("dictionary", POINTER(ArrowArray)),
    ("release", ReleaseArray),
    ("private_data", c_void_p),
]
ArrowArrayStream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetLastError),
    ("release", ReleaseStream),
    ("private_data", c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]


@dataclass
class Column:
    """Buffers are bytes or None; the first are the validity bits."""

    name: bytes
    format: bytes
    buffers: Sequence[bytes | None]
    length: int
    null_count: int = 0
    offset: int = 0


@dataclass
class Chunk:
    columns: Sequence[Column]
    length: int
    offset: int = 0
    null_count: int = 0
    validity: bytes | None = None
    n_children: int | None = None  # None: as many as there are columns


@dataclass
class Producer:
    """An object with `__arrow_c_stream__`."""

    chunks: Sequence[Chunk]
    schema: Sequence[Column] | None = None  # None: that of the first chunk
    fail_at: int | None = None
    message: bytes | None = b"the disk is on fire"
    released_arrays: int = 0
    released_schemas: int = 0
    released_streams: int = 0
    given: int = 0
    _kept: list[Any] = field(default_factory=list)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        calls = (
            GetSchema(self._get_schema),
            GetNext(self._get_next),
            GetLastError(self._get_last_error),
            ReleaseStream(self._release_stream),
        )
        stream = ArrowArrayStream(*calls)
        self._kept += [stream, calls]
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)

    def _get_schema(self, _stream: Any, out: Any) -> int:
        columns = self.schema if self.schema is not None else self.chunks[0].columns
        children = (POINTER(ArrowSchema) * len(columns))()
        for j, column in enumerate(columns):
            child = ArrowSchema(format=column.format, name=column.name)
            self._kept.append(child)
            children[j] = ctypes.pointer(child)
        self._kept.append(children)
        out[0].format = b"+s"
        out[0].n_children = len(columns)
        out[0].children = ctypes.cast(children, POINTER(POINTER(ArrowSchema)))
        release = ReleaseSchema(self._release_schema)
        self._kept.append(release)
        out[0].release = release
        return 0

    def _get_next(self, _stream: Any, out: Any) -> int:
        if self.fail_at == self.given:
            return errno.EIO
        if self.given == len(self.chunks):
            return 0  # release stays null: the end
        chunk = self.chunks[self.given]
        self.given += 1
        children = (POINTER(ArrowArray) * max(len(chunk.columns), 1))()
        for j, column in enumerate(chunk.columns):
            child = ArrowArray(length=column.length, null_count=column.null_count, offset=column.offset)
            child.n_buffers = len(column.buffers)
            child.buffers = self._pointers(column.buffers)
            self._kept.append(child)
            children[j] = ctypes.pointer(child)
        self._kept.append(children)
        out[0].length = chunk.length
        out[0].offset = chunk.offset
        out[0].null_count = chunk.null_count
        out[0].n_buffers = 1
        out[0].buffers = self._pointers([chunk.validity])
        out[0].n_children = len(chunk.columns) if chunk.n_children is None else chunk.n_children
        out[0].children = ctypes.cast(children, POINTER(POINTER(ArrowArray)))
        release = ReleaseArray(self._release_array)
        self._kept.append(release)
        out[0].release = release
        return 0

    def _pointers(self, buffers: Sequence[bytes | None]) -> Any:
        pointers = (c_void_p * max(len(buffers), 1))()
        for i, buffer in enumerate(buffers):
            if buffer is not None:
                memory = ctypes.create_string_buffer(buffer, max(len(buffer), 1))
                self._kept.append(memory)
                pointers[i] = ctypes.addressof(memory)
        self._kept.append(pointers)
        return ctypes.cast(pointers, POINTER(c_void_p))

    def _get_last_error(self, _stream: Any) -> int | None:
        if self.message is None:
            return None
        memory = ctypes.create_string_buffer(self.message)
        self._kept.append(memory)
        return ctypes.addressof(memory)

    def _release_schema(self, schema: Any) -> None:
        self.released_schemas += 1
        schema[0].release = ReleaseSchema()

    def _release_array(self, array: Any) -> None:
        self.released_arrays += 1
        array[0].release = ReleaseArray()

    def _release_stream(self, stream: Any) -> None:
        self.released_streams += 1
        stream[0].release = ReleaseStream()
