"""Reads a session part by part: each part is read with the findings of the parts before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from loremark.memory.extraction.facts import event_context
from loremark.memory.extraction.payloads import truncate_event
from loremark.memory.items import Item, RawEvent
from loremark.memory.merging import MAX_EVIDENCE
from loremark.memory.reading import answers
from loremark.memory.reading.answers import Finding
from loremark.memory.reading.prompt import KnownItem, ReadingPrompt, build_prompt
from loremark.memory.reading.source_text import SourceText
from loremark.memory.reading.transcript import Passage, parts, passages, without_middle


@dataclass
class Tally:
    """What was dropped from the answers, and why."""

    unsupported: int = 0
    invalid: int = 0
    unknown_ids: int = 0
    beyond_limit: int = 0


@dataclass
class SessionReading:
    """The reading of one session. Ask for ``prompt`` and give each answer to ``add_answer``, until it is None."""

    known: Sequence[KnownItem]
    passages: Sequence[Passage]
    branch: str | None
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        divided = parts(self.passages)
        self._parts = without_middle(divided)
        self._is_whole = len(self._parts) == len(divided)
        self._source = SourceText(self.passages, (f"{one.title}\n{one.content}" for one in self.known))
        self._findings: dict[str, Finding] = {}
        self._read = 0
        self._numbered = 0

    @classmethod
    def of_events(cls, events: Sequence[RawEvent], known: Sequence[KnownItem]) -> SessionReading:
        return cls(known, passages(events), _branch_of(events))

    @property
    def part_count(self) -> int:
        return len(self._parts)

    @property
    def parts_read(self) -> int:
        return self._read

    @property
    def is_complete(self) -> bool:
        """Whether the model has read everything that was said."""
        return self._is_whole and self._read >= len(self._parts)

    @property
    def prompt(self) -> ReadingPrompt | None:
        """The prompt for the next part, or None if everything was read."""
        if self._read >= len(self._parts):
            return None
        earlier = [
            KnownItem(name, one.item.type, one.item.title, one.item.content) for name, one in self._findings.items()
        ]
        return build_prompt(self._parts[self._read], self.known, earlier, number=self._read + 1, parts=len(self._parts))

    def add_answer(self, answer: str) -> None:
        """Verify the answer to the current prompt. Raises MalformedAnswer, after which the prompt stays the same."""
        ids = {one.id for one in self.known} | set(self._findings)
        found = answers.parse_answer(answer, self._source, ids, branch=self.branch)
        self._read += 1
        self.tally.unsupported += found.unsupported
        self.tally.invalid += found.invalid
        self.tally.unknown_ids += found.unknown_ids
        self.tally.beyond_limit += found.beyond_limit
        for finding in found.found:
            self._add(finding)

    def _add(self, finding: Finding) -> None:
        earlier = self._findings.get(finding.known_id)
        if earlier is not None and finding.verdict == "repeats":
            self._findings[finding.known_id] = replace(earlier, item=_with_evidence(earlier.item, finding.item))
        elif earlier is not None:  # what a later part says holds, in place of what the earlier one replaced
            self._findings[finding.known_id] = replace(finding, verdict=earlier.verdict, known_id=earlier.known_id)
        else:
            self._numbered += 1
            self._findings[f"F{self._numbered}"] = finding

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._findings.values())


def _with_evidence(item: Item, other: Item) -> Item:
    return replace(item, evidence=tuple(dict.fromkeys((*item.evidence, *other.evidence)))[:MAX_EVIDENCE])


def _branch_of(events: Sequence[RawEvent]) -> str | None:
    """The branch that all events name, or None."""
    found = {event_context(event.id, truncate_event(event).payload).branch for event in events}
    return found.pop() if len(found) == 1 else None
