"""What SQLite does to its files, traced as it happens, and made to fail: for the SQLite inside this very process.

The functions of SQLite's own file layer are replaced by ones that note what they are asked for and then ask the
originals. The library is the one that Python's `sqlite3` stands on, so that the service is traced as it is.
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
"""The variable that names the file a trace is added to."""
FAILING: Final = "CHIPTRAIL_TRACE_FAILING"
"""The variable that names a file; while it is there writing fails with the code of SQLite's that it holds.

Where it says KILL the process is killed, once, right before it would sync pages that it has written.
"""
KILL: Final = "kill"

RECORD: Final = struct.Struct("<BBQQ")  # what, which file, offset (of a sync: its number), how many bytes follow


class Op(IntEnum):
    """What was done to a file; what is told of a sync are its beginning and, where it succeeded, its end."""

    WRITE = 1
    TRUNCATE = 2
    SYNC_BEGINS = 3
    SYNC_ENDS = 4
    DELETE = 5


class File(IntEnum):
    """Which of a database's files; the index of the WAL is none that must survive."""

    DATABASE = 0
    WAL = 1
    JOURNAL = 2


_Open: Final = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)  # a name is handed on as the address that it has: SQLite keeps it
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
_KEPT: Final[list[Any]] = []  # what SQLite points to must live as long as it
_KINDS: Final = {_MAIN_DATABASE: File.DATABASE, _MAIN_JOURNAL: File.JOURNAL, _WAL: File.WAL}


class Tracer:
    """Traces into the file *trace*; while the file *failing* is there, writes and syncs fail as it says."""

    def __init__(self, trace: Path, failing: Path) -> None:
        self._out = os.open(trace, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._failing = failing
        self._files: dict[int, File] = {}
        self._methods: dict[int, tuple[_Methods, _Methods]] = {}
        self._syncs = count(1)
        self._pages_written = 0

    def start(self) -> None:
        """Replace the functions of the file layer."""
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
        """Have what is asked of *file* from now on traced."""
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
        os.write(self._out, RECORD.pack(op, file, offset, len(data)) + data)  # all of it at once, whoever else writes

    def _keep(self, thing: Any) -> Any:  # noqa: ANN401 -- any function
        _KEPT.append(thing)
        return thing


def _copy(kind: Any, function: Any) -> Any:  # noqa: ANN401 -- types of ctypes
    """Return *function* by its address: a field would follow what is written to it."""
    return kind(ctypes.cast(function, ctypes.c_void_p).value)


def _library() -> ctypes.CDLL:
    """Return the SQLite that Python's own module uses, linked to it or part of it.

    Raises:
        RuntimeError: its functions can't be reached from here.
    """
    spec = util.find_spec("_sqlite3")
    for name in (spec.origin if spec and spec.has_location else None, None):
        library = ctypes.CDLL(name)
        if hasattr(library, "sqlite3_vfs_find"):
            return library
    raise RuntimeError("this Python hides the functions of its SQLite: another build is required to trace it")
