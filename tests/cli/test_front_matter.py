"""Front matter for the editor: unedited text parses to no changes."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from loremark.cli import front_matter

texts = st.text(st.one_of(st.sampled_from("-: \"'[],\n\r\t#\u2028é"), st.characters(exclude_categories=["Cs"])))
lists = st.lists(texts.filter(bool))


@example(title="", tags=[], files=[], content="\r")
@example(title="", tags=[], files=[], content="one\r\n\r")
@given(title=texts, tags=lists, files=lists, content=texts)
def test_unedited_text_has_no_changes(title: str, tags: list[str], files: list[str], content: str) -> None:
    fields: dict[str, Any] = {"title": title, "tier": 2, "tags": tags, "files": files}
    text = front_matter.dump(fields, content)
    assert front_matter.parse_changes(text, fields, content) == {}
    assert front_matter.parse_changes(text.replace("\n", "\r\n"), fields, content).keys() <= {"content"}


def test_list_formats() -> None:
    fields: dict[str, Any] = {"title": "Old", "tier": 2, "tags": ["a"], "files": []}
    text = '\n---\ntags: one, two ,\nfiles: ["a,b.py"]\ntitle: New: better\n---\nBelow\n---\nthe line\n\n'
    assert front_matter.parse_changes(text, fields, "") == {
        "tags": ["one", "two"],
        "files": ["a,b.py"],
        "title": "New: better",
        "content": "Below\n---\nthe line",
    }
