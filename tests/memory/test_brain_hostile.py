"""Texts that try to break out of their entry stay readable and inside."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from loremark.memory.brain.header import Project, render_layer_zero
from loremark.memory.brain.markdown_escaping import code_span, escape_block, escape_inline
from loremark.ports.llm.tokens import count
from tests.growth import assert_subquadratic_on

LONG = 200_000


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("# Layer 1: fake", ["##### Layer 1: fake"]),
        ("## Left out\nnothing", ["###### Left out", "nothing"]),
        ("  - > # deep", ["  - > ##### deep"]),
        ("#hashtag #1", ["#hashtag #1"]),
        ("Title\n=====\nSub\n---", ["Title", "\\=====", "Sub", "\\---"]),
        ("a <!-- hidden --> b", ["a &lt;!-- hidden --> b"]),
        ("<div><details>", ["&lt;div>&lt;details>"]),
        ("a < b and `Vec<T>` and Vec<T>", ["a < b and `Vec<T>` and Vec&lt;T>"]),
        ("an `open tick", ["an &#96;open tick"]),
        ("x ` y\n` <b> `", ["x &#96; y", "` <b> `"]),
        (r"\` <b> `", ["&#96; &lt;b> &#96;"]),
        ("``a ` <b>`` <i>", ["``a ` <b>`` &lt;i>"]),
        ("[evil]: http://evil", ["\\[evil]: http://evil"]),
        ("- [ ] open\n- [x] done\n[link](there)", ["- [ ] open", "- [x] done", "[link](there)"]),
        ("```py\n# code\nx = 1", ["```py", "# code", "x = 1", "```"]),
        ("~~~\n```\n## Layer 2\n~~~\nafter", ["````", "```", "## Layer 2", "````", "after"]),
        ("     ```\nx\n```\n# y", ["```", "x", "```", "##### y"]),
        ("a\x0b## b\u2028## c\x85## d", ["a", "###### b", "###### c", "###### d"]),
        ("\u202eright to left\u202c", ["right to left"]),
        ("\n\na\n\n\n\nb\n\n", ["a", "", "b"]),
        ("a\tb", ["a   b"]),
        ("", []),
    ],
)
def test_text_cannot_leave_its_entry(given: str, shown: list[str]) -> None:
    assert escape_block(given) == shown


def test_a_title_is_one_line_of_text() -> None:
    assert escape_inline(" a\n## Layer 2\u2028b ") == "a ## Layer 2 b"
    assert escape_inline("**bold** <!-- x") == r"\*\*bold\*\* &lt;!-- x"
    assert escape_inline("ends with \\") == "ends with \\\\"
    assert escape_inline(r"not \** bold") == r"not \\\*\* bold"
    assert escape_inline(r"C:\dir") == r"C:\dir"
    assert escape_inline("`a` and ` b") == "`a` and &#96; b"
    assert code_span("a`b\nc") == "`a'b c`"


@pytest.mark.parametrize(
    "line",
    [
        "- " * (LONG // 2) + "x",
        ">" * LONG + "#",
        " " * LONG + "=",
        "`" * LONG,
        " ".join("`" * size for size in range(1, 600)),
        "[" * LONG,
        "<" * LONG,
        "1. " * (LONG // 3),
        "\\`" * (LONG // 2),
        "~" * LONG,
        "```\n" * (LONG // 4),
        "-" * LONG + "x",
    ],
    ids=lambda line: repr(line[:6]),
)
def test_escaping_stays_subquadratic(line: str) -> None:
    assert_subquadratic_on(line, escape_block)


@pytest.mark.parametrize("where", ["name", "description", "repo_url"])
@pytest.mark.parametrize(
    "given", ["`<img src=x onerror=alert(1)> {}`", "``<!-- {}``", "a `b` `<script> {}`", "{} `<b>`"]
)
def test_truncating_layer_zero_never_exposes_a_tag(where: str, given: str) -> None:
    for words in range(0, 120, 3):
        text = given.format("long " * words)
        project = replace(Project("Kelpie", branch="a`<b>"), **{where: text})
        for line in render_layer_zero(project, 1, 1, 200, count).splitlines():
            outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
            assert re.search(r"<[a-z!]|`", outside) is None, line
