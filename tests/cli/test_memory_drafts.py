"""A thing as a text for an editor: what nobody touches comes back as it was."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from loremark.cli import drafts

texts = st.text(st.one_of(st.sampled_from("-: \"'[],\n\r\t#\u2028é"), st.characters(exclude_categories=["Cs"])))
lists = st.lists(texts.filter(bool))


@example(title="", tags=[], files=[], content="\r")
@example(title="", tags=[], files=[], content="one\r\n\r")
@given(title=texts, tags=lists, files=lists, content=texts)
def test_what_nobody_touches_is_not_changed(title: str, tags: list[str], files: list[str], content: str) -> None:
    fields: dict[str, Any] = {"title": title, "tier": 2, "tags": tags, "files": files}
    text = drafts.write(fields, content)
    assert drafts.read(text, fields, content) == {}
    assert drafts.read(text.replace("\n", "\r\n"), fields, content).keys() <= {"content"}


def test_people_write_lists_as_they_like() -> None:
    fields: dict[str, Any] = {"title": "Old", "tier": 2, "tags": ["a"], "files": []}
    text = '\n---\ntags: one, two ,\nfiles: ["a,b.py"]\ntitle: New: better\n---\nBelow\n---\nthe line\n\n'
    assert drafts.read(text, fields, "") == {
        "tags": ["one", "two"],
        "files": ["a,b.py"],
        "title": "New: better",
        "content": "Below\n---\nthe line",
    }
