"""Redaction of long texts in pieces: finds the same as a full scan and lets other threads run."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.base.redaction import private_keys, prose, redactor, secret_values, text_search
from loremark.base.redaction.context_rules import CONTEXTS
from loremark.base.redaction.redactor import redact
from loremark.base.redaction.text_search import fold_case
from loremark.base.redaction.token_rules import RULES
from tests.growth import assert_subquadratic_on
from tests.memory.secret_samples import ALNUM, HIDDEN, INNOCENT, SECRETS, made_up
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(300), deadline=None, database=None)
LARGE_CHARS = 1_000_000
MAX_BLOCK_SHARE = 0.1
SMALL_PIECE = 97
KEY = made_up(ALNUM + "+/", 64, "line one")

_B64 = ALNUM + "+/"
# One for each secret format missing from the shared samples.
_EXTRA_SAMPLES = [
    "aws secret " + made_up(_B64, 40, "aws"),
    "db.internal:5432:shop:app:Zx81tango",
    "*:*:*:app:Zx81tango",
    "curl -u ada:Zx81tango https://a.example.com",
    "mysql -h db\t-pZx81tango",
    "$y$j9T$" + made_up(ALNUM, 22, "salt") + "$" + made_up(ALNUM, 43, "hash"),
    "x_postgresql+psycopg_2://app:Zx81/tango@db/x",
    "machine a login ada\n  password Zx81tango",
    "https://hooks.example.com/x?X-Goog-Signature=" + made_up("0123456789abcdef", 64, "goog"),
    made_up(ALNUM, 14, "atlas") + ".atlasv1." + made_up(ALNUM, 60, "atlas"),
    *(digits + ":AA" + made_up(ALNUM, 33, "bot") for digits in ("12345678", "123456789", "1234567890")),
    *(scheme + made_up(ALNUM, 30, "user") + "@a.example.com/x" for scheme in ("http://", "https://")),
    made_up("0123456789abcdef", 32, "chimp") + "-us12",
    "discordapp.com/api/webhooks/123456789012/" + made_up(ALNUM, 60, "hook"),
    *(
        "M" + made_up(ALNUM, chars, "m") + "." + made_up(ALNUM, 6, "o") + "." + made_up(ALNUM, 30, "n")
        for chars in range(23, 28)
    ),
    "sq0" + "csp-" + made_up(ALNUM, 30, "square"),
    "HRKU" + "-" + made_up(ALNUM, 40, "heroku"),
    made_up(ALNUM, 3, "azure") + "8Q~" + made_up(ALNUM, 34, "azure secret"),
    "1//0" + made_up(ALNUM, 40, "google"),
    "ABSK" + made_up(ALNUM, 80, "bedrock"),
    "LTAI" + made_up(ALNUM, 20, "alibaba"),
    "EAA" + "C" + made_up(ALNUM, 80, "meta"),
    "ПАРОЛЬ: Zx81tango",
    "CONTRASEÑA=Zx81tango",
    "le mot de passe: Zx81tango!",
    "paſſword = 'Zx81tango'",
    "ap\u0130_key=" + made_up(ALNUM, 30, "odd"),
    "-----BEGIN PRIVATE KEY-----\n" + KEY + "\n-----END PRIVATE KEY-----",
]
_SAMPLES = [line for line, _ in SECRETS + HIDDEN] + _EXTRA_SAMPLES
_GLUE = [
    *("", "\n", " ", "\t", '"', "'", "=", ": ", "://", "@", ":", "-", "_", "&", ";", "|", "é", "\u200b", "\u0130", "п"),
    *("password=", "token: ", "api_", "key", "aws secret ", ":5432:", "*:*:*:", "Authorization: ", "[redacted:x]"),
    *("mysql ", " -p", "login a password ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "is set to "),
]
_PARTS = st.sampled_from(_SAMPLES) | st.sampled_from(INNOCENT) | st.sampled_from(_GLUE) | st.text(max_size=12)
TEXTS = st.lists(_PARTS, max_size=10).map("".join)


@contextmanager
def full_scan() -> Iterator[None]:
    """Make every pattern scan the whole text instead of pieces."""

    def find_all(text: str, pattern: re.Pattern[str], _places: Sequence[int]) -> Iterator[re.Match[str]]:
        return pattern.finditer(text)

    with pytest.MonkeyPatch.context() as patch:
        for module in (redactor, prose, private_keys):
            patch.setattr(module, "matches", find_all)
        yield


@contextmanager
def in_pieces(chars: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_search, "PIECE_CHARS", chars)
        yield


def redact_both_ways(text: str, piece_chars: int) -> tuple[tuple[str, int], tuple[str, int]]:
    with full_scan():
        whole = redact(text)
    with in_pieces(piece_chars):
        return whole, redact(text)


@PROPERTY
@given(text=TEXTS, piece_chars=st.integers(7, 400))
def test_pieces_match_a_full_scan(text: str, piece_chars: int) -> None:
    whole, pieces = redact_both_ways(text, piece_chars)
    assert pieces == whole


@pytest.mark.parametrize("filler", ["some words of a text ", "x", "a line\n", "слово é ", "{'a.b':1},"])
def test_secrets_across_a_piece_boundary_are_found(filler: str) -> None:
    for number, line in enumerate(_SAMPLES):
        # Put the boundary anywhere in the secret, often at its ends.
        inside = (0, 1, len(line) - 1, number * 7 % len(line))[number % 4]
        before = (filler * SMALL_PIECE)[: 3 * SMALL_PIECE - inside - 1] + "\n"
        whole, pieces = redact_both_ways(before + line + "\n" + filler * 20, SMALL_PIECE)
        assert pieces == whole, line


def test_samples_cover_every_rule() -> None:
    found = "".join(redact(line)[0] for line in _SAMPLES)
    assert {rule.kind for rule in (*RULES, *CONTEXTS) if f"[redacted:{rule.kind}]" not in found} == set()
    # Check every pattern as well: several share a kind.
    texts = [(text, fold_case(text)) for text in _SAMPLES]
    uncovered = {
        rule.pattern.pattern
        for rule in (*RULES, *CONTEXTS)
        if not any(redactor._formed(rule, text, lower) for text, lower in texts)
    }
    assert uncovered == set()


def test_long_text_matches_a_full_scan() -> None:
    lines = [*_SAMPLES, *INNOCENT] * 8
    for text in ("\n".join(lines), " ".join(lines).replace("\n", " ")):
        assert len(text) > 4 * text_search.PIECE_CHARS
        with full_scan():
            whole = redact(text)
        assert redact(text) == whole


@pytest.mark.parametrize("text", ["ABCdefİ", "ſıİK", "пароль Пароль", "日本 Key 😀 ПАРОЛЬ", "\ud800x", "ΑΣ ΣΑΣ ß ŉ"])
def test_fold_case_keeps_character_positions(text: str) -> None:
    for chars in (1, 2, 3, 32_768):
        with in_pieces(chars):
            lower = fold_case(text)
        assert len(lower) == len(text)
        assert lower.isascii()
        assert all(folded in (each.lower(), "?") for each, folded in zip(text, lower, strict=True) if each.isascii())


def test_fold_case_matches_what_patterns_treat_as_equal() -> None:
    assert fold_case("ſıİ\u212a ПАРОЛЬ ЫKey é") == "siik parolj ?key ?"


def _long_text() -> str:
    """Source code that mentions every secret keyword but contains few secrets."""
    page = (
        Path(redactor.__file__).read_text()
        + Path(secret_values.__file__).read_text()
        + "basic login -us sk -u cookie aws"
    )
    return (page * (LARGE_CHARS // len(page) + 1))[:LARGE_CHARS]


@pytest.mark.parametrize("ends", ["\n", " "])
def test_long_text_does_not_starve_other_threads(ends: str) -> None:
    if not hasattr(time, "pthread_getcpuclockid"):
        pytest.skip("this platform cannot read another thread's CPU time")
    text = _long_text().replace("\n", ends)
    # A single run may look bad on a busy machine.
    assert any(_longest_block(text) < MAX_BLOCK_SHARE for _ in range(3))


def _longest_block(text: str) -> float:
    """The longest stretch in which redaction kept this thread from running.

    As a share of the total redaction time, because a limit in seconds would depend on the machine.
    """
    done = threading.Event()
    release = threading.Event()

    def work() -> None:
        started = time.thread_time()
        redact(text)
        spent.append(time.thread_time() - started)
        done.set()
        release.wait()

    spent: list[float] = []
    thread = threading.Thread(target=work)
    thread.start()
    clock = time.pthread_getcpuclockid(thread.ident or 0)
    worst, last = 0.0, time.clock_gettime(clock)
    while not done.is_set():
        time.sleep(0.001)
        now = time.clock_gettime(clock)
        worst, last = max(worst, now - last), now
    release.set()
    thread.join()
    return worst / spent[0]


def test_very_long_value_is_classified_by_its_start() -> None:
    run = made_up(ALNUM, 400, "run").replace("x", "y") * 5_000
    blanks = "password" + " " * LARGE_CHARS + "x"
    assert redact(f"password={run}") == ("password=[redacted:password]", 1)
    assert redact(blanks)[1] == 0
    assert_subquadratic_on(f"password={run}", redact)
    assert_subquadratic_on(blanks, redact)


def test_prose_between_key_markers_is_kept() -> None:
    words = "Then the file is read line by line, and what it says is kept. " * 9
    text = f"It begins with -----BEGIN PRIVATE KEY----- there.\n{words}\nIt ends with -----END PRIVATE KEY----- here."
    assert redact(text) == (text, 0)
    # Key lines within the prose are still redacted, wherever they are.
    clean, found = redact(text.replace("there.", f"there.\n{KEY}\n{KEY[:20]}\n"))
    assert (KEY[:20] in clean, found, words in clean) == (False, 1, True)
    clean, found = redact(text.replace("PRIVATE KEY----- there.", f"PRIVATE KEY-----\n{KEY}\n{KEY[:20]}\n"))
    assert (KEY[:20] in clean, found, words in clean) == (False, 1, True)


def test_truncated_key_ends_before_the_next_one() -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    text = f"cut: {begin}\n{KEY}\nThe log goes on.\n{begin}\n{KEY}\n{KEY}\n{end}\nAnd on."
    assert redact(text) == ("cut: [redacted:private-key]\nThe log goes on.\n[redacted:private-key]\nAnd on.", 2)


@pytest.mark.parametrize(
    "body",
    [
        f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{'0A1B2C3D' * 4}\n\n{KEY}\n{KEY}",
        f'" +\n"{KEY}\\n" +\n"{KEY[:30]}\\n" +\n"',
        f"Version: GnuPG v2\nComment: this is the key of the release\n\n{KEY}\n{KEY}\n=aB1x",
        "\n".join(KEY[at : at + 8] for at in range(0, 64, 8)),
        " ".join(KEY[at : at + 4] for at in range(0, 64, 4)),
        "hunter2",
    ],
)
def test_key_block_is_redacted_in_any_format(body: str) -> None:
    text = f"a\n-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\nb"
    assert redact(text) == ("a\n[redacted:private-key]\nb", 1)


def test_last_word_of_the_previous_line_is_not_part_of_the_name() -> None:
    assert redact("next page\nsecret_value=hunter2x") == ("next page\nsecret_value=[redacted:secret]", 1)
    assert redact("page_token: abc123def456ghi789")[1] == 0
