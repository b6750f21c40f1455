"""The ``cairn`` command."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from cairn.base import log
from cairn.base.settings import Settings, SettingsError, keep_numpy_calm, load
from cairn.cli.commands import app as client_commands

T = TypeVar("T")

keep_numpy_calm()

app = typer.Typer(
    name="cairn",
    help="Project memory for AI-assisted software work.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
admin = typer.Typer(help="The operator's commands.", no_args_is_help=True)
admin_jobs = typer.Typer(help="Look at background jobs, try dead ones again, cancel.", no_args_is_help=True)
admin.add_typer(admin_jobs, name="jobs")
app.add_typer(admin, name="admin")
app.add_typer(client_commands)


def _settings() -> Settings:
    try:
        settings = load()
    except SettingsError as error:
        raise _stop(str(error)) from None
    log.configure(settings.log_level, settings.log_format)
    return settings


def _stop(message: str) -> typer.Exit:
    typer.echo(f"cairn: {message}", err=True)
    return typer.Exit(2)


def _run(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end; what an operator can mend is one line, not a trace."""
    from cairn.base.errors import Refusal
    from cairn.base.plans import PlansError
    from cairn.entry.server import run
    from cairn.storage.database import StorageUnavailable
    from cairn.storage.schema import SchemaError

    try:
        return run(main)
    except (SettingsError, PlansError, SchemaError, StorageUnavailable, Refusal, ValueError, OSError) as error:
        raise _stop(str(error)) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


@app.command()
def serve() -> None:
    """Everything in one process: API, background jobs, dashboard."""
    from cairn.entry import processes

    _run(processes.serve(_settings()))


@app.command()
def api() -> None:
    """The API as a process of its own."""
    from cairn.entry import processes

    _run(processes.api(_settings()))


@app.command()
def worker() -> None:
    """The answer worker as a process of its own: it shares the worker secret and the database with the API."""
    from cairn.entry import processes

    _run(processes.worker(_settings()))


@app.command()
def jobs() -> None:
    """The background jobs as a process of its own."""
    from cairn.entry import processes

    _run(processes.jobs(_settings()))


@app.command("eval")
def evaluate(
    split: Annotated[str, typer.Option(help="The shipped set: test (to report) or dev (to tune on).")] = "test",
    own: Annotated[
        Path | None,
        typer.Option("--set", help="Folder with a set of your own: events.jsonl, pairs.jsonl, questions.jsonl."),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Look at the memory of a project of this installation.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure extraction, dedup, drift, retrieval and answers: on the shipped sets, a set of your own, or a project."""
    if project is not None:
        from cairn.entry import examination

        seen = _run(examination.examine(_settings(), project))
        typer.echo(json.dumps(dataclasses.asdict(seen)) if as_json else seen.to_table())
        return
    from cairn.entry import asking, evaluation

    labelled = _run(evaluation.load_set(split, own))
    report, retrieval = _run(evaluation.evaluate(_settings(), labelled))
    # A set of one's own holds events; the questions to a memory are those of the shipped sets.
    asks = None if own else _run(asking.evaluate_asks(_settings(), "dev" if split == "dev" else "test"))
    if as_json:
        told = {"retrieval": retrieval and dataclasses.asdict(retrieval), "ask": asks and asks.figures}
        typer.echo(json.dumps(json.loads(report.to_json()) | told))
    else:
        parts = [report.to_table(), *(part.to_table() for part in (retrieval, asks) if part)]
        typer.echo("\n\n".join(parts))
    if not report.met:
        raise typer.Exit(1)


@app.command()
def scan(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The checkout to read.")] = Path(),
    project: Annotated[str | None, typer.Option(help="The project's id; not needed where there is only one.")] = None,
    max_files: Annotated[int, typer.Option(min=1, max=5_000, help="How many files are read at most.")] = 2_000,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Look, and send nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read a codebase on this machine, say what matters, and send it to the server as memory."""
    from cairn.client.client import ApiError
    from cairn.entry import scanning
    from cairn.entry.progress import counting

    try:
        target = None if dry_run else scanning.find_target(project)
        with counting("reading files", quiet=as_json) as progress:
            scanned = asyncio.run(scanning.scan(folder, max_files, progress))
        typer.echo(scanned.to_json() if as_json else scanning.summary(scanned))
        if target is not None:
            typer.echo(scanning.send(scanned, target), err=as_json)
    except ApiError as error:
        typer.echo(f"cairn: {error}", err=True)
        raise typer.Exit(1) from None
    except OSError as error:
        raise _stop(str(error)) from None


@admin.command()
def migrate() -> None:
    """Bring the database up to the schema of this version."""
    from cairn.entry import admin as operator

    typer.echo(_run(operator.migrate(_settings())))


@admin.command("create-owner")
def create_owner(
    email: Annotated[str, typer.Option(help="The owner's e-mail address.")],
    team: Annotated[str, typer.Option(help="Name of the new team.")],
    name: Annotated[str, typer.Option(help="The owner's name.")] = "Owner",
    project: Annotated[str, typer.Option(help="Name of the first project.")] = "First project",
    password_file: Annotated[
        Path | None, typer.Option(help="File with the password; without one, sign in by admin signin-link.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make an account that owns a new team, with a first project and an API key."""
    from cairn.entry import admin as operator

    try:
        password = password_file.read_text(encoding="utf-8").strip() if password_file else None
    except (OSError, UnicodeDecodeError) as error:
        raise _stop(f"--password-file cannot be read: {error}") from None
    made = _run(
        operator.create_owner(_settings(), email=email, team=team, name=name, project=project, password=password)
    )
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(made)))
        return
    typer.echo(f"Team     {made.teamId}\nProject  {made.projectId}\nAPI key  {made.apiKey}  (shown only now)")


@admin.command("signin-link")
def signin_link(
    email: Annotated[str | None, typer.Option(help="Whose link; the first owner's if left out.")] = None,
) -> None:
    """A one-time link that signs an account in to the dashboard."""
    from cairn.entry import admin as operator

    typer.echo(_run(operator.signin_link(_settings(), email)))


@admin.command()
def doctor() -> None:
    """Check settings, database, blobs and mail."""
    from cairn.entry import admin as operator

    checks = _run(operator.doctor(_settings()))
    for name, passed, words in checks:
        typer.echo(f"{'ok ' if passed else 'BAD'}  {name:<10} {words}")
    if not all(passed for _, passed, _ in checks):
        raise typer.Exit(1)


JobId = Annotated[str, typer.Argument(metavar="ID", help="The job's id.")]


@admin_jobs.command("list")
def list_jobs(
    status: Annotated[
        str | None, typer.Option(help="Only these: queued, running, completed, failed or cancelled.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    take: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Background jobs, newest first."""
    from cairn.entry import admin as operator

    found = _run(operator.list_jobs(_settings(), status, kind, take))
    if as_json:
        typer.echo(json.dumps(found))
        return
    for job in found:
        bounded = job["maxAttempts"] < _COUNTED_ELSEWHERE
        attempts = f"{job['attempt']}/{job['maxAttempts']}" if bounded else f"{job['attempt']}"
        typer.echo(f"{job['id']}  {job['status']:<9}  {attempts:>5}  {job['kind']}  {_one_line(job['error'])}".rstrip())


@admin_jobs.command("show")
def show_job(job_id: JobId) -> None:
    """One background job with its stages, as JSON."""
    from cairn.entry import admin as operator

    typer.echo(json.dumps(_run(operator.show_job(_settings(), job_id)), indent=2))


@admin_jobs.command("retry")
def retry_job(job_id: JobId) -> None:
    """Let a failed or cancelled job wait again; finished stages are not done again."""
    from cairn.entry import admin as operator

    typer.echo(_run(operator.retry_job(_settings(), job_id)))


@admin_jobs.command("cancel")
def cancel_job(job_id: JobId) -> None:
    """End a waiting job now, a running one at its next step."""
    from cairn.entry import admin as operator

    typer.echo(_run(operator.cancel_job(_settings(), job_id)))


_COUNTED_ELSEWHERE = 1_000
"""As many attempts are allowed where the work itself knows when to give up, or recurs."""


def _one_line(error: str | None) -> str:
    return " ".join((error or "").split())[:120]


def main() -> None:
    app()


if __name__ == "__main__":
    main()
