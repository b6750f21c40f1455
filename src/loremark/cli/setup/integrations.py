"""Capture commits with git hooks, and set up the coding agents found on this machine."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import NamedTuple

from loremark.agents import installer, status
from loremark.agents.agent import Agent, SetupOptions
from loremark.agents.catalog import AGENTS, is_present
from loremark.agents.errors import EditError
from loremark.agents.installer import Plan
from loremark.base import folders
from loremark.cli import install, output
from loremark.cli.framework import CommandError
from loremark.cli.local_server import shorten
from loremark.cli.step_report import State, Step
from loremark.hook import githooks
from loremark.hook.git import GitError

_VERBS = {"created": "create", "changed": "change", "deleted": "delete", "unchanged": ""}


def describe_git(folder: str, *, is_wanted: bool) -> Step:
    """The git hooks, before anything is done."""
    if not is_wanted:
        return Step("Git", "skipped", "Commits are not captured (--no-git)")
    try:
        lines = githooks.preview(folder)
    except GitError:
        return Step("Git", "skipped", "This folder is not in a git repository")
    return _git_step("planned", lines)


def run_git(folder: str, *, is_wanted: bool) -> Step:
    """Install the git hooks."""
    planned = describe_git(folder, is_wanted=is_wanted)
    if planned.state != "planned":
        return planned
    try:
        return _git_step("done", githooks.install(folder))
    except GitError as error:
        return Step("Git", "failed", f"The git hooks were not changed: {error}")


def _git_step(state: State, lines: list[str]) -> Step:
    """One line if all hooks are there; otherwise what was or will be done with each file."""
    if all(line.endswith(githooks.INSTALLED) for line in lines):
        return Step("Git", "unchanged", "Commits are captured")
    message = "Capture commits with git hooks" if state == "planned" else "Commits are captured from now on"
    return Step("Git", state, message, tuple(shorten(line) for line in lines))


class AgentPlan(NamedTuple):
    """The changes for one agent. Without a plan, ``problem`` says why it cannot be set up."""

    agent: Agent
    plan: Plan | None
    problem: str = ""


class AgentsPlan(NamedTuple):
    """The agents found on this machine, and what to change for each."""

    options: SetupOptions | None
    agents: list[AgentPlan]
    problem: str = ""

    @property
    def to_change(self) -> list[AgentPlan]:
        return [each for each in self.agents if each.plan is not None and each.plan.is_change]


def plan_agents(folder: str) -> AgentsPlan:
    if folders.is_temporary(sys.prefix):
        return AgentsPlan(None, [], f"{install.TEMPORARY}, then: loremark setup")
    try:
        options = install.read_setup_options(argparse.Namespace(scope="user", folder=folder, command=None))
    except CommandError as error:  # no loremark executable for agents to call
        return AgentsPlan(None, [], str(error))
    ledger = install.open_ledger()
    found = []
    for agent in AGENTS:
        if is_present(agent, options.locations, shutil.which):
            try:
                server = installer.current_server(agent, options, ledger)
                found.append(AgentPlan(agent, installer.plan_install(agent, options._replace(server=server), ledger)))
            except EditError as error:
                found.append(AgentPlan(agent, None, str(error)))
    return AgentsPlan(options, found)


def describe_agents(plan: AgentsPlan, *, is_wanted: bool) -> Step:
    """The agents, before anything is done."""
    if not is_wanted:
        return Step("Agents", "skipped", "No agent is set up (--no-agents)")
    if plan.problem:
        return Step("Agents", "failed", plan.problem)
    if not plan.agents:
        return Step("Agents", "skipped", "No coding agent was found. After you install one, run: loremark install")
    problems = _problems(plan)
    if not plan.to_change:
        titles = [each.agent.title for each in plan.agents if each.plan is not None]
        if not titles:
            return Step("Agents", "failed", "No agent can be set up", problems)
        return Step(
            "Agents", "unchanged", f"{output.join(titles)} {'is' if len(titles) == 1 else 'are'} set up", problems
        )
    titles = [each.agent.title for each in plan.to_change]
    files = tuple(f"{_VERBS[kind]}  {path}" for kind, path in _changed_files(plan.to_change))
    return Step("Agents", "planned", f"Set up {output.join(titles)} with hooks and MCP tools", (*files, *problems))


def run_agents(plan: AgentsPlan, *, is_wanted: bool) -> tuple[Step, list[str]]:
    """Set up the agents. Returns what the user has to do next."""
    planned = describe_agents(plan, is_wanted=is_wanted)
    if planned.state != "planned" or plan.options is None:
        return planned, []
    done: list[AgentPlan] = []
    problems: list[str] = []
    ledger = install.open_ledger()
    with ledger.locked():
        for each in plan.to_change:
            try:
                # Planned again: agents share files, and each plan holds for what it has seen.
                server = installer.current_server(each.agent, plan.options, ledger)
                fresh = installer.plan_install(each.agent, plan.options._replace(server=server), ledger)
                installer.apply_plan(fresh, ledger)
            except EditError as error:
                problems.append(f"{each.agent.title}: {error}")
                continue
            done.append(each._replace(plan=fresh))
    problems = [*_problems(plan), *problems]
    if not done:
        return Step("Agents", "failed", "No agent was set up", tuple(problems)), []
    options = plan.options
    next_steps = [step for each in done for step in each.agent.steps(options)]
    files = (f"{kind}  {path}" for kind, path in _changed_files(done))
    titles = output.join([each.agent.title for each in done])
    return Step("Agents", "done", f"Set up {titles} with hooks and MCP tools", (*files, *problems)), next_steps


def _changed_files(agents: list[AgentPlan]) -> list[tuple[str, str]]:
    steps = (step for each in agents if each.plan is not None for step in each.plan.steps if step.is_change)
    return list(dict.fromkeys((status.change_kind(step), shorten(step.path)) for step in steps))


def _problems(plan: AgentsPlan) -> tuple[str, ...]:
    blocked = [f"{each.agent.title}: {each.problem}" for each in plan.agents if each.plan is None]
    notes = [f"{each.agent.title}: {note}" for each in plan.agents if each.plan is not None for note in each.plan.notes]
    return tuple(dict.fromkeys((*blocked, *notes)))
