"""Compaction leaves one entry without duplicates, and can be reverted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory.compaction import compact, count_entries
from tests.support.properties import examples
from tests.support.service import Service

LINES = st.sampled_from(
    [
        "## Monday",
        "## Tuesday",
        "## ",
        "## ```",
        "## ## deep",
        "- The cache is on",
        "* The cache is on",
        "- The cache is off",
        "  - since Monday",
        "1. first",
        "A paragraph",
        "of two lines.",
        "### Risks",
        "```python",
        "```",
        "~~~~",
        "    ~~~",
        "  ```",
        "",
        "",
    ]
) | st.text(alphabet="#-`~ ab\t\r", max_size=6)


@settings(max_examples=examples(400), deadline=None, database=None)
@given(st.lists(LINES, max_size=25).map("\n".join))
def test_compaction_removes_duplicates_and_loses_nothing(content: str) -> None:
    shorter = compact(content)
    before = count_entries(content)
    assert (shorter.entries_before, shorter.entries_after) == (before, min(before, 1))
    assert count_entries(shorter.content) == shorter.entries_after
    assert compact(content) == shorter
    assert compact(shorter.content).content == shorter.content
    if before < 2:
        assert shorter.content == content
        return
    lines = content.split("\n")
    first_entry = next(at for at in range(len(lines)) if count_entries("\n".join(lines[: at + 1])))
    assert shorter.content.split("\n")[:first_entry] == lines[:first_entry]
    kept = {_without_marker(line) for line in shorter.content.split("\n")}
    lost = {_without_marker(line) for line in lines if not line.startswith("## ")} - kept
    assert lost <= {""}
    assert len(shorter.content) <= len(content) + max(len(line) for line in lines) + 1


def _without_marker(line: str) -> str:
    """A statement without its list marker."""
    stripped = line.strip()
    head, _, rest = stripped.partition(" ")
    return rest.strip() if head in ("-", "*", "+", "1.") else stripped


def test_compacted_journal_is_readable() -> None:
    journal = (
        "# Journal\n\nKept by hand.\n\n"
        "## Monday\n- The cache is off\n- Tests run on both engines\n### Risks\n- The disk\n\n"
        "## Tuesday\n\nNothing new.\n\n- Tests run on both engines\n"
        "## Wednesday\n- The cache is on\n  - since 2.0\n```sh\n## no entry\nmake run\n```\n"
        "### Risks\n- The disk\n- Time\n"
    )
    assert compact(journal).content == (
        "# Journal\n\nKept by hand.\n\n"
        "## Wednesday\n- The cache is on\n  - since 2.0\n\n```sh\n## no entry\nmake run\n```\n\n"
        "Tuesday\n\nNothing new.\n\n- Tests run on both engines\n\n"
        "Monday\n- The cache is off\n\n"
        "### Risks\n- The disk\n- Time\n"
    )


@pytest.mark.anyio
async def test_compaction_can_be_reverted(service: Service) -> None:
    owner = await service.owner()
    journal = "Above.\n" + "".join(f"## Day {n}\n- The same every day\n- New on day {n}\n" for n in range(9))
    created = (await owner.post("/api/contexts", {"name": "Journal", "content": journal})).json()
    path = f"/api/contexts/{created['id']}"
    done = (await owner.post(f"{path}/compact")).json()
    assert (done["id"], done["entriesBefore"], done["entriesAfter"]) == (created["id"], 9, 1)
    assert done["tokensSaved"] > 40
    after = (await owner.get(path)).json()
    assert after["content"].startswith(
        "Above.\n## Day 8\n- The same every day\n- New on day 8\n\nDay 7\n- New on day 7"
    )
    again = (await owner.post(f"{path}/compact")).json()
    assert again == {"id": created["id"], "entriesBefore": 1, "entriesAfter": 1, "tokensSaved": 0}
    changes = [each["change"] for each in (await owner.get(f"{path}/revisions")).json()]
    assert changes == ["compacted", "created"]
    assert (await owner.post(f"{path}/revert", {"version": 1})).json()["content"] == journal
    for content, entries in (("", 0), ("No entry.\n", 0), ("```\n## code\n## code\n```", 0), ("## one\nx", 1)):
        assert (await owner.patch(path, {"content": content})).status_code == 200
        done = (await owner.post(f"{path}/compact")).json()
        assert (done["entriesBefore"], done["entriesAfter"], done["tokensSaved"]) == (entries, entries, 0)
        assert (await owner.get(path)).json()["content"] == content
