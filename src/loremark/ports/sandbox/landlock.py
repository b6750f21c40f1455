"""Landlock: the Linux kernel forbids a process to open files and TCP connections, even as root."""

from __future__ import annotations

import ctypes
import os

_CREATE_RULESET = 444
_RESTRICT_SELF = 446
"""The same numbers on every architecture."""
_GET_VERSION = 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many of the file rights each version of Landlock knows."""
_NETWORK_RIGHTS = {4: 2}
_SCOPES = {6: 2}
"""Abstract Unix sockets, and signals to processes outside."""


class _Ruleset(ctypes.Structure):
    _fields_ = [
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    ]


def forbid_files(libc: ctypes.CDLL) -> bool:
    """Forbid this process to open any file from now on, where the kernel can. Needs ``no_new_privs``."""
    libc.syscall.restype = ctypes.c_long
    libc.syscall.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
    version = libc.syscall(_CREATE_RULESET, None, 0, _GET_VERSION)
    if version < 1:
        return False
    rules = _Ruleset(*(_all_rights(known, version) for known in (_FILE_RIGHTS, _NETWORK_RIGHTS, _SCOPES)))
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.addressof(rules), size, 0)
    if ruleset < 0:
        return False
    # Not one rule allows anything, so everything that the ruleset names is forbidden.
    restricted = libc.syscall(_RESTRICT_SELF, ruleset, 0, 0) == 0
    os.close(ruleset)
    return bool(restricted)


def _all_rights(known: dict[int, int], version: int) -> int:
    count = max((count for since, count in known.items() if since <= version), default=0)
    return (1 << count) - 1
