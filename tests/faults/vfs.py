"""Traces the file operations of the SQLite in this process, and makes writes and syncs fail on demand.

Replaces functions of SQLite's VFS, its file layer: each new function calls the original and writes the operation to the
trace, unless it fails on demand. The library is the one that Python's `sqlite3` uses, so the service runs unchanged.
"""

import ctypes
import os
import signal
import struct
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from importlib import util
from itertools import count
from pathlib import Path
from typing import Any, Final

TRACE: Final = "CHIPTRAIL_TRACE"
"""The environment variable that names the file to which the trace is appended."""
FAILING: Final = "CHIPTRAIL_TRACE_FAILING"
"""The environment variable that names a file; while this file exists, writes fail with the SQLite error code in it.

If the file's content is `KILL`, the process is killed, once, right before it syncs pages that it has written.
"""
KILL: Final = "kill"

RECORD: Final = struct.Struct("<BBQQ")  # operation, file, offset (a sync: its number; a truncation: the size), length


class Op(IntEnum):
    """An operation on a file. The trace has the start of each sync, and its end if the sync succeeded."""

    WRITE = 1
    TRUNCATE = 2
    SYNC_BEGINS = 3
    SYNC_ENDS = 4
    DELETE = 5


class File(IntEnum):
    """A file of a database. The index of the WAL is not traced: SQLite rebuilds it after a crash."""

    DATABASE = 0
    WAL = 1
    JOURNAL = 2


_Open: Final = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)  # the name is passed on as an address, since SQLite keeps the pointer
_Delete: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_Write: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
_Truncate: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_Sync: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_OTHER: Final = ctypes.c_void_p


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("file_bytes", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", _Open),
        ("delete", _Delete),
    )


class _Methods(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("close", _OTHER),
        ("read", _OTHER),
        ("write", _Write),
        ("truncate", _Truncate),
        ("sync", _Sync),
        *((f"other_{number}", _OTHER) for number in range(13)),
    )


class _OpenFile(ctypes.Structure):
    _fields_ = (("methods", ctypes.POINTER(_Methods)),)


_MAIN_DATABASE: Final = 0x0100
_MAIN_JOURNAL: Final = 0x0800
_WAL: Final = 0x80000
_PAGE: Final = 4096  # bytes
_KEPT: Final[list[Any]] = []  # objects to which SQLite has pointers, so Python must not free them
_KINDS: Final = {_MAIN_DATABASE: File.DATABASE, _MAIN_JOURNAL: File.JOURNAL, _WAL: File.WAL}


class Tracer:
    """Appends file operations to *trace*; while the file *failing* exists, writes and syncs fail as this file says."""

    def __init__(self, trace: Path, failing: Path) -> None:
        self._out = os.open(trace, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._failing = failing
        self._files: dict[int, File] = {}
        self._methods: dict[int, tuple[_Methods, _Methods]] = {}
        self._syncs = count(1)
        self._pages_written = 0

    def start(self) -> None:
        """Replace the functions of the VFS."""
        library = _library()
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        vfs = library.sqlite3_vfs_find(None).contents
        opens, deletes = _copy(_Open, vfs.open), _copy(_Delete, vfs.delete)

        def open_(layer: int, name: int, file: int, flags: int, out: int) -> int:
            code: int = opens(layer, name, file, flags, out)
            kind = next((kind for flag, kind in _KINDS.items() if flags & flag), None)
            if code == 0 and kind is not None:
                self._files[file] = kind
                self._replace(_OpenFile.from_address(file))
            return code

        def delete(layer: int, name: int, syncs: int) -> int:
            code: int = deletes(layer, name, syncs)
            if code == 0 and ctypes.string_at(name).endswith(b"-wal"):
                self._say(Op.DELETE, File.WAL)
            return code

        vfs.open, vfs.delete = self._keep(_Open(open_)), self._keep(_Delete(delete))

    def _replace(self, file: _OpenFile) -> None:
        """Trace the operations on *file* from now on."""
        address = ctypes.addressof(file.methods.contents)
        if address not in self._methods:
            original = _Methods.from_buffer_copy(file.methods.contents)
            ours = _Methods.from_buffer_copy(original)
            ours.write = self._keep(_Write(self._write(_copy(_Write, original.write))))
            ours.truncate = self._keep(_Truncate(self._truncate(_copy(_Truncate, original.truncate))))
            ours.sync = self._keep(_Sync(self._sync(_copy(_Sync, original.sync))))
            self._methods[address] = original, ours
        file.methods = ctypes.pointer(self._methods[address][1])

    def _write(self, original: Callable[..., int]) -> Callable[..., int]:
        def write(file: int, data: int, length: int, offset: int) -> int:
            if failure := self._failure():
                return failure
            code = original(file, data, length, offset)
            if code == 0:
                self._pages_written += length >= _PAGE
                self._say(Op.WRITE, self._files[file], offset, ctypes.string_at(data, length))
            return code

        return write

    def _truncate(self, original: Callable[..., int]) -> Callable[..., int]:
        def truncate(file: int, size: int) -> int:
            code = original(file, size)
            if code == 0:
                self._say(Op.TRUNCATE, self._files[file], size)
            return code

        return truncate

    def _sync(self, original: Callable[..., int]) -> Callable[..., int]:
        def sync(file: int, flags: int) -> int:
            if self._pages_written:
                self._die_if_told()
            self._pages_written = 0
            if failure := self._failure():
                return failure
            number = os.getpid() << 32 | next(self._syncs)
            self._say(Op.SYNC_BEGINS, self._files[file], number)
            code = original(file, flags)
            if code == 0:
                self._say(Op.SYNC_ENDS, self._files[file], number)
            return code

        return sync

    def _failure(self) -> int:
        with suppress(FileNotFoundError):
            said = self._failing.read_text()
            return int(said) if said.isdigit() else 0
        return 0

    def _die_if_told(self) -> None:
        with suppress(FileNotFoundError):
            if self._failing.read_text() == KILL:
                self._failing.unlink()
                os.kill(os.getpid(), signal.SIGKILL)

    def _say(self, op: Op, file: File, offset: int = 0, data: bytes = b"") -> None:
        # A single write appends the whole record, because other processes append to the same file.
        os.write(self._out, RECORD.pack(op, file, offset, len(data)) + data)

    def _keep(self, thing: Any) -> Any:  # noqa: ANN401 -- this may be any function
        _KEPT.append(thing)
        return thing


def _copy(kind: Any, function: Any) -> Any:  # noqa: ANN401 -- ctypes has these types
    """Return *function* bound to its present address: a field of a structure changes when the structure is written."""
    return kind(ctypes.cast(function, ctypes.c_void_p).value)


def _library() -> ctypes.CDLL:
    """Return the SQLite library of Python's `sqlite3`, whether linked dynamically or built in.

    Raises:
        RuntimeError: this Python does not expose the functions of its SQLite.
    """
    spec = util.find_spec("_sqlite3")
    for name in (spec.origin if spec and spec.has_location else None, None):
        library = ctypes.CDLL(name)
        if hasattr(library, "sqlite3_vfs_find"):
            return library
    raise RuntimeError("this Python hides the functions of its SQLite: another build is required to trace it")
