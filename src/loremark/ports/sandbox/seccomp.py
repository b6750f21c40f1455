"""Seccomp: the Linux kernel refuses every system call except those that computing and answering need."""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Sequence

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of each architecture, and its column below."""
_ALLOWED = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "restart_syscall": (219, 128),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "getrusage": (98, 165),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""Not among them: open, socket, connect, execve, clone, kill, ptrace, prctl, ioctl, io_uring."""

_LOAD = 0x20
_JUMP_IF_EQUAL = 0x15
_RETURN = 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.EPERM


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def forbid_system_calls(libc: ctypes.CDLL) -> bool:
    """Refuse other system calls from now on, where the kernel can. Needs ``no_new_privs``."""
    if platform.machine() not in _ARCHITECTURES or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    architecture, column = _ARCHITECTURES[platform.machine()]
    code = _filter(architecture, [numbers[column] for numbers in _ALLOWED.values()])
    program = _Program(len(code) // 8, code)
    return bool(libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(program), 0, 0) == 0)


def _filter(architecture: int, allowed: Sequence[int]) -> bytes:
    """The filter as a BPF program. Jumps count the instructions they skip, if equal and if not."""
    count = len(allowed)
    return b"".join(
        (
            _instruction(_LOAD, _ARCHITECTURE_AT),
            _instruction(_JUMP_IF_EQUAL, architecture, 1, 0),
            _instruction(_RETURN, _REFUSE),
            _instruction(_LOAD, _NUMBER_AT),
            *(_instruction(_JUMP_IF_EQUAL, number, count - at, 0) for at, number in enumerate(allowed)),
            _instruction(_RETURN, _REFUSE),
            _instruction(_RETURN, _ALLOW),
        )
    )


def _instruction(code: int, value: int, if_equal: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_equal, otherwise, value)
