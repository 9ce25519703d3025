"""Run a command that must obey file permissions: root first gives up its capabilities to ignore permissions."""

import ctypes
import os
import sys

_DROP_FROM_THE_BOUND = 24
_OVERRIDE_PERMISSIONS, _READ_AND_SEARCH_ANYTHING = 1, 2

if __name__ == "__main__":
    library = ctypes.CDLL(None)
    for right in (_OVERRIDE_PERMISSIONS, _READ_AND_SEARCH_ANYTHING):
        if library.prctl(_DROP_FROM_THE_BOUND, right, 0, 0, 0) and os.geteuid() == 0:
            sys.exit("root that cannot give up its rights is bound by no permissions: run this as somebody else")
    os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 -- the command replaces this process
