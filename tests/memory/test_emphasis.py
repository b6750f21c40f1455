"""Stripping Markdown emphasis: emphasis is removed, and literals with asterisks stay byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory.answering.sentences import passage_sentences, sanitize_line
from loremark.memory.emphasis import find_emphasis, strip_emphasis
from loremark.memory.extraction.sentence_splitter import split_sentences, strip_markdown
from tests.growth import assert_subquadratic_on

PROPERTY = settings(max_examples=300, deadline=None, database=None)
PIECES = st.sampled_from(
    ["**", "***", "*", "****", " ", "a", "2", "`", "``", "/", "\\", "(", ")", ".", "'", "é", "重", "\n", "word", "_"]
)
MARKDOWN = st.lists(PIECES, max_size=30).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**bold**", "bold"),
        ("a **bold** word", "a bold word"),
        ("**Decision:** use uv", "Decision: use uv"),
        ("(**bold**), **more**.", "(bold), more."),
        ("**a** and **b**", "a and b"),
        ("**a **b** c**", "a b c"),
        ("***both***", "*both*"),
        ('**"quoted"**', '"quoted"'),
        ("**`code`** is kept", "`code` is kept"),
        ("**uv**-based, **uv**’s", "uv-based, uv’s"),
        ("这是**重点**内容", "这是重点内容"),
        ("pass **kwargs to **every** call", "pass **kwargs to every call"),
    ],
)
def test_emphasis_is_stripped(text: str, expected: str) -> None:
    assert strip_emphasis(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1024**2", "2**8 + 2**16", "a**2 + b**2 = c**2", "(a + b)**2 and (c)**2", "'***1234'", "card ****1234****",
        "'***' and '***'", "*args and **kwargs", "f(*args, **kwargs) calls g(**kwargs)", "a ** b ** c",
        "src/**/*.py and lib/**", "**/node_modules/** and **/dist/**", r"\**not bold\**", "`**code**`",
        "``a ` **b** ``", "** spaced **", "**unclosed", "closed**", "un**frigging**believable", "* * *", "***",
    ],
)  # fmt: skip
def test_literals_survive(text: str) -> None:
    assert strip_emphasis(text) == text
    assert strip_markdown(text) == text
    assert sanitize_line(text) == text


@PROPERTY
@given(text=st.text(st.characters(exclude_characters="*"), max_size=200))
def test_text_without_asterisks_is_unchanged(text: str) -> None:
    assert strip_emphasis(text) == text


@PROPERTY
@given(
    before=MARKDOWN, code=st.text(st.characters(exclude_characters="`\n\\"), min_size=1, max_size=30), after=MARKDOWN
)
def test_code_spans_are_unchanged(before: str, code: str, after: str) -> None:
    text = f"{before.replace('`', '')} `{code}` {after.replace('`', '')}".replace("\\", "")
    assert f"`{code}`" in strip_emphasis(text)


@PROPERTY
@given(text=MARKDOWN)
def test_only_pairs_of_asterisks_are_removed(text: str) -> None:
    spans = find_emphasis(text)
    assert len(spans) % 2 == 0
    assert all(text[start:end] == "**" for start, end in spans)
    assert strip_emphasis(text).replace("*", "") == text.replace("*", "")


def test_emphasis_that_spans_sentences_is_stripped_from_each() -> None:
    source = "**We moved the queue to Redis. It keeps 1024**2 jobs.** Workers poll it."
    expected = ["We moved the queue to Redis.", "It keeps 1024**2 jobs.", "Workers poll it."]
    assert [sentence.text for sentence in split_sentences(source)] == expected
    assert split_sentences(source)[0].raw == "**We moved the queue to Redis."
    assert list(passage_sentences(source)) == expected


@pytest.mark.parametrize("piece", ["**", "** a", "**a ", " **a", "**`", "`**` ", "\\**", "***a"])
def test_stripping_stays_subquadratic(piece: str) -> None:
    assert_subquadratic_on(piece * (200_000 // len(piece)), strip_emphasis)
