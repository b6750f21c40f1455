"""Informative items rank above those that only have a title."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from loremark.memory.brain.entries import Text, expected_informativeness, salience
from loremark.memory.brain.informativeness import informativeness, repeats_title
from tests.memory.test_brain import _beginning, assemble, entry_with_text, hostile_texts
from tests.support.properties import examples

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
def test_repeating_the_title_says_little(title: str, content: str) -> None:
    assert informativeness(Text(title, content)) < 0.5


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
def test_reasons_names_and_numbers_more_than_double_the_score(title: str, content: str) -> None:
    assert informativeness(Text(title, content)) > 2 * informativeness(Text(title, title))


def test_each_kind_of_detail_counts() -> None:
    plain = informativeness(Text("Limits", "The limit of a body is low there"))
    for more in (
        "The limit of a body is 16 there",
        "The limit of a max_body is low there",
        "The limit of a maxBody is low there",
        "The limit of a body is low because",
    ):
        assert informativeness(Text("Limits", more)) > plain + 0.05, more
    assert informativeness(Text("Limit of 64 KiB for max_header_bytes, 16 was too small for tickets", "")) > 0.4


@settings(max_examples=examples(100), deadline=None)
@given(hostile_texts, hostile_texts)
def test_the_beginning_of_a_text_scores_like_the_whole(title: str, content: str) -> None:
    """Only the beginning of a shortened entry is read, and the plan and the brain must agree."""
    text = Text(title, content * 9)
    assert 0.4 <= informativeness(text) == informativeness(_beginning(text)) <= 1.9


def test_the_shortest_texts_do_not_win() -> None:
    fixes = [
        entry_with_text(f"Clean up scope {n}", f"Clean up scope {n}.", type="bug", confidence=0.7) for n in range(120)
    ]
    rich = [entry_with_text(f"Packets {n}", f"{RICH} Seen {n} times.", confidence=0.85) for n in range(6)]
    document = assemble([*fixes, *rich], 900)
    assert document.markdown.count("- **Packets") == 6
    assert document.omitted[2] > 20


def test_informative_entries_are_found_among_thousands_of_titles() -> None:
    """The first selection only knows lengths and must read enough entries to find them."""
    fixes = [entry_with_text(f"Clean up scope {n}", f"Clean up scope {n}.", type="bug") for n in range(3_000)]
    rich = [entry_with_text(f"Packets {n}", f"{RICH} Seen {n} times.") for n in range(10)]
    empty = [entry_with_text(f"Bump {n}", f"Bump {n}. " * 16) for n in range(10)]
    markdown = assemble([*fixes, *empty, *rich], 2_000).markdown
    assert markdown.count("- **Packets") == 10
    assert markdown.count("- **Bump") == 0


def test_a_short_rule_ranks_above_a_long_list() -> None:
    rule = entry_with_text("Never push to main", "Never push to main.", tier=1, type="convention")
    lists = [
        entry_with_text(
            f"Packages {n}", "\n".join(f"- `package-{k}` {k}.{n}" for k in range(40)), tier=1, type="codemap"
        )
        for n in range(12)
    ]
    assert "Never push to main" in assemble([*lists, rule], 600).markdown


def test_decisions_and_rules_rank_above_fixes() -> None:
    decision, _ = entry_with_text("One shape", RICH)
    assert salience(decision) == salience(decision._replace(type="convention"))
    assert (
        salience(decision)
        > salience(decision._replace(type="bug"))
        > salience(decision._replace(type="implementation"))
    )


def test_expected_informativeness_grows_with_length_up_to_a_limit() -> None:
    scores = [expected_informativeness(tokens) for tokens in range(500)]
    assert scores == sorted(scores)
    assert (scores[0], scores[20], scores[-1]) == (0.4, 0.4, 1.0)


def test_a_title_is_not_repeated_as_content() -> None:
    markdown = assemble(
        [entry_with_text("Embed tzdata", " embed tzdata.\n"), entry_with_text("Close Body", "Close body.")], 1_000
    ).markdown
    assert markdown.lower().count("embed tzdata") == 1
    assert "- **Close Body** (decision)\n\n  Close body.\n" in markdown, "the letter case of a name carries information"
    assert repeats_title("A", "a.")
    assert not repeats_title("A", "a. b")
