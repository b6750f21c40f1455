"""What a revert means for the items that quote the reverted commit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremark.memory.extraction.results import Revert
from loremark.memory.items import Item, Quote
from loremark.memory.reverted_items import add_mark, find_effect, find_marks, remove_marks, rests_on_reverted_only

POOL, UNDO, REDO = "a1" * 20, "b2" * 20, "c3" * 20
SUBJECT = "feat(pool): one pool per tenant (#12)"
ITEM = Item(
    title="One pool per tenant",
    content="One tenant took all connections.",
    type="decision",
    schema_key="root/pool",
    confidence=0.9,
    evidence=(Quote("e1", SUBJECT, POOL), Quote("e1", "One tenant took all connections.", POOL)),
)
UNDONE = Revert("e2", UNDO, f"This reverts commit {POOL}", POOL, SUBJECT)


@pytest.mark.parametrize(
    "revert",
    [
        UNDONE,
        Revert("e2", UNDO, f"This reverts commit {POOL[:9]}", POOL[:9], ""),
        Revert("e2", UNDO, f'Revert "{SUBJECT}"', "", SUBJECT),
        Revert("e2", UNDO, 'Revert "feat(pool): one pool per tenant"', "", "feat(pool): one pool per tenant"),
        # its commit was squashed
        Revert("e2", UNDO, "This reverts commit 12345678", "12345678", SUBJECT, f'Revert "{SUBJECT}"'),
    ],
)
def test_an_item_is_reverted_once_and_restored_by_reverting_the_revert(revert: Revert) -> None:
    assert find_effect(ITEM, revert) == "reverted"
    marked = add_mark(ITEM, revert)
    assert find_effect(marked, revert) is None
    again = Revert("e3", REDO, f"This reverts commit {UNDO}", UNDO, "")
    assert find_effect(marked, again) == "restored"
    assert remove_marks(marked) == ITEM
    assert find_effect(ITEM, again) is None


def test_a_revert_of_a_revert_may_be_known_by_its_subject_only() -> None:
    marked = add_mark(ITEM, UNDONE)
    again = Revert("e3", REDO, f'Reapply "{SUBJECT}"', "", f'Revert "{SUBJECT}"')
    assert find_effect(marked, again) == "restored"
    other = Revert("e3", REDO, 'Reapply "docs: tides"', "", 'Revert "docs: tides"')
    assert find_effect(marked, other) is None


def test_the_item_of_a_revert_is_no_mark() -> None:
    reason = replace(ITEM, evidence=(Quote("e2", f'Revert "{SUBJECT}"', UNDO), Quote("e2", "Why.", UNDO)))
    assert find_marks(reason) == []
    assert find_effect(reason, UNDONE) is None
    assert find_effect(reason, Revert("e3", REDO, f"This reverts commit {UNDO}", UNDO, "")) == "reverted"


def test_other_evidence_supports_an_item_too() -> None:
    both = replace(ITEM, evidence=(*ITEM.evidence, Quote("e0", "We want one pool per tenant.")))
    assert rests_on_reverted_only(ITEM, UNDONE)
    assert not rests_on_reverted_only(both, UNDONE)
