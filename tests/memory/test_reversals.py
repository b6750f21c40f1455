"""Reverts, changes of mind and changed defaults, and texts that only sound like them."""

from __future__ import annotations

import pytest

from loremark.memory.items import Item
from loremark.memory.reversals import reverses


def _item(original: tuple[str, str]) -> Item:
    return Item(*original, "decision", "root/app", 0.8)


SPOOL = ("Spool uploads on disk", "Uploads are spooled on disk because memory ran out.")
HEADER = ("Headers are limited", "The default of max_header_bytes was lowered to 16 KiB, from 1 MiB.")


@pytest.mark.parametrize(
    ("reversal", "original"),
    [
        (('Revert "Spool uploads on disk"', "It filled the disk."), SPOOL),
        (("revert, spool uploads on disk", "It filled the disk."), SPOOL),
        (("Memory again for uploads", 'This reverts commit 3fa91c2 ("Spool uploads on disk").'), SPOOL),
        (("Uploads", "We go back to buffers in RAM: uploads that were spooled filled the volume."), SPOOL),
        (
            ("Where uploads wait", "Changed my mind about spooled uploads: they stay in memory."),
            ("Uploads are spooled", "Uploads are spooled on disk."),
        ),
        (
            ("Reverting what I said", "Reverting what I said about cache.db: the file stayed open, so it is in RAM."),
            ("Where the cache lives", "We are going with a file on disk for cache.db."),
        ),
        (("Kerberos needs room", "16 KiB max_header_bytes is too small. Raised the default to 64 KiB."), HEADER),
        (("Headers", "Lowered the default of max_header_bytes to 8 KiB."), HEADER),
    ],
)
def test_reversals(reversal: tuple[str, str], original: tuple[str, str]) -> None:
    assert reverses(_item(reversal), _item(original))
    assert reverses(_item(original), _item(reversal))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Disk again", "We go back to spooling uploads on disk."), SPOOL),
        (
            ("Two images", "The loader goes back to the other image after three failures."),
            ("A/B images", "Two images."),
        ),
        (("Headers", "The default of max_header_bytes was lowered to 16 KiB."), HEADER),
        (("Bodies", "Raised the default of max_body_bytes to 64 KiB."), HEADER),
        (("Pages", "We changed our minds about pages: twenty rows a page."), SPOOL),
        (('Revert "Spool uploads on disk"', "Full."), ('Revert "Spool uploads on disk"', "It filled the disk.")),
    ],
)
def test_lookalikes_are_not_reversals(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert not reverses(_item(one), _item(other))
