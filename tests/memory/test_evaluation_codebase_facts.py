"""Repository facts are consistent, and scoring counts them as a person would."""

from __future__ import annotations

import json

import msgspec
import pytest

from loremark.memory.codebase.records import Category, Tech
from loremark.memory.evaluation.codebase_facts import (
    DIRECTORIES_READ,
    ENTRIES_TOP,
    SPLITS,
    Directory,
    EntryPoint,
    Facts,
    InvalidFactsError,
    OptionalTechnology,
    Scores,
    Share,
    Technology,
    find_missing_paths,
    load,
    parse,
    plain_name,
    score,
)

FACTS = Facts(
    repository="someone/shop",
    commit="0" * 40,
    stack_must=(
        Technology("C++", "language", "src/main.cpp"),
        Technology("Node.js", "backend", "package.json", aliases=("node",)),
        Technology("PostgreSQL", "database", "db", aliases=("postgres", "psycopg")),
        Technology("Jest", "testing", "package.json"),
    ),
    stack_may=(OptionalTechnology("Lodash", aliases=("lodash-es",)),),
    entry_points=(
        EntryPoint("src/main.cpp", "the program"),
        EntryPoint("web/main.ts", "browser entry", also=("web/index.html",)),
    ),
    directories=(Directory("src", "the program"), Directory("db", "schema", also=("db/migrations",))),
)


def _stack(*named: tuple[str, Category]) -> list[Tech]:
    return [Tech(name, None, category) for name, category in named]


def _text(**changes: object) -> bytes:
    """The file of a set with facts about a repository that is large enough."""
    names = ("Ruby", "Rails", "Puma", "Redis", "MySQL", "RSpec", "Sass", "Docker")
    whole = msgspec.structs.replace(
        FACTS,
        stack_must=tuple(Technology(name, "tooling", "Gemfile") for name in names),
        directories=(*FACTS.directories, Directory("lib", "the rest")),
    )
    return msgspec.json.encode([msgspec.structs.replace(whole, **changes)])


def test_the_sets_are_complete_and_disjoint() -> None:
    """Loading validates each fact; no repository is used for both tuning and testing."""
    splits = [load(split) for split in SPLITS]
    assert list(map(len, splits)) == [7, 10, 10, 21, 9, 40, 10]
    every = [facts for split in splits for facts in split]
    assert len({facts.repository for facts in every}) == len(every)
    for facts in every:
        if facts.has_only_entry_points:
            assert all(entry.kind for entry in facts.entry_points), facts.repository
            continue
        assert {known.category for known in facts.stack_must} >= {"language", "tooling"}, facts.repository


def test_names_are_the_same_whatever_their_case_and_punctuation() -> None:
    assert plain_name("Node.js") == plain_name("nodejs") == plain_name("NODE_JS")
    assert len({plain_name(name) for name in ("C", "C++", "C#", "F#")}) == 4


def test_aliases_count_and_unknown_names_are_wrong() -> None:
    reported = _stack(("c++", "language"), ("NodeJS", "framework"), ("postgres", "database"), ("lodash_es", "tooling"))
    found = score(FACTS, [*reported, *_stack(("C", "language"), ("React", "framework"))], (), ())
    assert found.stack_recall == Share(3, 4)
    assert found.missed == ("Jest",)
    assert found.stack_precision == Share(4, 6)
    assert found.wrong == ("C", "React")
    assert found.categories == Share(2, 3)
    assert found.misplaced == ("Node.js (framework)",)


def test_a_repeated_name_counts_once() -> None:
    found = score(FACTS, _stack(("Jest", "testing"), ("jest", "tooling"), ("Vue", "framework")), (), ())
    assert found.stack_precision == Share(1, 2)
    assert found.repeated == ("Jest",)
    assert found.categories == Share(1, 1), "one of the two has the right category"


def test_two_names_of_one_technology_are_both_right_and_count_once() -> None:
    found = score(FACTS, _stack(("psycopg", "backend"), ("PostgreSQL", "database")), (), ())
    assert found.stack_recall == Share(1, 4)
    assert found.stack_precision == Share(2, 2)
    assert found.categories == Share(1, 1)


def test_only_the_first_paths_count() -> None:
    routes = [f"src/route{number}.cpp" for number in range(ENTRIES_TOP - 1)]
    folders = [f"src/part{number}" for number in range(DIRECTORIES_READ - 1)]
    seen = score(FACTS, (), [*routes, *routes, "./src/main.cpp", "web/index.html"], [*folders, "db/migrations/", "src"])
    assert seen.entry_recall == Share(1, 2)
    assert seen.missed_entries == ("web/main.ts",), "it is the sixteenth; a repeated path counts once"
    assert seen.entries_near == seen.entries_told == Share(2, 2), "it is listed, but not among the first"
    assert seen.directory_recall == Share(1, 2)
    assert seen.missed_directories == ("src",)


def test_an_empty_analysis_finds_nothing_and_makes_no_errors() -> None:
    found = score(FACTS, (), (), ())
    assert [share.value for share in found.figures.values()] == [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_totals_are_micro_averaged() -> None:
    small = msgspec.structs.replace(FACTS, repository="someone/tool", stack_must=FACTS.stack_must[3:])
    reported = _stack(("Jest", "testing"))
    scores = Scores("dev", (score(FACTS, reported, (), ()), score(small, reported, (), ())))
    assert scores.totals["stack recall"] == Share(2, 5)


def test_errors_are_listed_except_for_the_closed_split() -> None:
    scored = score(FACTS, _stack(("React", "framework")), ("src/main.cpp",), ())
    table = Scores("dev", (scored,)).to_table()
    assert "someone/shop wrong: React" in table
    assert "0.500 (1/2)" in table
    reported = json.loads(Scores("dev", (scored,)).to_json())
    assert reported["repositories"]["someone/shop"]["missed"] == ["C++", "Node.js", "PostgreSQL", "Jest"]
    assert reported["total"]["stack recall"] == {"value": 0.0, "right": 0, "of": 4}
    closed = Scores("test", (scored,))
    assert "React" not in closed.to_table() + closed.to_json()
    assert "React" in closed.to_table(has_lists=True)


def test_facts_are_checked_against_the_repository() -> None:
    files = ["src/main.cpp", "package.json", "db/migrations/1.sql", "web/index.html"]
    assert find_missing_paths(FACTS, files) == ["web/main.ts"]
    assert find_missing_paths(FACTS, ["src", "db", *files[1:2], "web/main.ts", "web/index.html"]) == [
        "src/main.cpp",
        "src/main.cpp",
        "src",
        "db",
        "db/migrations",
    ], "a file is not a folder"


@pytest.mark.parametrize(
    "changes",
    [
        {"commit": "main"},
        {"stack_may": (OptionalTechnology("sidekiq"), OptionalTechnology("Sidekiq"))},
        {"stack_may": (OptionalTechnology("Rails framework", aliases=("rails",)),)},
        {"stack_may": (OptionalTechnology("…"),)},
        {"entry_points": FACTS.entry_points[:1]},
        {"directories": (*FACTS.directories, FACTS.directories[0])},
    ],
)
def test_invalid_facts_are_rejected(changes: dict[str, object]) -> None:
    assert parse(_text())
    with pytest.raises(InvalidFactsError):
        parse(_text(**changes))


@pytest.mark.parametrize("text", [b"", b"{}", b'[{"repository": 1}]', _text().replace(b'"tooling"', b'"tools"', 1)])
def test_other_json_is_rejected(text: bytes) -> None:
    with pytest.raises(InvalidFactsError):
        parse(text)


def test_a_duplicate_repository_is_rejected() -> None:
    with pytest.raises(InvalidFactsError):
        parse(_text()[:-1] + b"," + _text()[1:])
