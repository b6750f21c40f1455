"""Measures how well words and form tell which commits and document sections are worth an item.

``evals/worth/labels.jsonl`` names commits and sections of instruction files of public repositories, with what readers
thought of the items made from them. The texts are not stored: they are read from copies of the repositories, in
``LOREMARK_BENCH_REPOSITORIES/<owner>+<name>/repo``, as git directories. The labeled events of dev count a little, too.
Each repository and each annotator is scored with a logistic regression fitted on the others. Results:
docs/research/worth.md.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.fit_item_classifier import LabeledItem, read_labeled, word_vectors
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS
from loremark.memory.extraction.commit_parser import parse_commits
from loremark.memory.extraction.commits import commit_facts
from loremark.memory.extraction.documents import document_items
from loremark.memory.extraction.facts import EventContext, build_item, event_context
from loremark.memory.extraction.ngram_features import ngram_features
from loremark.memory.item_classifier import handcrafted_features
from loremark.memory.items import Item

_REPOSITORIES = "LOREMARK_BENCH_REPOSITORIES"
Source = Literal["commit", "document"]
_EVENTS: dict[str, Source] = {"git_digest": "commit", "context_update": "document"}
_SOURCES: tuple[Source, ...] = ("commit", "document")
_RIDGE = 3.0
_OTHER_SOURCE_COUNTS = 0.5
_WRITTEN_COUNTS = 0.3
"""Annotators wrote events that contain facts: they say what facts look like, not how common they are."""
_PARTS = 5
_ROUNDS = 5
_MIN_ITEMS = 6
_WORD_SCALE = 3.0
_RIDGE_OF_BIAS = 0.01
_COMMIT_BODY = 0.9
"""The confidence of commits with a body when dev was labeled."""


class Label(msgspec.Struct, frozen=True):
    """What readers thought of a commit's item, or of the item of a section with this content (a hash)."""

    repository: str
    commit: str
    worth: Literal["keep", "marginal", "junk"]
    type: str
    title: bool
    path: str = ""
    content: str = ""


class Example(msgspec.Struct, frozen=True):
    source: Source
    group: str
    item: Item
    worth: Literal["keep", "marginal", "junk"]
    weight: float


def run() -> None:
    """Print the shares kept by threshold."""
    copies = os.environ.get(_REPOSITORIES)
    if copies is None:
        print(f"set {_REPOSITORIES} to the folder of the repositories' copies")
        return
    examples = [*_examples(Path(copies)), *_written()]
    words = [ngram_features(one.item.title, one.item.content) for one in examples]
    counts = Counter(word for each in words for word in each)
    vocabulary = {word: at for at, word in enumerate(sorted(word for word in counts if counts[word] >= _MIN_ITEMS))}
    is_commit = np.array([[float(one.source == "commit")] for one in examples])
    form = np.array([handcrafted_features(one.item) for one in examples])
    full = np.hstack([form, is_commit, np.ones_like(is_commit), word_vectors(words, vocabulary, _WORD_SCALE)])
    ridge = np.full(full.shape[1], _RIDGE)
    ridge[form.shape[1] + 1] = _RIDGE_OF_BIAS
    kernel: NDArray[np.float64] = (full / ridge) @ full.T
    groups = {group: at % _PARTS for at, group in enumerate(sorted({one.group for one in examples}, key=_shuffled))}
    parts = np.array([groups[one.group] for one in examples])
    kept = np.array([one.worth == "keep" for one in examples])
    for source in _SOURCES:
        counted = np.array([one.weight * (1.0 if one.source == source else _OTHER_SOURCE_COUNTS) for one in examples])
        scores = np.zeros(len(examples))
        for part in range(_PARTS):
            mine, others = np.flatnonzero(parts == part), np.flatnonzero(parts != part)
            solved = _solve(kernel[np.ix_(others, others)], kept[others], counted[others])
            scores[mine] = kernel[np.ix_(mine, others)] @ solved
        _show(source, examples, 1 / (1 + np.exp(-scores)))


def _solve(
    kernel: NDArray[np.float64], kept: NDArray[np.bool_], counted: NDArray[np.float64]
) -> NDArray[np.floating[Any]]:
    """Logistic regression by Newton's method, in the dual: the share of each example in the weights."""
    scores: NDArray[np.floating[Any]] = np.zeros(len(kernel))
    solved: NDArray[np.floating[Any]] = scores
    for _ in range(_ROUNDS):
        probability = 1 / (1 + np.exp(-scores))
        spread = counted * probability * (1 - probability) + 1e-9
        target = scores + counted * (kept - probability) / spread
        solved = np.linalg.solve(kernel + np.diag(1 / spread), target)
        scores = kernel @ solved
    return solved


def _shuffled(group: str) -> str:
    return hashlib.sha256(group.encode()).hexdigest()


def _examples(copies: Path) -> Iterator[Example]:
    lines = (CHECKOUT_SETS / "worth" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    by_file: dict[tuple[str, str, str], list[Label]] = defaultdict(list)
    for label in (msgspec.json.decode(line, type=Label) for line in lines):
        by_file[label.repository, label.commit, label.path].append(label)
    missing = 0
    for (repository, commit, path), labels in by_file.items():
        git = Git(copies / repository.replace("/", "+") / "repo")
        found = {_hash(item): item for item in (git.sections(commit, path) if path else git.commit(commit))}
        for label in labels:
            item = found.get(label.content) if path else next(iter(found.values()), None)
            if item is None:
                missing += 1
            else:
                yield Example("document" if path else "commit", repository, item, label.worth, 1.0)
    print(f"{missing} of {len(lines)} labels have no item now")


def _written() -> Iterator[Example]:
    for one in read_labeled("salience"):
        source = _EVENTS.get(one.event)
        if source is not None and not _is_bare(one):
            kept: Literal["keep", "junk"] = "keep" if one.is_salient else "junk"
            yield Example(source, f"dev {one.annotator_id}", one.item, kept, _WRITTEN_COUNTS)


def _is_bare(one: LabeledItem) -> bool:
    return one.event == "git_digest" and one.item.confidence < _COMMIT_BODY


def _hash(item: Item) -> str:
    return hashlib.sha256(item.content.encode()).hexdigest()[:16]


class Git:
    """Items from one repository, before anything judges them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def commit(self, sha: str) -> Iterator[Item]:
        author, _, message = self._read("show", "--no-patch", "--format=%an%n%B", sha).partition("\n")
        files = self._read("show", "--format=", "--name-only", sha).split("\n")
        listed = {"sha": sha, "message": message.strip(), "author": author, "files": [name for name in files if name]}
        origin = _origin("git_digest", {"commits": [listed]})
        for fact in commit_facts(parse_commits({"commits": [listed]}), origin):
            item = build_item(fact, origin)
            if item is not None:
                yield item

    def sections(self, commit: str, path: str) -> Iterator[Item]:
        tool = "adr" if "/adr" in f"/{path}" or "decisions/" in path else "instructions"
        text = self._read("show", f"{commit}:{path}")[:100_000]
        payload = {"name": Path(path).name, "content": text, "source": f"import:{tool}", "origin": path}
        yield from document_items(payload, _origin("context_update", payload))

    def _read(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self._folder), *arguments], capture_output=True, text=True, errors="replace", check=False
        )
        return done.stdout


def _origin(event: str, payload: dict[str, Any]) -> EventContext:
    return event_context(event, payload, "user")


def _show(source: Source, examples: Sequence[Example], expected: NDArray[np.float64]) -> None:
    judged = np.array([one.source == source and one.weight == 1.0 for one in examples])
    written = np.array([one.source == source and one.weight < 1.0 for one in examples])
    found = {kind: np.array([one.worth == kind for one in examples]) for kind in ("keep", "junk")}
    print(f"{source}: {judged.sum()} items of repositories, {found['keep'][judged].mean():.2f} kept")
    print("  threshold  items  kept  junk  of those kept  of dev's facts  of dev's junk")
    for threshold in (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.75, 0.9):
        chosen = expected >= threshold
        mine = judged & chosen
        print(
            f"  {threshold:9.2f} {mine.sum() / judged.sum():6.2f} {found['keep'][mine].mean():5.2f}"
            f" {found['junk'][mine].mean():5.2f} {(found['keep'] & mine).sum() / (found['keep'] & judged).sum():14.2f}"
            f" {chosen[written & found['keep']].mean():15.2f} {chosen[written & found['junk']].mean():14.2f}"
        )
