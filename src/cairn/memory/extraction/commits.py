"""Commits: a subject in the usual form or in plain words, a body that says why, and the files they touch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cairn.memory.extraction import confidence, durability, titles, worth
from cairn.memory.extraction.commit_log import Commit
from cairn.memory.extraction.drafting import Fact, Origin, files_in, joined_files
from cairn.memory.extraction.sentences import Sentence, plain, split
from cairn.memory.extraction.typing_rules import Verdict, label_of, outright_type, stated, verdict, weigh
from cairn.memory.extraction.words import share_covered, terms, word_set
from cairn.memory.paths import is_machine_written
from cairn.wire.items import ItemType

_BODY_SENTENCES = 30
_LEAST_BARE = 0.5
_AREA = re.compile(r"^(?!CVE-)([A-Za-z][\w./-]{1,30}(?: [\w./-]{1,20})?): {1,3}(?=\S)")
_HEADER = re.compile(r"^([A-Za-z]{2,15})(?:\(([^()]{0,60})\))?(!)?:\s{0,10}(?=\S)")
_KINDS: dict[str, ItemType] = {
    "feat": "implementation",
    "feature": "implementation",
    "fix": "bug",
    "bugfix": "bug",
    "hotfix": "bug",
    "perf": "implementation",
    "refactor": "implementation",
    "security": "bug",
}
# Upkeep: worth an item only when it says why, or decides something.
# The kind in front of a subject says what the work was, not always what it tells.
_BY_KIND = 3.0
_UPKEEP = word_set("build chore ci doc docs style test tests release deps lint format wip")
_SQUASHED = re.compile(r"^Squashed commit", re.IGNORECASE)
_MERGE = re.compile(
    r"^Merge (?:remote-tracking )?(?:branch|pull request|tag|commit)\b|^Merged? in \S|^Merge \S+ into \S", re.IGNORECASE
)
_REVERT = re.compile(r"^(?:revert[:\s]|reverts? \")", re.IGNORECASE)
_REVERTED = re.compile(r"^This reverts commit [0-9a-f]{7,40}", re.IGNORECASE)
_NUMBER_ONLY = re.compile(
    r"^(?:fix(?:es)?|close[sd]?|refs?|resolves?|see|part of|related to):? \S{0,60}#\d{1,8}\W{0,3}$", re.IGNORECASE
)
_BREAKING = re.compile(r"\bBREAKING[ -]CHANGES?\b")
_TRAILER = re.compile(r"^[A-Z][A-Za-z-]{2,30}(?:-by)?: \S")
_SIDE_FILES = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e|__snapshots__)/|(?:^|/)(?:readme|changelog|license|contributing|"
    r"\.gitignore)[^/]*$"
    r"|(?:^|/)docs?/(?!(?:adr|adrs|decisions)/).*\.(?:md|mdx|rst|txt)$|^[^/]+\.(?:md|rst)$|[._-](?:test|"
    r"spec)\.\w+$|_test\.\w+$|(?:^|/)test_[^/]+$",
    re.IGNORECASE,
)
_BOT = re.compile(r"\[bot\]|\bbot$|^(?:dependabot|renovate|github-actions|semantic-release)", re.IGNORECASE)
_CHOICE = re.compile(
    r"^(?:drop|switch|migrate|move|standardi[sz]e|adopt|replace|deprecate|require|enforce)\b",
    re.IGNORECASE,
)


def facts_of_commits(commits: Sequence[Commit], origin: Origin) -> Iterator[Fact]:
    for commit in commits:
        yield from _facts_of_commit(commit, origin)


def _facts_of_commit(commit: Commit, origin: Origin) -> Iterator[Fact]:
    subject = commit.subject
    header = _HEADER.match(subject)
    kind = header.group(1).lower() if header else ""
    scope = (header.group(2) or "").strip() if header else ""
    if header and kind not in _KINDS.keys() | _UPKEEP | {"revert"}:
        kind = ""
    area = _AREA.match(subject) if not kind and label_of(subject) is None else None
    if area is not None:
        # "ecs: raise the grace period": the area in front, as many projects write it
        subject, scope = subject[area.end() :], area.group(1)
    breaking = bool(header and header.group(3)) or bool(_BREAKING.search(commit.body[:20_000]))
    sentences = _body_of(commit.body, subject)
    is_merge = _MERGE.match(subject) is not None
    title = "" if is_merge else titles.without_prefix(subject)
    if not _is_worth(kind, title, sentences, commit, breaking=breaking, is_merge=is_merge):
        return
    if is_merge or titles.is_generic(title) or worth.is_chore(title) or _SQUASHED.match(title):
        title = ""
    listed = [one for one in sentences if one.is_bullet]
    if not title and len({one.block for one in listed}) > 1:
        yield from _facts_of_list(listed, commit, scope, origin)
        return
    main, others = _apart(sentences)
    said = " ".join((plain(title), *(one.text for one in main)))
    judged = _verdict_on(kind, plain(title), main, breaking=breaking)
    files = _item_files(commit, (title, *(one.raw for one in main)), origin)
    yield Fact(
        type=judged.type,
        lead=title,
        sentences=tuple(main),
        files=files,
        confidence=confidence.of_commit(said, has_body=bool(main), conventional=bool(kind in _KINDS)),
        scope=scope,
        capital=subject != title or bool(scope),
        tags=("breaking",) if breaking else (),
        type_margin=judged.margin,
    )
    for one in others:
        outright = outright_type(one.text)
        if outright is not None and worth.says_something(one.text):
            yield Fact(
                type=outright,
                lead="",
                sentences=(one,),
                files=files,
                confidence=confidence.of_change(outright, one.text, explicit=outright == "todo", sentences=1),
                scope=scope,
                type_margin=stated(outright).margin,
            )


def _facts_of_list(listed: Sequence[Sentence], commit: Commit, scope: str, origin: Origin) -> Iterator[Fact]:
    """A commit without a subject of its own: each entry of its list is a fact."""
    for one in listed:
        judged = _verdict_on("", one.text, (), breaking=False)
        yield Fact(
            type=judged.type,
            lead="",
            sentences=(one,),
            files=_item_files(commit, (one.raw,), origin),
            confidence=confidence.of_commit(one.text, has_body=worth.has_reason(one.text), conventional=False),
            scope=scope,
            type_margin=judged.margin,
        )


def _body_of(body: str, subject: str) -> list[Sentence]:
    """What a body adds to its subject; the list of steps that a squashed branch leaves behind adds nothing."""
    named = terms(subject)
    return [one for one in split(body, _BODY_SENTENCES) if not _adds_nothing(one, named)]


def _adds_nothing(one: Sentence, named: frozenset[str]) -> bool:
    if _TRAILER.match(one.raw) and "\n" not in one.raw and len(one.raw) < 120 and label_of(one.text) is None:
        return True
    if (
        _MERGE.match(one.raw)
        or _NUMBER_ONLY.match(one.raw)
        or _REVERTED.match(one.raw)
        or worth.is_talk(one.text)
        or worth.is_chore(one.text)
    ):
        return True
    said = terms(one.text)
    is_step = one.is_bullet and len(said) < 5 and not worth.has_reason(one.text) and not outright_type(one.text)
    return is_step or share_covered(said, named) >= 0.9


def _is_worth(
    kind: str, title: str, sentences: Sequence[Sentence], commit: Commit, *, breaking: bool, is_merge: bool
) -> bool:
    said = " ".join(one.text for one in sentences)
    explained = worth.has_reason(said) or any(outright_type(one.text) or _lays_down(one.text) for one in sentences)
    if is_merge or _BOT.search(commit.author[:100]):
        return explained and len(terms(said)) >= 8
    if _REVERT.match(commit.subject) or kind == "revert":
        return worth.says_something(said, 4)
    beside = bool(commit.files) and all(_SIDE_FILES.search(file.path) for file in commit.files)
    if worth.is_chore(title) or worth.is_chore(commit.subject) or _SQUASHED.match(title):
        least = 0.0 if _SQUASHED.match(title) else 1.5
        listed = any(one.is_bullet and max(weigh(one.text).values()) >= least for one in sentences)
        return (explained or listed) and not beside and len(terms(said)) >= 6
    if commit.files and all(is_machine_written(file.path) for file in commit.files):
        return False
    if beside and kind not in _KINDS:
        return explained or _lays_down(title)
    if breaking:
        return worth.says_something(title + " " + said)
    if kind in _UPKEEP:
        choice = _CHOICE.match(title) is not None and kind not in ("style", "test", "tests", "docs", "doc")
        return explained or (choice and worth.says_something(title)) or _lays_down(title)
    if (worth.is_talk(title) or durability.is_passing(title)) and not explained:
        return False
    if not sentences and kind not in _KINDS and durability.lasting(title) < _LEAST_BARE and len(terms(title)) < 5:
        return False
    if worth.says_something(said, 4) and durability.lasting(f"{title}. {said}") >= _LEAST_BARE:
        return True  # "vat: sum, then round" with a body that tells why
    return worth.says_something(title, 2 if kind in _KINDS else 3) or explained


def _lays_down(title: str) -> bool:
    weights = weigh(title)
    return max(weights["decision"], weights["convention"], weights["architecture"]) >= 2.0


def _verdict_on(kind: str, title: str, sentences: Sequence[Sentence], *, breaking: bool) -> Verdict:
    texts = [one.text for one in sentences]
    if kind in ("fix", "bugfix", "hotfix", "security"):
        return stated("bug")
    outright = next((found for one in texts if (found := outright_type(one)) in ("decision", "convention")), None)
    if outright is not None:
        return stated(outright)
    if kind in ("feat", "feature", "perf", "refactor"):
        weights = weigh(title)
        if weights["decision"] >= 1.5 and weights["decision"] > weights["implementation"]:
            return Verdict("decision", weights["decision"], weights["decision"] - weights["implementation"])
        return Verdict("implementation", _BY_KIND, _BY_KIND)
    if kind == "revert" or title.lower().startswith("revert"):
        return Verdict("decision", _BY_KIND, _BY_KIND)
    judged = verdict(title, texts, ())
    found = judged.type
    if found in ("architecture", "codemap") and judged.strength < 2.0:
        found = "implementation"  # a commit does something; it has to say clearly that it describes
    if found == "convention" and outright_type(title) != "convention":
        found = "implementation"  # "avoid the lookup" tells what was done, not what to do
    if kind in _UPKEEP and found == "implementation" and (_CHOICE.match(title) or breaking):
        found = "decision"
    return judged if found == judged.type else Verdict(found, 0.0, 0.0)


def _apart(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """What belongs to the commit, and what it leaves for later or lays down for all."""
    main: list[Sentence] = []
    others: list[Sentence] = []
    for one in sentences:
        label = label_of(one.text)
        stated = outright_type(one.text)
        is_apart = stated == "todo" or label in ("convention", "todo") or (stated == "convention" and one.is_bullet)
        (others if is_apart else main).append(one)
    return main, others


def _item_files(commit: Commit, texts: Sequence[str], origin: Origin) -> tuple[str, ...]:
    touched = [file.path for file in commit.files if not is_machine_written(file.path)]
    return joined_files(touched, () if touched else files_in(texts, origin.roots))
