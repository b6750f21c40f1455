"""Turns facts into items: title, content, schema key, quotes and limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loremark.memory import schema_keys
from loremark.memory.extraction import salience, titles
from loremark.memory.extraction.payloads import as_list, first_text
from loremark.memory.extraction.schema_key_rules import infer_schema_key
from loremark.memory.extraction.sentence_splitter import Sentence, strip_markdown
from loremark.memory.extraction.word_patterns import content_terms, coverage
from loremark.memory.items import TIER_OF_TYPE, Item, Quote
from loremark.memory.paths import find_paths, is_generated_file, parse_file_field
from loremark.wire.items import ItemType

MAX_ITEMS = 200
MAX_FILES = 50
MAX_CONTENT_CHARS = 2_000
MAX_QUOTE_CHARS = 300
MAX_QUOTES = 3
_MAX_SENTENCES = 6
_BRANCH_CHARS = 200
_DEFAULT_BRANCHES = ("main", "master", "trunk")
_FILE_FIELDS = (
    "files",
    "file",
    "paths",
    "path",
    "filesChanged",
    "filesModified",
    "files_modified",
    "changedFiles",
    "filePath",
)
# "Unlike src/pack.rs, …" names a file that the fact is not about.
_CONTRAST = re.compile(r"\b(?:unlike|contrary to|as opposed to)\s{1,5}\S{1,300}", re.IGNORECASE)
# "GET /api/invoices.csv" is a URL, whatever its extension.
_ADDRESS = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s{1,3}`?/\S{1,300}")
_ONLY_A_PATH = re.compile(r"`?[\w./\\@-]{1,200}\.\w{1,8}`?$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_OTHER_SCRIPT = re.compile(r"[^\W\d_\x00-\x7f]{2,}")


@dataclass(frozen=True)
class EventContext:
    """What all items of one event share. ``actor_id``: who sent it, if the sender was signed in."""

    event_id: str
    branch: str | None
    roots: tuple[str, ...]
    actor_id: str | None = None


@dataclass(frozen=True)
class Fact:
    """A statement worth remembering, before it becomes an item. ``lead`` is its own title as written, if it has one."""

    type: ItemType
    lead: str
    sentences: tuple[Sentence, ...]
    files: tuple[str, ...]
    confidence: float
    scope: str = ""
    capitalize: bool = False  # a prefix was removed from the lead
    tags: tuple[str, ...] = ()
    type_margin: float | None = None
    nearby_files: tuple[
        str, ...
    ] = ()  # files of the surrounding change: they locate the fact, but it is not about them
    keep_title: bool = False  # it was saved explicitly: keep its title however little it says
    tier: int | None = None  # unless the type decides
    verbatim: str = ""  # its text as written, if its formatting should be kept
    quotes: tuple[str, ...] = ()  # its evidence, unless the sentences are
    commit_sha: str = ""  # the commit that the evidence quotes

    def words(self) -> str:
        return " ".join((self.lead, *(sentence.text for sentence in self.sentences)))


def event_context(event_id: str, payload: dict[str, Any], actor_id: str | None = None) -> EventContext:
    """The branch, unless it is the default one, and the folders that absolute paths may start with."""
    branch, default = branches_of(payload)
    if branch is not None and (branch == default or (default is None and branch in _DEFAULT_BRANCHES)):
        branch = None
    if branch in _DEFAULT_BRANCHES:
        branch = None
    repo = payload.get("repo")
    holders = [payload, repo] if isinstance(repo, dict) else [payload]
    roots = (first_text(holder, name) for holder in holders for name in ("root", "cwd", "workspace", "projectRoot"))
    return EventContext(event_id, branch, tuple(root.strip() for root in roots if len(root.strip()) > 1), actor_id)


def branches_of(payload: dict[str, Any]) -> tuple[str | None, str | None]:
    """The branch and the default branch that a payload names."""
    git = payload.get("git")
    holders = [payload, git] if isinstance(git, dict) else [payload]
    branch = next((name for holder in holders if (name := branch_name(holder, "branch", "gitBranch"))), None)
    default = next((name for holder in holders if (name := branch_name(holder, "defaultBranch"))), None)
    return branch, default


def branch_name(holder: dict[str, Any], *fields: str) -> str | None:
    name = first_text(holder, *fields).strip().removeprefix("refs/heads/")
    return name if name and len(name) <= _BRANCH_CHARS and not _CONTROL.search(name) and name != "HEAD" else None


def files_of(holder: dict[str, Any], roots: Sequence[str]) -> list[str]:
    """The files named by a payload's file fields."""
    found: dict[str, None] = {}
    for field in _FILE_FIELDS:
        for entry in as_list(holder.get(field))[: 4 * MAX_FILES]:
            value = (
                entry
                if isinstance(entry, str)
                else first_text(entry, "path", "file", "name")
                if isinstance(entry, dict)
                else ""
            )
            pieces = value.split(",") if field in ("files", "file") and "," in value else [value]
            for piece in pieces[:MAX_FILES]:
                path = parse_file_field(piece, roots)
                if path is not None and not is_generated_file(path):
                    found.setdefault(path)
    return list(found)[:MAX_FILES]


def find_files(texts: Iterable[str], roots: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for path in find_paths(_ADDRESS.sub(" ", _CONTRAST.sub(" ", text)), roots):
            found.setdefault(path)
    return list(found)


def merge_files(*groups: Iterable[str]) -> tuple[str, ...]:
    """Each file once; a bare name is dropped if a full path ends in it."""
    found: dict[str, None] = {}
    for group in groups:
        for path in group:
            if "/" in path or not any(other.endswith("/" + path) for other in found):
                found.setdefault(path)
    full = [path for path in found if "/" in path]
    kept = (path for path in found if "/" in path or not any(other.endswith("/" + path) for other in full))
    return tuple(kept)[:MAX_FILES]


def build_item(fact: Fact, origin: EventContext) -> Item | None:
    """Build the item; None if it has no title or no quote."""
    title = _title_of(fact)
    if not title:
        return None
    content = _cut(fact.verbatim) or _content_of(fact) or title
    quotes = _quotes_of(fact, origin.event_id)
    if not quotes:
        return None
    tags = tuple(dict.fromkeys(schema_keys.slug(tag) for tag in (fact.scope, *fact.tags) if tag.strip()))[:5]
    return Item(
        title=title,
        content=content,
        type=fact.type,
        schema_key=infer_schema_key(fact.type, fact.files or fact.nearby_files, fact.scope, f"{title}. {content}"),
        confidence=fact.confidence,
        files=fact.files[:MAX_FILES],
        tags=tags,
        evidence=quotes,
        branch=origin.branch,
        tier=fact.tier or TIER_OF_TYPE[fact.type],
        type_margin=fact.type_margin,
    )


def cut_quote(raw: str) -> str:
    """The beginning of a source that fits a quote, verbatim."""
    raw = raw.strip()
    if len(raw) <= MAX_QUOTE_CHARS:
        return raw
    cut = raw[:MAX_QUOTE_CHARS]
    return (cut.rpartition(" ")[0] or cut).strip()


def drop_duplicates(items: Iterable[Item]) -> tuple[Item, ...]:
    """Items that say different things. Of two similar ones the more confident stays, in the first one's place.

    Stops one above the limit, which shows that there were more.
    """
    kept: list[tuple[Item, frozenset[str], frozenset[str]]] = []
    for item in items:
        named, said = _words(item.title), _words(f"{item.title} {item.content}")
        for place, (other, other_named, other_said) in enumerate(kept):
            if _are_alike(item, other, (named, said), (other_named, other_said)):
                if item.confidence > other.confidence:
                    kept[place] = (item, named, said)
                break
        else:
            kept.append((item, named, said))
        if len(kept) > MAX_ITEMS:
            break
    return tuple(item for item, _, _ in kept)


def _words(text: str) -> frozenset[str]:
    """The words of any script."""
    return content_terms(text) | frozenset(_OTHER_SCRIPT.findall(text.lower()))


def _are_alike(
    item: Item, other: Item, mine: tuple[frozenset[str], frozenset[str]], theirs: tuple[frozenset[str], frozenset[str]]
) -> bool:
    if item.title.lower() == other.title.lower() and item.type == other.type:
        return True
    named = coverage(mine[0], theirs[0]) >= 0.8 and coverage(theirs[0], mine[0]) >= 0.8
    within = coverage(mine[1], theirs[1]) >= 0.9 or coverage(theirs[1], mine[1]) >= 0.9
    return (named and item.type == other.type) or (within and item.type == other.type)


def _title_of(fact: Fact) -> str:
    lead = titles.headline(fact.lead, capital=fact.capitalize)
    if lead and (fact.keep_title or not titles.is_generic(lead)):
        return lead
    for sentence in fact.sentences:
        found = titles.headline(sentence.text)
        if found and not titles.is_generic(found) and not salience.is_small_talk(sentence.text):
            return found
    if fact.keep_title and fact.sentences:
        return titles.headline(fact.sentences[0].text)
    return lead if lead and len(content_terms(lead)) >= 1 and fact.sentences else ""


def _content_of(fact: Fact) -> str:
    """The claim and its reason: the most informative sentences in order, lists as lists."""
    chosen = [sentence for sentence in fact.sentences if not _ONLY_A_PATH.match(sentence.text)]
    if len(chosen) > _MAX_SENTENCES:
        rated = sorted(range(len(chosen)), key=lambda place: (-_rate(chosen[place], place), place))[:_MAX_SENTENCES]
        chosen = [chosen[place] for place in sorted(rated)]
    parts: list[str] = []
    lead = strip_markdown(titles.without_prefix(fact.lead))
    said = content_terms(" ".join(sentence.text for sentence in chosen))
    if lead and (not chosen or (coverage(content_terms(lead), said) < 0.5 and not titles.is_generic(lead))):
        lead = lead[0].upper() + lead[1:] if fact.capitalize and lead.split(" ", 1)[0].isalpha() else lead
        parts.append(lead if lead.endswith((".", "!", "?", ":")) else lead + ".")
    block = -1
    for sentence in chosen:
        if sentence.is_bullet and sentence.block != block and len({one.block for one in chosen}) > 1:
            parts.append("\n- " + sentence.text)
        elif parts and sentence.block != block and not sentence.is_bullet and parts[-1].startswith("\n- "):
            parts.append("\n\n" + sentence.text)
        else:
            parts.append(sentence.text)
        block = sentence.block
    text = " ".join(parts).replace(" \n", "\n").strip()
    return text if len(text) <= MAX_CONTENT_CHARS else text[: MAX_CONTENT_CHARS - 1].rpartition(" ")[0].rstrip() + "…"


def _cut(whole: str) -> str:
    """Text as written, up to its last complete line that fits."""
    if len(whole) <= MAX_CONTENT_CHARS:
        return whole
    return whole[:MAX_CONTENT_CHARS].rpartition("\n")[0].rstrip()


def _rate(sentence: Sentence, place: int) -> float:
    return (
        (2.0 if place == 0 else 0.0)
        + (1.5 if salience.has_reason(sentence.text) else 0.0)
        + (0.8 if any(char.isdigit() for char in sentence.text) or "`" in sentence.text else 0.0)
        + (0.5 if salience.has_remedy(sentence.text) else 0.0)
    )


def _quotes_of(fact: Fact, event_id: str) -> tuple[Quote, ...]:
    if fact.quotes:
        found = dict.fromkeys(quote for raw in fact.quotes if (quote := cut_quote(raw)))
        return tuple(Quote(event_id, quote, fact.commit_sha) for quote in found)[:MAX_QUOTES]
    sentences = [sentence.raw for sentence in fact.sentences]
    reasons = [raw for raw in sentences[1:] if salience.has_reason(raw)]
    lead = [fact.lead] if fact.lead.strip() and "\x00" not in fact.lead else []
    ranked = (sentences[:1] + reasons + lead + sentences[1:]) if sentences else lead
    quotes = dict.fromkeys(cut_quote(raw) for raw in ranked)
    return tuple(Quote(event_id, quote) for quote in quotes if quote)[: MAX_QUOTES if len(sentences) > 1 else 2]
