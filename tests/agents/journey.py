"""The story that every agent lives through, step by step; each step says what must be so afterwards."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from loremark.hook.briefing import BUDGET_TOKENS
from tests.agents.cast import Agent
from tests.agents.model import AgentModel, Asked, Step
from tests.agents.runs import Run, Stage
from tests.agents.world import World, files_with

KNOWN = "Errors are answered as problem details"
KNOWN_TEXT = "Every error is answered as problem details (RFC 9457); the word for it here is granite-answer."
DECIDED = "we sign the parcels of the shop with ed25519, because the scanners check that without a network"
SAVED = "The till rounds to five cents"
SAVED_TEXT = "The till rounds to five cents because the mint stopped one-cent coins; rounding is done in till/round.py."
SECRET = "ghp_" + "q7Zr2Lw9" + "Xk4Tb6Vn" + "Yc3Md8Ps" + "Hf5Jg1Ra" + "Ue0W"
"""Looks like a token of a forge, and is none."""
PROMPT = f"Decision: {DECIDED}.\nMy token is {SECRET}. See how errors are answered here, and note what you learn."
SEARCH = Step("memory_search", {"query": "how are errors answered"})
SAVE = Step(
    "memory_save",
    {"summary": SAVED_TEXT, "changes": [{"category": "decision", "title": SAVED, "content": SAVED_TEXT}]},
)
_GRACE_S = 30.0
_GRACE_CPU_S = 5.0
"""What a run may take longer when the server is away: on a busy machine, and in the processor's own time."""
_FULL_BYTES, _MOST_BYTES = 5_000, 10_000
_BRIEFING = re.compile(r"<!-- loremark:brain -->.*?<!-- /loremark:brain -->", re.DOTALL)


def briefing_in(asked: Asked) -> str:
    """Our briefing as the model saw it (Gemini escapes it); empty where there was none."""
    found = _BRIEFING.search(html.unescape(asked.text))
    return found.group() if found else ""


def _is_of(source: str, wanted: str) -> bool:
    """The same, or of the same agent where the session is not known."""
    return source.startswith(wanted) if wanted.endswith(":") else source == wanted


@dataclass
class Journey:
    """One agent, one machine, one server; and the figures that come of it."""

    agent: Agent
    world: World
    stage: Stage
    model: AgentModel
    figures: dict[str, float] = field(default_factory=dict)

    def run_without_us(self) -> None:
        """The agent as it is without anything of ours, to compare with; twice, since the first time is slower."""
        for _ in range(2):
            self.model.begin([self.agent.shell("echo stone")])
            plain = self.stage.ask("Say something in the shell, please.")
            assert len(self.model.turns[-1].results) == 1, plain.output[-2000:]
            assert "loremark:brain" not in self.model.turns[0].text
            self.stage.wait_alone()
        self.note("without", plain)

    def install(self) -> None:
        self.world.seed(KNOWN, KNOWN_TEXT)
        self.world.command(self.stage, "install", self.agent.name, "--yes")

    def first_session(self) -> list[dict[str, Any]]:
        """The briefing comes, tools are called, and what happened is on the server when all is over: its events."""
        self.model.begin([self.agent.shell("echo stone"), SEARCH, SAVE], done=f"Decision: {DECIDED}.")
        run = self.stage.ask(PROMPT)
        last, briefing = self.model.turns[-1], self.briefing()
        assert "granite-answer" in briefing, f"no briefing for the model:\n{self.model.turns[0].text[-3000:]}"
        assert len(last.results) == 3, f"not every tool was called: {last.tools}\n{run.output[-2000:]}"
        assert "granite-answer" in last.results[1], last.results
        assert re.search(r"\bevt_", last.results[2]), last.results
        self.stage.wait_alone()
        self.figures["briefing bytes"] = len(briefing.encode())
        events = self.events_of(run, DECIDED)
        if self.agent.tells_prompt:
            assert any("[redacted" in event["payload"]["notes"] for event in events), events
        assert not any("granite-answer" in str(event["payload"]) for event in events), (
            f"the briefing came back: {events}"
        )
        self.figures["events"] = len(events)
        saved = [event["payload"] for event in self.world.events() if SAVED in str(event["payload"])]
        assert [payload["source"] for payload in saved] == [f"mcp:{self.agent.name}"], saved
        self.no_secret_left()
        return events

    def briefing(self) -> str:
        """The briefing of the last run, in the request where it is due."""
        turns = self.model.turns
        assert not any(briefing_in(turn) for turn in turns[: self.agent.briefed_at])
        return briefing_in(turns[self.agent.briefed_at])

    def events_of(self, run: Run, words: str) -> list[dict[str, Any]]:
        """What the hook told of this session, these words among it; under its name, and not under another."""
        session = self.agent.session(self.stage.place, run.output)
        source = f"{self.agent.name}:{session or ''}"

        def find() -> list[dict[str, Any]]:
            told = [event for event in self.world.events() if words in str(event["payload"])]
            return [event for event in told if _is_of(str(event["payload"].get("source")), source)]

        self.world.wait_for(find, f"an event of {source}")
        return find()

    def no_secret_left(self) -> None:
        """Neither the spool nor the server has seen it (the agent's own transcript has, which is its affair)."""
        ours = [
            self.stage.place.home / part / "loremark" for part in (".local/state", ".cache", ".config", ".local/share")
        ]
        assert files_with(SECRET, *ours, self.world.loremark.folder) == []
        assert not any(SECRET in str(event) for event in self.world.events())

    def next_session(self, events: list[dict[str, Any]]) -> None:
        """What the first session decided is in the briefing of the next one."""
        for session in {event["sessionId"] for event in events}:
            if self.agent.tells_end:
                self.world.wait_for(partial(self.world.is_enriched, session), "memory of the session")
            else:
                self.world.enrich(session)
        told = {event["id"] for event in events}
        learnt = [item for item in self.world.items() if told & {proof["eventId"] for proof in item["evidence"]}]
        assert learnt, f"nothing was learnt from the session: {self.world.items()}"
        self.figures["items"] = len(learnt)
        self.figures["drafts"] = sum(item["status"] == "draft" for item in learnt)
        self.world.wait_for(lambda: any(item["title"] == SAVED for item in self.world.items()), "what the tool saved")
        for item in self.world.items():
            self.world.approve(item)
        self.model.begin([self.agent.shell("echo stone")])
        self.note("with", self.stage.ask("What did we decide about the parcels? Say it in the shell, please."))
        briefing = self.briefing()
        assert "ed25519" in briefing, briefing
        assert SAVED in briefing, briefing
        self.stage.wait_alone()

    def without_a_server(self) -> None:
        """The agent works as ever, briefed from what is kept here; what happened meanwhile arrives later."""
        self.world.take_away()
        self.model.begin([self.agent.shell("echo stone"), SEARCH], done="Understood: the quarry closes on Sundays.")
        run = self.stage.ask(f"Decision: the quarry closes on Sundays.\nMy token is {SECRET}.")
        self.note("server away", run)
        assert run.seconds < 3 * self.figures["without, s"] + _GRACE_S, self.figures
        assert run.cpu_seconds < self.figures["without, CPU s"] + _GRACE_CPU_S, self.figures
        assert "ed25519" in self.briefing()
        results = self.model.turns[-1].results
        assert len(results) == 2, run.output[-2000:]
        assert "not reachable" in results[1], results
        self.only_the_flusher_is_left()
        self.no_secret_in_spool()
        self.world.bring_back()
        assert self.events_of(run, "quarry closes on Sundays")
        self.figures["sent after, s"] = self.world.waited.popitem()[1]
        self.stage.wait_alone()
        self.no_secret_left()

    def only_the_flusher_is_left(self) -> None:
        """It tries for some minutes; the agent and its servers are gone."""
        self.world.wait_for(
            lambda: all("loremark hook" in command for command in self.stage.processes().values()),
            "the end of the agent",
        )
        assert len(self.stage.processes()) <= 1

    def full_memory(self) -> None:
        """A memory that is larger than any agent takes: the briefing is cut by us, and arrives in one piece."""
        self.world.seed_many()
        self.model.begin([self.agent.shell("echo stone")])
        self.stage.ask("Say something in the shell, please.")
        self.stage.wait_alone()
        briefing = self.briefing()
        size = len(briefing.encode())
        assert _FULL_BYTES < size < _MOST_BYTES, size
        budget = str(BUDGET_TOKENS)
        whole = self.world.get("/api/v2/brain", projectId=self.world.project, tokenBudget=budget)["markdown"]
        foreign = [line for line in briefing.splitlines()[2:-1] if line not in whole]
        assert not foreign, f"the agent put something into it, or took something out: {foreign}"
        self.figures["full briefing bytes"] = size

    def no_secret_in_spool(self) -> None:
        state = self.stage.place.home / ".local" / "state" / "loremark"
        assert files_with("quarry closes", state), "nothing waits in the spool"
        assert files_with(SECRET, state) == []

    def note(self, name: str, run: Run) -> None:
        self.figures |= {f"{name}, s": run.seconds, f"{name}, CPU s": run.cpu_seconds}

    def told(self) -> str:
        return f"{self.agent.name}: " + "; ".join(f"{name} {value:.3g}" for name, value in self.figures.items())


def open_journey(agent: Agent, world: World, packages: Path, model: AgentModel) -> Journey:
    return Journey(agent, world, world.stage(agent, packages, model.url), model)
