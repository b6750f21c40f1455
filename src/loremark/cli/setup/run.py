"""The steps of ``loremark setup`` in order."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from loremark.base import running_servers
from loremark.cli import enrichment, init, install, local_server, next_session, output
from loremark.cli import step_report as report
from loremark.cli.connection import open_client
from loremark.cli.framework import FAILED, INTERRUPTED, OK, USAGE, CommandError
from loremark.cli.import_ledger import ImportLedger
from loremark.cli.login import is_local
from loremark.cli.setup import imports, integrations, project, server
from loremark.cli.step_report import Step
from loremark.client.call import ApiError
from loremark.client.calls.overview import get_health
from loremark.client.client import Client
from loremark.hook.link import FILE, Link, resolve_link

_MAX_COMMITS = 5_000
_TIMEOUT_S = 120.0
_ENRICHMENT_S = 1_800.0
_IMPORTS = 3
"""The number of steps that import something."""


def run(arguments: argparse.Namespace, open_database: server.OpenDatabase) -> int:
    if not 0 <= arguments.commits <= _MAX_COMMITS:
        raise CommandError(f"--commits must be between 0 and {_MAX_COMMITS}", USAGE)
    folder = _project_folder(arguments)
    setup = _Setup(arguments, folder, open_database)
    try:
        return setup.run()
    except KeyboardInterrupt:
        output.clear_progress()
        output.note("\nInterrupted. What is done stays; to continue, run loremark setup again.")
        return INTERRUPTED


def sends_sessions(given: bool | None, found: server.ServerPlan) -> bool:
    """Whether to send past sessions. To a server that somebody else runs, only on request."""
    return found.is_own if given is None else given


def _project_folder(arguments: argparse.Namespace) -> str:
    folder = init.root_folder(arguments.folder)
    home = os.path.realpath(os.path.expanduser("~"))
    if home == folder or home.startswith(folder.rstrip(os.sep) + os.sep):
        raise CommandError(f"{folder} contains your home folder; run this in a project, or name its folder", USAGE)
    return folder


class _Setup:
    """One run: its options, and the steps so far."""

    def __init__(self, arguments: argparse.Namespace, folder: str, open_database: server.OpenDatabase) -> None:
        self._arguments = arguments
        self._folder = folder
        self._open_database = open_database
        self._is_terminal = sys.stdin.isatty()
        self._may_ask = self._is_terminal and not (arguments.yes or arguments.json or arguments.dry_run)
        self._steps: list[Step] = []

    def run(self) -> int:
        arguments = self._arguments
        found = server.plan(arguments.url)
        wants_sessions = sends_sessions(arguments.sessions, found)
        planned = self._plan(found, with_sessions=wants_sessions)
        if arguments.dry_run:
            return self._end_dry_run(planned)
        has_work = any(step.state == "planned" for step in planned)
        if has_work and not arguments.yes:
            self._confirm(planned)
            if arguments.sessions is None and not found.is_own:
                wants_sessions = self._ask_about_sessions(found)
            if arguments.agents:
                install.offer_reading()
        return self._carry_out(found, with_sessions=wants_sessions)

    # ── before

    def _plan(self, found: server.ServerPlan, *, with_sessions: bool) -> list[Step]:
        arguments = self._arguments
        signed_in = found.me is not None
        if signed_in:
            with open_client() as client:
                linked = project.plan(client, arguments, self._folder)
        else:
            linked = project.plan(None, arguments, self._folder)
        known = imports.plan(self._folder, resolve_link(self._folder)[0], arguments.commits)
        steps = [
            server.describe(found),
            server.describe_sign_in(found),
            project.describe(linked),
            integrations.describe_git(self._folder, is_wanted=arguments.git),
            integrations.describe_agents(integrations.plan_agents(self._folder), is_wanted=arguments.agents),
            *imports.describe(known, with_sessions=with_sessions, max_commits=arguments.commits),
        ]
        if any(step.state == "planned" for step in steps[-_IMPORTS:]):
            return [*steps, Step("Memory", "planned", "Extract memories from what is new")]
        return [*steps, Step("Memory", "unchanged", "Nothing new to extract memories from")]

    def _end_dry_run(self, planned: list[Step]) -> int:
        if self._arguments.json:
            output.write_json({"dryRun": True, "folder": self._folder, "steps": [step._asdict() for step in planned]})
            return OK
        output.write(output.plain(f"loremark setup would do this for {local_server.shorten(self._folder)}:"))
        output.write()
        for step in planned:
            report.show(step)
        output.write()
        output.write("Nothing was changed. To do it, run: loremark setup")
        return OK

    def _confirm(self, planned: list[Step]) -> None:
        """Show the plan and ask."""
        if not self._may_ask:
            raise CommandError("cannot ask without a terminal; preview with --dry-run, then use --yes", USAGE)
        output.write(output.plain(f"Set up Loremark for {local_server.shorten(self._folder)}:"))
        output.write()
        for step in planned:
            report.show(step)
        output.write()
        if not output.confirm("Continue?", assumed=False, default=True):
            raise CommandError("nothing was changed")
        output.write()

    def _ask_about_sessions(self, found: server.ServerPlan) -> bool:
        question = f"Also send past agent sessions to {found.url}? Everyone with access to the project can read them."
        return output.confirm(question, assumed=False)

    # ── the steps

    def _carry_out(self, found: server.ServerPlan, *, with_sessions: bool) -> int:
        arguments = self._arguments
        self._add(server.run(found))
        self._add(server.sign_in(found, self._open_database, may_ask=self._may_ask))
        with open_client(_TIMEOUT_S) as client:
            linked = project.plan(client, arguments, self._folder)
            link, step = project.run(client, linked)
            self._add(step)
            self._add(integrations.run_git(self._folder, is_wanted=arguments.git))
            agents = integrations.plan_agents(self._folder)
            step, next_steps = integrations.run_agents(agents, is_wanted=arguments.agents)
            self._add(step)
            try:
                self._import(client, link, with_sessions=with_sessions)
                self._add(self._extract(client, link))
            except ApiError as error:
                if error.status in (401, 0):
                    raise
                self._add(Step("Memory", "failed", f"The server refused: {error}"))
            told = next_session.load(client, link)
            drafts = client.send(get_health(link.project)).review.drafts
        return self._end(link, told, drafts, next_steps)

    def _import(self, client: Client, link: Link, *, with_sessions: bool) -> None:
        max_commits = self._arguments.commits
        captured = imports.list_captured(client, link.project) if with_sessions else frozenset[str]()
        found = imports.plan(self._folder, link, max_commits, captured)
        self._add(imports.send_documents(client, link, found))
        self._add(imports.send_commits(client, link, found, max_commits))
        self._add(imports.send_sessions(client, link, found, with_sessions=with_sessions))

    def _extract(self, client: Client, link: Link) -> Step:
        ledger = ImportLedger(link.url, link.project)
        done = enrichment.enrich_sessions(client, ledger.unenriched, _ENRICHMENT_S)
        if done.finished:
            ledger.remove_unenriched(done.finished)
        health = client.send(get_health(link.project))
        approved, drafts = health.items.approved, health.review.drafts
        text = f"{approved:,} approved, {output.pluralize(drafts, 'draft')} to review"
        details = tuple(dict.fromkeys((*done.warnings, *done.problems)))
        if done.problems:
            return Step("Memory", "failed", text, details)
        return Step("Memory", "done" if done.items else "unchanged", text, details)

    def _add(self, step: Step) -> None:
        self._steps.append(step)
        if not self._arguments.json:
            report.show(step)

    # ── the end

    def _end(self, link: Link, told: next_session.NextSession, drafts: int, next_steps: list[str]) -> int:
        next_steps = [*next_steps, *self._next_steps(link, drafts)]
        failed = any(step.state == "failed" for step in self._steps)
        if self._arguments.json:
            result: dict[str, Any] = {
                "dryRun": False,
                "folder": link.folder,
                "project": link.project,
                "url": link.url,
                "steps": [step._asdict() for step in self._steps],
                "briefing": {"standing": told.standing, "prompt": told.prompt, "forPrompt": told.for_prompt},
                "next": next_steps,
            }
            output.write_json(result)
            return FAILED if failed else OK
        output.write()
        next_session.show(told)
        output.write()
        output.write(output.styled("Next:", "bold"))
        for text in next_steps:
            output.write(f"  {output.plain(text)}")
        return FAILED if failed else OK

    def _next_steps(self, link: Link, drafts: int) -> list[str]:
        steps = []
        is_new = any(step.name == "Project" and step.state == "done" for step in self._steps)
        if is_new and not is_local(link.url):  # nobody else can reach a server on this machine
            steps.append(f"Commit {FILE}, so that teammates and other clones find the project.")
        if drafts:
            steps.append(f"Review {output.pluralize(drafts, 'draft')}: loremark review, or in the dashboard.")
        own = running_servers.find_running(link.url)
        is_own = own is not None and own.on_sqlite
        steps.append("Open the dashboard: loremark open" if is_own else f"Open the dashboard: {link.url}")
        if own is not None and own.log_file:
            steps.append("The server runs in the background. Stop it: loremark stop. After a reboot: loremark start")
        steps.append("Check everything: loremark doctor. Undo everything: loremark uninstall")
        return steps
