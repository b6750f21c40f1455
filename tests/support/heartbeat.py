"""How long this machine stood still: a small process of its own wakes up all the time, writes to the disk now and then,
and notes by how much it was late. It is held up with everything else, and hardly by what the tests do."""

from __future__ import annotations

import atexit
import mmap
import os
import struct
import subprocess
import sys
import time

_BEAT_S = 0.02
_HELD_UP_S = 0.25
"""What is less late than this was waiting for its turn."""

_BEATS_TO_A_WRITE = 25
_BEGINS_WITHIN_S = 10.0
_NOTED = struct.Struct("<dd")
_HEART = f"""
import mmap, os, select, struct, sys, tempfile, time
page = mmap.mmap(int(sys.argv[1]), {_NOTED.size})
lost, last, beats = 0.0, time.monotonic(), 0
with tempfile.TemporaryFile(buffering=0) as file:
    while not select.select([0], [], [], {_BEAT_S})[0]:
        beats += 1
        if not beats % {_BEATS_TO_A_WRITE}:
            os.pwrite(file.fileno(), b"-", 0)
            os.fsync(file.fileno())
        now = time.monotonic()
        late = now - last - {_BEAT_S}
        lost, last = lost + (late if late > {_HELD_UP_S} else 0.0), now
        page[:] = struct.pack("<dd", lost, last)
"""


class Heartbeat:
    """Beats until its process ends."""

    def __init__(self) -> None:
        page = os.memfd_create("heartbeat")
        os.write(page, _NOTED.pack(0.0, began := time.monotonic()))
        self._page = mmap.mmap(page, _NOTED.size)
        command = [sys.executable, "-I", "-S", "-c", _HEART, str(page)]
        # Its input ends with this process, and so does it.
        self._heart = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(page,), start_new_session=True)
        os.close(page)
        atexit.register(self._heart.communicate)
        # It beats when this returns: what holds it up while it begins would be forgotten with its first beat.
        while _NOTED.unpack(self._page[:])[1] == began and time.monotonic() < began + _BEGINS_WITHIN_S:
            time.sleep(_BEAT_S / 4)

    def lost_s(self) -> float:
        """All that the machine stood still since it began."""
        lost, last = _NOTED.unpack(self._page[:])
        late = time.monotonic() - last - _BEAT_S
        return float(lost + (late if late > _HELD_UP_S else 0.0))
