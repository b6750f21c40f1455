"""Findings about observed conventions: naming, test locations, commit subjects."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict

from loremark.memory.codebase.analysis.formatting import code, coded, counted, finding, joined, number, points, share
from loremark.memory.codebase.analysis.path_roles import directory_of
from loremark.memory.codebase.analysis.product import language_name
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Finding

_MIN_NAMES = 30
_CLEAR = 0.85
_FORMS = {
    "snake": "snake_case",
    "camel": "camelCase",
    "pascal": "PascalCase",
    "upper": "UPPER_CASE",
    "kebab": "kebab-case",
}
_KINDS = {"function": "functions", "class": "classes", "constant": "constants", "type": "types", "file": "files"}
_FAMILY = {"tsx": "typescript", "header": "c", "jsx": "javascript", "mts": "typescript"}
_CONVENTIONAL = re.compile(r"^([a-z]{2,12})(?:\(([\w./ @-]{1,40})\))?!?: \S")
_SCOPE = re.compile(r"^([A-Za-z][\w./-]{1,30}): \S")
_ISSUE = re.compile(r"(?:^|[\s(])(#\d{1,7}|[A-Z]{2,8}-\d{1,6})\b")
_MERGE = re.compile(r"^(?:Merge |Revert \"|Bump |build\(deps|chore\(deps|fixup!|Update dependency)")
_PAST = re.compile(
    r"^(?:Added|Fixed|Removed|Updated|Changed|Improved|Refactored|Moved|Renamed|Made|Used|Cleaned)\b", re.IGNORECASE
)
_IMPERATIVE = re.compile(
    r"^(?:add|fix|remove|update|change|improve|refactor|move|rename|make|use|clean|allow|support|implement|bump|drop|"
    r"handle|avoid|prevent|delete|replace|switch|simplify|upgrade|introduce|revert|set|show|hide|enable|disable|convert|"
    r"document|test|don't|do|ensure|extract|include|increase|reduce|rework|correct|tweak|optimize|create)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:[\w()/., #@*!-]{1,40}(?:: |\] )|\[[^\]]{1,40}\]\s"
    r"|(?:Fixed|Refs?) #\d{1,7}(?:,? #\d{1,7}){0,5}\s?--\s)"
)
_RUNNERS = {
    "python": ("pytest", "unittest"),
    "ruby": ("RSpec", "Minitest"),
    "php": ("PHPUnit", "Pest"),
    "java": ("JUnit", "JUnit 5", "TestNG", "Spock"),
    "csharp": ("xUnit", "xUnit.net", "NUnit", "MSTest"),
    "typescript": ("Vitest", "Jest", "Mocha", "Jasmine", "AVA", "Playwright", "Cypress"),
    "go": ("Testify", "Ginkgo"),
    "cpp": ("GoogleTest", "Catch2", "doctest"),
}
_TEST_PLACE = re.compile(
    r"tests?|specs?|__tests__|.{1,60}\.(?:unit|integration|functional)?tests?|e2e|cypress|.{1,60}[-_]tests?",
    re.IGNORECASE,
)
_SHARED = frozenset(
    (
        *("conftest.py", "test_helper.rb", "spec_helper.rb", "rails_helper.rb", "TestCase.php"),
        *("setupTests.ts", "setup.ts"),
    )
)
_OWN_RUNNER = {"go": "`go test`", "rust": "`cargo test`"}
_SPEAKS = {
    "tsx": "typescript",
    "javascript": "typescript",
    "vue": "typescript",
    "svelte": "typescript",
    "c": "cpp",
    "kotlin": "java",
}
_TEST_NAMES = (
    ("test_*", re.compile(r"test_[^/]+\.\w+$")),
    ("*_test", re.compile(r"[^/]+_test\.\w+$")),
    ("*.test", re.compile(r"[^/]+\.test\.\w+$")),
    ("*.spec", re.compile(r"[^/]+\.spec\.\w+$")),
    ("*_spec", re.compile(r"[^/]+_spec\.\w+$")),
    ("*Tests", re.compile(r"[^/]+Tests\.\w+$")),
    ("*Test", re.compile(r"[^/]+Test\.\w+$")),
    ("*IT", re.compile(r"[^/]+IT\.\w+$")),
)


def observed_convention_findings(survey: Survey) -> list[Finding]:
    found = [_tests(survey), _naming(survey), _commits(survey), _documented(survey)]
    return [one for one in found if one is not None]


def _tests(survey: Survey) -> Finding | None:
    tests = list(survey.tests)
    if not tests:
        return _untested(survey)
    roots = Counter(_test_root(path) for path in tests)
    homes = frozenset(directory_of(path) for path in survey.sources)
    beside = sum(directory_of(path) in homes for path in tests)
    named: Counter[str] = Counter()
    for path in tests:
        pattern = next((name for name, shape in _TEST_NAMES if shape.fullmatch(posixpath.basename(path))), None)
        if pattern:
            named[pattern + posixpath.splitext(path)[1]] += 1
    frameworks = _frameworks(survey)
    order = sorted(roots, key=lambda root: (-roots[root], root))
    main = [root for root in order if roots[root] >= 0.1 * len(tests)][:3] or order[:1]
    is_beside = beside > 0.6 * len(tests)
    where = "next to the code they test" if is_beside else f"under {coded([root or '.' for root in main], 3)}"
    test_files = "1 test file is" if len(tests) == 1 else f"{counted(len(tests), 'test file')} are"
    lead_where = "next to the code it tests" if is_beside and len(tests) == 1 else where
    by = f" with {joined(frameworks[:2], 2)}" if frameworks else ""
    lead = f"{survey.codebase.name} is tested{by}; its {test_files} {lead_where}."
    shown = []
    if named:
        name, count = min(named.items(), key=lambda row: (-row[1], row[0]))
        if count > 0.5 * len(tests):
            shown.append(f"Test files are named {code(name)} ({share(count, len(tests))})")
    shown += [f"{code((root or '.') + '/')}: {counted(roots[root], 'test file')}" for root in order[:8]]
    lines = sum(facts.lines for facts in survey.tests.values())
    if survey.lines:
        shown.append(f"{round(100 * lines / survey.lines)} lines of tests per 100 lines of code")
    shared = [path for path in tests if posixpath.basename(path) in _SHARED]
    if shared:
        shown.append(f"Shared test setup: {coded(shared, 4)}")
    largest = sorted(tests, key=lambda path: (-survey.tests[path].lines, path))[:6]
    return finding(
        "conventions", f"Tests are {where}{by}", [lead, *points(shown)], 4, [*shared[:4], *largest], ["tests"]
    )


def _frameworks(survey: Survey) -> list[str]:
    """The test runners for the languages that many of the tests are written in."""
    spoken = Counter(_SPEAKS.get(facts.language or "", facts.language or "") for facts in survey.tests.values())
    known = {tech.name for tech in survey.stack if tech.category == "testing"}
    found: list[str] = []
    for language, count in sorted(spoken.items(), key=lambda row: (-row[1], row[0])):
        if count < 0.1 * len(survey.tests):
            continue
        named = [name for name in _RUNNERS.get(language, ()) if name in known]
        found += named or ([_OWN_RUNNER[language]] if language in _OWN_RUNNER else [])
    return found


def _untested(survey: Survey) -> Finding | None:
    if len(survey.sources) < 15:
        return None
    content = [
        f"No tests were found for the {counted(len(survey.sources), 'source file')} of {survey.codebase.name}, "
        f"so regressions can go unnoticed."
    ]
    return finding("conventions", "No automated tests", content, 4, (), ["tests"])


def _test_root(path: str) -> str:
    """The test directory of a test, or its first two directories if none is named like one."""
    parts = path.split("/")[:-1]
    place = next((place for place, part in enumerate(parts) if _TEST_PLACE.fullmatch(part)), 1)
    return "/".join(parts[: place + 1])


def _naming(survey: Survey) -> Finding | None:
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (language, key), count in _names_by_language(survey).items():
        kind, _, form = key.partition(":")
        if form in _FORMS and kind in _KINDS:
            counts[_FAMILY.get(language, language), kind][form] += count
    large = [_FAMILY.get(language, language) for language, lines in survey.languages if lines > 0.08 * survey.lines]
    shown: list[tuple[str, str, str]] = []
    for (language, kind), forms in sorted(counts.items()):
        total = sum(forms.values())
        form, count = min(forms.items(), key=lambda row: (-row[1], row[0]))
        if total >= (10 if kind == "file" else _MIN_NAMES) and count >= _CLEAR * total and language in large:
            said = f"{_KINDS[kind]} in {_FORMS[form]}"
            how = f"{_KINDS[kind]} are written in {_FORMS[form]} ({share(count, total)} of {number(total)})"
            shown.append((language, said, f"{language_name(language)}: {how}"))
    if not shown:
        return None
    main = next(language for language in large if any(row[0] == language for row in shown))
    names = [said for language, said, _ in shown if language == main]
    name = language_name(main)
    lead = f"Names in the {name} code of {survey.codebase.name} follow a consistent style: {joined(names, 5)}."
    title = f"Naming in {name}: {joined(names[:3], 3)}"
    return finding("conventions", title, [lead, *points([row for _, _, row in shown])], 3, (), ["naming"])


def _names_by_language(survey: Survey) -> dict[tuple[str, str], int]:
    """Counts of naming styles by language."""
    found: defaultdict[tuple[str, str], int] = defaultdict(int)
    for facts in survey.sources.values():
        language = facts.language or ""
        for key, count in facts.naming.items():
            found[language, key] += count
    return found


def _commits(survey: Survey) -> Finding | None:
    subjects = [commit.subject.strip() for commit in survey.codebase.commits[:500]]
    own = [subject for subject in subjects if subject and not _MERGE.match(subject)]
    if len(own) < 15:
        return None
    conventional = [found for subject in own if (found := _CONVENTIONAL.match(subject))]
    scoped = [found.group(1) for subject in own if (found := _SCOPE.match(subject))]
    issues = sum(_ISSUE.search(subject) is not None for subject in own)
    imperative = sum(_IMPERATIVE.match(_bare(subject)) is not None for subject in own)
    past = sum(_PAST.match(_bare(subject)) is not None for subject in own)
    shown: list[str] = []
    habits: list[str] = []
    if len(conventional) > 0.6 * len(own):
        types = [name for name, _ in Counter(found.group(1) for found in conventional).most_common(6)]
        scopes = [
            name for name, _ in Counter(found.group(2) for found in conventional if found.group(2)).most_common(6)
        ]
        habits.append("Conventional Commits")
        shown.append(
            f"{share(len(conventional), len(own))} follow Conventional Commits, with the types {coded(types, 6)}"
        )
        if scopes:
            shown.append(f"Common scopes: {coded(scopes, 6)}")
    elif len(scoped) > 0.6 * len(own):
        habits.append("an area prefix")
        shown.append(
            f"{share(len(scoped), len(own))} start with an area and a colon, such as "
            f"{coded([name for name, _ in Counter(scoped).most_common(5)], 5)}"
        )
    if imperative > 4 * max(1, past) and imperative > 0.4 * len(own):
        habits.append("the imperative mood")
        shown.append("Subjects use the imperative (“Add …”, “Fix …”), rarely the past tense")
    elif past > 0.4 * len(own):
        habits.append("the past tense")
        shown.append(f"{share(past, len(own))} use the past tense (“Added …”, “Fixed …”)")
    if issues > 0.5 * len(own):
        habits.append("a reference to an issue or pull request")
        shown.append(f"{share(issues, len(own))} mention an issue or pull request, for example “{_example(own)}”")
    if not habits:
        return None
    shown.append(f"Examples: {joined([f'“{subject}”' for subject in own if 20 < len(subject) < 70][:3], 3)}")
    authors = len({commit.author for commit in survey.codebase.commits[:500]})
    lead = (
        f"Commit subjects in {survey.codebase.name} use {joined(habits, 4)}, based on the "
        f"last {counted(len(own), 'commit')} by {counted(authors, 'author')}."
    )
    return finding(
        "conventions", f"Commit messages use {joined(habits, 3)}", [lead, *points(shown)], 3, (), ["commits"]
    )


def _bare(subject: str) -> str:
    """The subject without a leading area, type or reference."""
    found = _LEADING.match(subject)
    return subject[found.end() :] if found else subject


def _example(subjects: list[str]) -> str:
    return next(
        (subject[:80] for subject in subjects if _ISSUE.search(subject) and len(subject) < 80), subjects[0][:80]
    )


def _documented(survey: Survey) -> Finding | None:
    """Whether files start with a description of their purpose."""
    rows = [facts for facts in survey.sources.values() if facts.lines > 20]
    with_words = sum(len(facts.signs.get("doc", "")) > 12 for facts in rows)
    if len(rows) < 20 or with_words < 0.7 * len(rows):
        return None
    content = [
        f"{share(with_words, len(rows))} of the source files in {survey.codebase.name} start with "
        f"a comment that describes their purpose. Add one to new files too."
    ]
    return finding("conventions", "Source files start with a comment about their purpose", content, 2, (), ["comments"])
