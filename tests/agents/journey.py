"""The end-to-end scenario for every agent, step by step, with checks after each step."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.agents.agent_specs import Agent
from tests.agents.model import AgentModel, ModelRequest, Step
from tests.agents.runs import AgentRunner, Run
from tests.agents.testbed import AgentEnvironment, files_with

KNOWN = "Errors are answered as problem details"
KNOWN_TEXT = "Every error is answered as problem details (RFC 9457); the word for it here is granite-answer."
DECIDED = "we sign the parcels of the shop with ed25519, because the scanners check that without a network"
SAVED = "The till rounds to five cents"
SAVED_TEXT = "The till rounds to five cents because the mint stopped one-cent coins; rounding is done in till/round.py."
SECRET = "ghp_" + "q7Zr2Lw9" + "Xk4Tb6Vn" + "Yc3Md8Ps" + "Hf5Jg1Ra" + "Ue0W"
"""Looks like a GitHub token but isn't one."""
PROMPT = f"Decision: {DECIDED}.\nMy token is {SECRET}. See how errors are answered here, and note what you learn."
SEARCH = Step("memory_search", {"query": "how are errors answered"})
SAVE = Step(
    "memory_save",
    {"summary": SAVED_TEXT, "changes": [{"category": "decision", "title": SAVED, "content": SAVED_TEXT}]},
)
_GRACE_S = 30.0
_GRACE_CPU_S = 5.0
"""How much longer a run may take during an outage, in wall time and CPU time."""
_FULL_BYTES, _MAX_BYTES = 500, 10_000
_BRIEFING = re.compile(r"<!-- loremark:brain -->.*?<!-- /loremark:brain -->", re.DOTALL)


def briefing_in(asked: ModelRequest) -> str:
    """Return our briefings, at the start and with the prompt, as the model saw them (Gemini escapes them)."""
    return "\n".join(dict.fromkeys(_BRIEFING.findall(html.unescape(asked.text))))


def _is_of(source: str, wanted: str) -> bool:
    """Return whether the sources match; if the session is unknown, only the agent must match."""
    return source.startswith(wanted) if wanted.endswith(":") else source == wanted


@dataclass
class Journey:
    """One agent on one machine with one server, and the measurements."""

    agent: Agent
    testbed: AgentEnvironment
    runner: AgentRunner
    model: AgentModel
    figures: dict[str, float] = field(default_factory=dict)

    def measure_baseline(self) -> None:
        """Run the agent without Loremark for comparison, twice, because the first run is slower."""
        for _ in range(2):
            self.model.begin([self.agent.shell("echo stone")])
            plain = self.runner.ask("Say something in the shell, please.")
            assert len(self.model.turns[-1].results) == 1, plain.output[-2000:]
            assert "loremark:brain" not in self.model.turns[0].text
            self.runner.wait_for_exit()
        self.note("without", plain)

    def install(self) -> None:
        self.testbed.seed(KNOWN, KNOWN_TEXT)
        self.testbed.command(self.runner, "install", self.agent.name, "--yes")

    def first_session(self) -> list[dict[str, Any]]:
        """Check the briefing, the tool calls and the captured events. Returns the events."""
        self.model.begin([self.agent.shell("echo stone"), SEARCH, SAVE], done=f"Decision: {DECIDED}.")
        run = self.runner.ask(PROMPT)
        last, briefing = self.model.turns[-1], self.briefing()
        assert "granite-answer" in briefing, f"no briefing for the model:\n{self.model.turns[0].text[-3000:]}"
        assert len(last.results) == 3, f"not every tool was called: {last.tools}\n{run.output[-2000:]}"
        assert "granite-answer" in last.results[1], last.results
        assert re.search(r"\bevt_", last.results[2]), last.results
        self.runner.wait_for_exit()
        self.figures["briefing bytes"] = len(briefing.encode())
        events = self.events_of(run, DECIDED)
        if self.agent.reports_prompt:
            assert any("[redacted" in event["payload"]["notes"] for event in events), events
        assert not any("granite-answer" in str(event["payload"]) for event in events), (
            f"the briefing came back: {events}"
        )
        self.figures["events"] = len(events)
        saved = [event["payload"] for event in self.testbed.events() if SAVED in str(event["payload"])]
        assert [payload["source"] for payload in saved] == [f"mcp:{self.agent.name}"], saved
        self.no_secret_left()
        return events

    def briefing(self) -> str:
        """Return the briefing of the last run from the expected request."""
        turns = self.model.turns
        assert not any(briefing_in(turn) for turn in turns[: self.agent.briefed_at])
        return briefing_in(turns[self.agent.briefed_at])

    def events_of(self, run: Run, words: str) -> list[dict[str, Any]]:
        """Return the hook's events of this session that contain these words."""
        session = self.agent.session(self.runner.place, run.output)
        source = f"{self.agent.name}:{session or ''}"

        def find() -> list[dict[str, Any]]:
            matching = [event for event in self.testbed.events() if words in str(event["payload"])]
            return [event for event in matching if _is_of(str(event["payload"].get("source")), source)]

        self.testbed.wait_for(find, f"an event of {source}")
        return find()

    def no_secret_left(self) -> None:
        """Check that the secret is neither in the spool nor on the server. (The agent's own transcript has it.)"""
        ours = [
            self.runner.place.home / part / "loremark" for part in (".local/state", ".cache", ".config", ".local/share")
        ]
        assert files_with(SECRET, *ours, self.testbed.loremark.folder) == []
        assert not any(SECRET in str(event) for event in self.testbed.events())

    def next_session(self, events: list[dict[str, Any]]) -> None:
        """Check that the first session's decision is in the next briefing."""
        for session in {event["sessionId"] for event in events}:
            if self.agent.reports_end:
                self.testbed.wait_for(partial(self.testbed.is_enriched, session), "memory of the session")
            else:
                self.testbed.enrich(session)
        event_ids = {event["id"] for event in events}
        learned = [
            item for item in self.testbed.items() if event_ids & {proof["eventId"] for proof in item["evidence"]}
        ]
        assert learned, f"nothing was learned from the session: {self.testbed.items()}"
        self.figures["items"] = len(learned)
        self.figures["drafts"] = sum(item["status"] == "draft" for item in learned)
        self.testbed.wait_for(
            lambda: any(item["title"] == SAVED for item in self.testbed.items()), "what the tool saved"
        )
        for item in self.testbed.items():
            self.testbed.approve(item)
        self.model.begin([self.agent.shell("echo stone")])
        self.note("with", self.runner.ask("What did we decide about the parcels? Say it in the shell, please."))
        briefing = self.briefing()
        assert "ed25519" in briefing, briefing
        assert SAVED in briefing, briefing
        self.runner.wait_for_exit()

    def without_a_server(self) -> None:
        """Check that the agent works during an outage with the cached briefing, and its events arrive later."""
        self.testbed.stop_server()
        self.model.begin([self.agent.shell("echo stone"), SEARCH], done="Understood: the quarry closes on Sundays.")
        run = self.runner.ask(f"Decision: the quarry closes on Sundays.\nMy token is {SECRET}.")
        self.note("server away", run)
        assert run.seconds < 3 * self.figures["without, s"] + _GRACE_S, self.figures
        assert run.cpu_seconds < self.figures["without, CPU s"] + _GRACE_CPU_S, self.figures
        assert "ed25519" in self.briefing()
        results = self.model.turns[-1].results
        assert len(results) == 2, run.output[-2000:]
        assert "not reachable" in results[1], results
        self.only_the_flusher_is_left()
        self.no_secret_in_spool()
        self.testbed.restart_server()
        assert self.events_of(run, "quarry closes on Sundays")
        self.figures["sent after, s"] = self.testbed.waited.popitem()[1]
        self.runner.wait_for_exit()
        self.no_secret_left()

    def only_the_flusher_is_left(self) -> None:
        """Check that only the flusher, which retries for minutes, is still running."""
        self.testbed.wait_for(
            lambda: all("loremark hook" in command for command in self.runner.processes().values()),
            "the end of the agent",
        )
        assert len(self.runner.processes()) <= 1

    def full_memory(self) -> None:
        """Check that with a large memory the briefing stays small and arrives intact."""
        self.testbed.seed_many()
        self.model.begin([self.agent.shell("echo stone")])
        self.runner.ask("Say something in the shell, please.")
        self.runner.wait_for_exit()
        briefing = self.briefing()
        size = len(briefing.encode())
        assert _FULL_BYTES < size < _MAX_BYTES, size
        whole = self.testbed.briefing()
        missing = [line for line in whole.splitlines() if line not in briefing]
        assert not missing, f"the agent altered the briefing: {missing}"
        self.figures["full briefing bytes"] = size

    def no_secret_in_spool(self) -> None:
        state = self.runner.place.home / ".local" / "state" / "loremark"
        assert files_with("quarry closes", state), "nothing waits in the spool"
        assert files_with(SECRET, state) == []

    def note(self, name: str, run: Run) -> None:
        self.figures |= {f"{name}, s": run.seconds, f"{name}, CPU s": run.cpu_seconds}

    def summary(self) -> str:
        return f"{self.agent.name}: " + "; ".join(f"{name} {value:.3g}" for name, value in self.figures.items())


def open_journey(agent: Agent, testbed: AgentEnvironment, packages: Path, model: AgentModel) -> Journey:
    return Journey(agent, testbed, testbed.runner(agent, packages, model.url), model)
