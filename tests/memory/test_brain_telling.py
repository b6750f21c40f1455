"""What a text tells: items that say something stand before those that only have a title."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from loremark.memory.brain.entries import Text, promises, worth
from loremark.memory.brain.telling import repeats, tells
from tests.memory.test_brain import _beginning, assemble, told, wild

RICH = (
    "QUIC starts with packets of 1200 bytes, because the tunnel drops larger ones; 1280 was tried and "
    "`initial_packet_size` had to be lowered instead of the interface's own limit."
)


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Check type assertion", "Check type assertion."),
        ("Check type assertion", "check type assertion"),
        ("Check type assertion", "Check type assertion. See https://github.com/caddyserver/caddy-l4/issues/378"),
        ("Check type assertion", "Check type assertion (#378)"),
        ("Better icon", "Better icon. Better, better icon!"),
        ("型アサーションを確認する", "型アサーションを確認する。"),
        ("", ""),
    ],
)
def test_a_title_said_twice_tells_little(title: str, content: str) -> None:
    assert tells(Text(title, content)) < 0.5


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Packets of 1200 bytes", RICH),
        (
            "最初のパケットは1200バイト",
            "トンネルが大きなパケットを落とすため、最初のパケットは小さくする。設定で下げた値を戻さないこと。",
        ),
        (
            "Pakete",
            "Der Tunnel verwirft größere, weil seine Grenze bei 1280 Bytes liegt; sonst bricht er ab.",
        ),
    ],
)
def test_a_reason_with_names_and_figures_tells_more_than_twice_as_much(title: str, content: str) -> None:
    assert tells(Text(title, content)) > 2 * tells(Text(title, title))


def test_each_thing_that_can_be_held_on_to_counts() -> None:
    plain = tells(Text("Limits", "The limit of a body is low there"))
    for more in (
        "The limit of a body is 16 there",
        "The limit of a max_body is low there",
        "The limit of a maxBody is low there",
        "The limit of a body is low because",
    ):
        assert tells(Text("Limits", more)) > plain + 0.05, more
    assert tells(Text("Limit of 64 KiB for max_header_bytes, 16 was too small for tickets", "")) > 0.4


@settings(max_examples=100, deadline=None)
@given(wild, wild)
def test_by_its_beginning_a_text_is_worth_the_same(title: str, content: str) -> None:
    """Of what stands shortened only the beginning is read; the plan and the brain agree all the same."""
    text = Text(title, content * 9)
    assert 0.4 <= tells(text) == tells(_beginning(text)) <= 1.9


def test_the_shortest_do_not_win() -> None:
    fixes = [told(f"Clean up scope {n}", f"Clean up scope {n}.", type="bug", confidence=0.7) for n in range(120)]
    rich = [told(f"Packets {n}", f"{RICH} Seen {n} times.", confidence=0.85) for n in range(6)]
    document = assemble([*fixes, *rich], 900)
    assert document.markdown.count("- **Packets") == 6
    assert document.omitted[2] > 20


def test_among_thousands_of_titles_what_tells_more_is_found() -> None:
    """The first choice knows lengths only; it reads enough to find them."""
    fixes = [told(f"Clean up scope {n}", f"Clean up scope {n}.", type="bug") for n in range(3_000)]
    rich = [told(f"Packets {n}", f"{RICH} Seen {n} times.") for n in range(10)]
    empty = [told(f"Bump {n}", f"Bump {n}. " * 16) for n in range(10)]
    markdown = assemble([*fixes, *empty, *rich], 2_000).markdown
    assert markdown.count("- **Packets") == 10
    assert markdown.count("- **Bump") == 0


def test_a_short_rule_stands_before_a_long_list() -> None:
    rule = told("Never push to main", "Never push to main.", tier=1, type="convention")
    lists = [
        told(f"Packages {n}", "\n".join(f"- `package-{k}` {k}.{n}" for k in range(40)), tier=1, type="codemap")
        for n in range(12)
    ]
    assert "Never push to main" in assemble([*lists, rule], 600).markdown


def test_decisions_and_rules_are_worth_more_than_fixes() -> None:
    decision, _ = told("One shape", RICH)
    assert worth(decision) == worth(decision._replace(type="convention"))
    assert worth(decision) > worth(decision._replace(type="bug")) > worth(decision._replace(type="implementation"))


def test_length_is_a_promise_that_grows_and_ends() -> None:
    made = [promises(tokens) for tokens in range(500)]
    assert made == sorted(made)
    assert (made[0], made[20], made[-1]) == (0.4, 0.4, 1.0)


def test_a_title_is_not_told_twice() -> None:
    markdown = assemble([told("Embed tzdata", " embed tzdata.\n"), told("Close Body", "Close body.")], 1_000).markdown
    assert markdown.lower().count("embed tzdata") == 1
    assert "- **Close Body** (decision)\n\n  Close body.\n" in markdown, "the case of a name says something"
    assert repeats("A", "a.")
    assert not repeats("A", "a. b")
