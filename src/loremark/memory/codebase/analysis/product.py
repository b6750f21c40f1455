"""Product findings from the README, manifests and routes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from loremark.memory.codebase.analysis.formatting import (
    code,
    coded,
    counted,
    finding,
    joined,
    number,
    points,
    share,
    short,
)
from loremark.memory.codebase.analysis.prose import plain
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Finding

_README = re.compile(r"(?:^|/)readme(?:\.[a-z]{2,8})?$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(0-9])")
_ASIDE = re.compile(r"\s?\([^()]{0,200}\)")
_ROUTE = re.compile(r"^(?:[A-Z*|,]{3,40}\s{1,3})?(/?[^\s]{0,200})$")
_VERSION = re.compile(r"v\d{1,3}")
_PARAMETER = re.compile(r"^[<{:*\[(^$]|[<{*(\\]")
_COMMON = frozenset(("api", "rest", "app", "index", "admin", "ajax", "internal", "public", "web"))
_LANGUAGE_NAMES = {
    "csharp": "C#",
    "yaml": "YAML",
    "json": "JSON",
    "toml": "TOML",
    "html": "HTML",
    "css": "CSS",
    "scss": "SCSS",
    "sql": "SQL",
    "xml": "XML",
    "graphql": "GraphQL",
    "cpp": "C++",
    "fsharp": "F#",
    "header": "C headers",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "tsx": "TypeScript with JSX",
    "php": "PHP",
    "objective-c": "Objective-C",
    "erb": "ERB templates",
    "razor": "Razor views",
}


def language_name(language: str) -> str:
    return _LANGUAGE_NAMES.get(language, language.capitalize())


def display_name(survey: Survey) -> str:
    """The display name: the README heading if it is short, else the repository name."""
    heading = next((text for path, text in survey.with_sign("heading") if _README.search(path) and "/" not in path), "")
    words = re.split(r"\s[-–—:|]\s|:\s", heading, maxsplit=1)[0].strip().strip("`")
    return words if 2 <= len(words) <= 40 and words.count(" ") <= 3 else survey.codebase.name


def summary(survey: Survey) -> tuple[str, str]:
    """The product summary and its source file."""
    for path, text in survey.with_sign("lead"):
        if _README.search(path) and path.count("/") <= 1 and "/" not in path.removeprefix(".github/"):
            return text, path
    for path, text in survey.with_sign("description"):
        words = plain(text)
        if path.count("/") <= 2 and len(words) >= 12:
            return words, path
    return "", ""


def find_license(survey: Survey) -> tuple[str, str]:
    rows = [row for row in (*survey.with_sign("licence"), *survey.with_sign("license")) if row[0].count("/") <= 1]
    rows.sort(key=lambda row: row[0].count("/"))
    return (short(rows[0][1], 60), rows[0][0]) if rows else ("", "")


def product_findings(survey: Survey) -> list[Finding]:
    found = [_identity(survey), _features(survey), _areas(survey)]
    return [one for one in found if one is not None]


def _identity(survey: Survey) -> Finding | None:
    name = display_name(survey)
    text, source = summary(survey)
    terms, terms_source = find_license(survey)
    described = next((plain(words) for path, words in survey.with_sign("description") if "/" not in path), "")
    said = text if _mentions(name, text) else f"{name}: {text}"
    lines = [said if text else f"{name} has no README that describes it."]
    if described and _is_news(described, text):
        lines.append(f"Package description: “{short(described, 240).rstrip('.')}”.")
    if survey.languages and survey.lines:
        top = [f"{language_name(language)} ({share(count, survey.lines)})" for language, count in survey.languages[:4]]
        size = f"{number(survey.lines)} lines of code in {counted(len(survey.sources), 'file')}"
        aside = ", excluding tests" if survey.tests else ""
        lines.append(f"{name} has {size}{aside}: {joined(top)}.")
    if terms:
        lines.append(f"License: {terms} (`{terms_source}`).")
    if not text and not survey.sources:
        return None
    return finding(
        "product", _title(name, text), lines, 5, [path for path in (source, terms_source) if path], ["overview"]
    )


def _is_news(described: str, text: str) -> bool:
    """Whether a description adds something to the README."""
    known = set(re.findall(r"\w{4,}", text.lower()))
    words = re.findall(r"\w{4,}", described.lower())
    return sum(word not in known for word in words) > len(words) / 2 and len(words) > 2


def _mentions(name: str, text: str) -> bool:
    """Whether a text mentions the product, at least by one distinctive word."""
    words = set(re.findall(r"\w+", text.lower()))
    return any(word in words for word in re.findall(r"\w{3,}", name.lower()))


def _title(name: str, text: str) -> str:
    first = _SENTENCE_END.split(text)[0].rstrip(".") if text else ""
    if len(first) > 115:
        first = _ASIDE.sub("", first)
    if first and not _mentions(name, first) and len(first) + len(name) < 110:
        first = f"{name}: {first}"
    return first if 12 <= len(first) <= 115 else f"About {name}"


def _features(survey: Survey) -> Finding | None:
    rows = [row for row in survey.with_sign("features") if "/" not in row[0]]
    if not rows:
        return None
    path, text = rows[0]
    features = [feature for feature in text.split("; ") if feature]
    if len(features) < 2:
        return None
    name = display_name(survey)
    lead = f"The README of {name} lists {counted(len(features), 'feature')}:"
    return finding("product", f"Features of {name}", [lead, *points(features)], 3, [path], ["features"])


def _areas(survey: Survey) -> Finding | None:
    """The nouns in routes and pages, which are what users of the product work with."""
    files: defaultdict[str, list[str]] = defaultdict(list)
    count: Counter[str] = Counter()
    for path, entry in survey.entries("route", "page"):
        area = _area(entry.name)
        if area:
            count[area] += 1
            files[area].append(path)
    areas = sorted((area for area in count if count[area] >= 2), key=lambda area: (-count[area], area))
    if len(areas) < 3:
        return None
    name = display_name(survey)
    lead = (
        f"The routes and pages of {name} are mainly about {coded(areas[:6], 6)}. "
        f"These are the areas that users and API clients can reach."
    )
    rows = [
        f"`{area}`: {counted(count[area], 'route')}, mostly in {code(Counter(files[area]).most_common(1)[0][0])}"
        for area in areas
    ]
    named = [files[area][0] for area in areas[:15]]
    return finding(
        "product",
        f"Product areas of {name}: {joined(sorted(areas[:4]), 4)}",
        [lead, *points(rows)],
        3,
        named,
        ["features"],
    )


def _area(route: str) -> str:
    found = _ROUTE.match(route)
    segments = (found.group(1) if found else "").strip("/^").split("/")
    for segment in segments[:5]:
        plain_segment = segment.strip("$?").lower()
        if not plain_segment or _VERSION.fullmatch(plain_segment) or plain_segment in _COMMON:
            continue
        return (
            "" if _PARAMETER.search(segment) or not re.fullmatch(r"[a-z][\w.-]{1,30}", plain_segment) else plain_segment
        )
    return ""
