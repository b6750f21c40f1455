"""The JSON text editor: changes can be reverted byte for byte, and other bytes stay unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.agents import jsonc, merging
from loremark.agents.changes import Change, Element, Member
from loremark.agents.errors import EditError
from tests.support.properties import examples

_HOOK: dict[str, Any] = {
    "hooks": [{"type": "command", "command": "'/opt/my tools/loremark' hook claude-code", "timeout": 5}]
}
_CHANGES: list[Change] = [
    Member(("mcpServers", "loremark"), {"command": "loremark", "args": ["mcp"]}),
    Element(("hooks", "Stop"), _HOOK),
    Element(("hooks", "SessionStart"), _HOOK),
    Member(("version",), 1, only_if_absent=True),
]

_leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\/*,{}[]é\u2028 ', max_size=4)
_values = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)
_hooks = st.dictionaries(
    st.sampled_from(["Stop", "SessionStart", "Other"]),
    st.lists(st.fixed_dictionaries({"hooks": st.lists(st.just({"command": "make lint"}), max_size=2)}), max_size=2),
    max_size=3,
)
_documents = st.fixed_dictionaries(
    {},
    optional={
        "zed": _values,
        "mcpServers": st.dictionaries(st.sampled_from(["github", "loremark", "x"]), _values, max_size=2),
        "hooks": _hooks,
        "version": st.sampled_from([1, 2]),
    },
)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """Generate documents with arbitrary whitespace, comments, trailing commas and newlines."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    trivia = st.sampled_from(
        [
            "",
            " ",
            newline,
            newline + "  ",
            newline + "\t",
            " /* c, } */ ",
            f" // it's {{{newline}",
            f"{newline}{newline} ",
        ]
    )
    trailing = draw(st.booleans())

    def render(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        is_object = isinstance(value, dict)
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        parts = []
        for key, inner in entries:
            name = f"{json.dumps(key)}{draw(trivia)}:{draw(trivia)}" if is_object else ""
            parts.append(f"{draw(trivia)}{name}{render(inner)}{draw(trivia)}")
        comma = "," if trailing and parts and draw(st.booleans()) else ""
        return ("{" if is_object else "[") + ",".join(parts) + comma + draw(trivia) + ("}" if is_object else "]")

    return draw(trivia) + render(draw(_documents)) + draw(trivia)


def _expected(document: dict[str, Any]) -> dict[str, Any]:
    hooks = dict(document.get("hooks", {}))
    for event in ("Stop", "SessionStart"):
        hooks[event] = [*hooks.get(event, []), _HOOK]
    servers = {**document.get("mcpServers", {}), "loremark": {"command": "loremark", "args": ["mcp"]}}
    return {"version": 1, **document, "mcpServers": servers, "hooks": hooks}


@settings(max_examples=examples(120), deadline=None)
@given(_texts(), st.booleans())
def test_changes_are_reverted_byte_for_byte(text: str, bom: bool) -> None:
    before = (("\ufeff" if bom else "") + text).encode()
    document = jsonc.parse(text).plain()
    applied = merging.apply(before, _CHANGES)
    assert jsonc.parse(applied.content.decode().removeprefix("\ufeff")).plain() == _expected(document)
    assert merging.apply(applied.content, _CHANGES).content == applied.content  # idempotent
    assert merging.revert(applied.content, _CHANGES, applied.undo_infos).content == before


@settings(max_examples=examples(40), deadline=None)
@given(_documents, st.sampled_from([None, 2, 4, "\t"]))
def test_revert_after_the_file_was_rewritten(document: dict[str, Any], indent: int | str | None) -> None:
    """Some agents rewrite their files; reverting must only remove our entries."""
    applied = merging.apply(json.dumps(document, indent=indent).encode(), _CHANGES)
    theirs = jsonc.parse(applied.content.decode()).plain()
    theirs["added"] = {"by": "them"}
    theirs["hooks"].setdefault("Stop", []).append({"hooks": [{"command": "theirs"}]})
    left = merging.revert(json.dumps(theirs, indent=3).encode(), _CHANGES, applied.undo_infos)
    found = json.loads(left.content)
    assert "loremark hook" not in json.dumps(found.get("hooks"))
    assert found["added"] == {"by": "them"}
    assert found["hooks"]["Stop"][-1] == {"hooks": [{"command": "theirs"}]}
    assert found.get("mcpServers") == document.get("mcpServers")
    assert found.get("version") == document.get("version")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,, }', "line 1, column 9"),
        ('{"a": [1, 2}', "line 1, column 12"),
        ('{\n  "hooks": {\n', "line 3, column 1"),
        ("{'a': 1}", "expected a quoted name"),
        ('{"a": 1} x', "unexpected text"),
        ('{"a": "\n"}', "unclosed string"),
        ("/* {}", "unclosed comment"),
        ("[" * 5000, "too deeply"),
        ('{"a": 01}', "comma or }"),
        ("[]", "is not a JSON object"),
        ('{"hooks": []}', "its 'hooks' value is not an object"),
        ('{"hooks": {"Stop": {}}}', "its 'hooks.Stop' value is not an array"),
        ('{"mcpServers": null}', "its 'mcpServers' value is not an object"),
    ],
)
def test_invalid_files_are_never_changed(text: str, message: str) -> None:
    with pytest.raises(EditError, match=message.replace("}", r"\}").replace(".", r"\.")):
        merging.apply(text.encode(), _CHANGES)


def test_only_our_hook_is_removed_from_a_shared_group() -> None:
    ours, theirs = {"command": "/old/place/loremark hook claude-code"}, {"command": "make lint"}
    text = json.dumps({"hooks": {"Stop": [{"matcher": "*", "hooks": [theirs, ours]}]}}, indent=2)
    applied = merging.apply(text.encode(), [_CHANGES[1]])
    assert json.loads(applied.content)["hooks"]["Stop"] == [{"matcher": "*", "hooks": [theirs, _HOOK["hooks"][0]]}]
    left = merging.revert(applied.content, [_CHANGES[1]], None)
    assert json.loads(left.content)["hooks"]["Stop"] == [{"matcher": "*", "hooks": [theirs]}]
