"""``loremark admin``: the operator's commands."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from loremark.cli.kit import USAGE, Stop, actions
from loremark.cli.page import one_line, write
from loremark.entry.commands.running import read_settings, run_all

SUMMARY = "The operator's commands: database, accounts, background jobs, backups."
EXAMPLE = "loremark admin create-owner --email you@example.com --team Ours"


def declare(parser: argparse.ArgumentParser) -> None:
    verbs = actions(parser)
    verbs.add("migrate", "Bring the database up to the schema of this version.", _migrate, "loremark admin migrate")
    owner = verbs.add(
        "create-owner",
        "Make an account that owns a new team, with a first project and an API key.",
        _create_owner,
        EXAMPLE,
    )
    owner.add_argument("--email", required=True, help="the owner's e-mail address")
    owner.add_argument("--team", required=True, help="name of the new team")
    owner.add_argument("--name", default="Owner", help="the owner's name")
    owner.add_argument("--project", default="First project", help="name of the first project")
    owner.add_argument(
        "--password-file", type=Path, metavar="FILE", help="file with the password; else sign in by admin signin-link"
    )
    owner.add_argument("--json", action="store_true", help="print JSON")
    link = verbs.add(
        "signin-link",
        "A one-time link that signs an account in to the dashboard.",
        _signin_link,
        "loremark admin signin-link --email you@example.com",
    )
    link.add_argument("--email", help="whose link; the first owner's if left out")
    verbs.add("doctor", "Check settings, database, blobs and mail.", _doctor, "loremark admin doctor")
    verbs.add(
        "openapi",
        "The whole interface described for machines, as JSON; no server needed.",
        _openapi,
        "loremark admin openapi",
    )
    out = verbs.add(
        "export",
        "A project with all its memory and history as lines of JSON, without secrets.",
        _export,
        "loremark admin export --project ID -o project.jsonl",
    )
    out.add_argument("--project", required=True, metavar="ID", help="the project")
    out.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to; else the standard output")
    back = verbs.add(
        "import",
        "Bring such lines into a project; what is there already stays as it is.",
        _import,
        "loremark admin import project.jsonl --project ID --dry-run",
    )
    back.add_argument("file", type=Path, metavar="FILE", help="what `export` wrote")
    back.add_argument("--project", required=True, metavar="ID", help="the project that takes it")
    back.add_argument("--dry-run", action="store_true", help="say what would come, and bring nothing")
    back.add_argument("--json", action="store_true", help="print JSON")
    copy = verbs.add(
        "backup",
        "Copy everything (database, blobs, keys) into an empty folder, while the server runs.",
        _backup,
        "loremark admin backup /var/backups/loremark-monday",
    )
    copy.add_argument("folder", type=Path, metavar="DIR", help="an empty or new folder")
    jobs = actions(verbs.group("jobs", "Look at background jobs, try dead ones again, cancel."))
    listing = jobs.add("list", "Background jobs, newest first.", _list_jobs, "loremark admin jobs list --status failed")
    listing.add_argument("--status", help="only these: queued, running, completed, failed or cancelled")
    listing.add_argument("--kind", help="only jobs of this kind")
    listing.add_argument("--take", type=_count, default=50, metavar="N", help="how many at most")
    listing.add_argument("--json", action="store_true", help="print JSON")
    for name, summary, do in (
        ("show", "One background job with its stages, as JSON.", _show_job),
        ("retry", "Let a failed or cancelled job wait again; finished stages are not done again.", _retry_job),
        ("cancel", "End a waiting job now, a running one at its next step.", _cancel_job),
    ):
        jobs.add(name, summary, do, f"loremark admin jobs {name} ID").add_argument(
            "id", metavar="ID", help="the job's id"
        )


def _count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not 1 <= number <= _MOST_JOBS:
        raise argparse.ArgumentTypeError(f"must be between 1 and {_MOST_JOBS}")
    return number


def _migrate(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(run_all(operator.migrate(read_settings())))
    return 0


def _openapi(arguments: argparse.Namespace) -> int:
    from loremark.entry.application import describe

    write(json.dumps(describe(read_settings())))
    return 0


def _create_owner(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    try:
        password = arguments.password_file.read_text(encoding="utf-8").strip() if arguments.password_file else None
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"--password-file cannot be read: {error}", USAGE) from None
    made = run_all(
        operator.create_owner(
            read_settings(),
            email=arguments.email,
            team=arguments.team,
            name=arguments.name,
            project=arguments.project,
            password=password,
        )
    )
    if arguments.json:
        write(json.dumps(dataclasses.asdict(made)))
    else:
        write(f"Team     {made.teamId}\nProject  {made.projectId}\nAPI key  {made.apiKey}  (shown only now)")
    return 0


def _signin_link(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(run_all(operator.signin_link(read_settings(), arguments.email)))
    return 0


def _doctor(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    checks = run_all(operator.doctor(read_settings()))
    for name, passed, words in checks:
        write(f"{'ok ' if passed else 'BAD'}  {name:<10} {words}")
    return 0 if all(passed for _, passed, _ in checks) else 1


def _export(arguments: argparse.Namespace) -> int:
    from loremark.entry import transferring

    said = run_all(transferring.export_to(read_settings(), arguments.project, arguments.output))
    if said:
        write(said)
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from loremark.cli.page import write_json
    from loremark.entry import transferring

    bringing = transferring.import_from(read_settings(), arguments.file, arguments.project, dry_run=arguments.dry_run)
    done = run_all(bringing)
    if arguments.json:
        write_json(done)
        return 0
    for name in done.created.__struct_fields__:
        write(f"{name:<10} {getattr(done.created, name):>8} new  {getattr(done.skipped, name):>8} were there")
    return 0


def _backup(arguments: argparse.Namespace) -> int:
    from loremark.entry import transferring

    for line in run_all(transferring.backup(read_settings(), arguments.folder)):
        write(line)
    return 0


def _list_jobs(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    found = run_all(operator.list_jobs(read_settings(), arguments.status, arguments.kind, arguments.take))
    if arguments.json:
        write(json.dumps(found))
        return 0
    for job in found:
        bounded = job["maxAttempts"] < _COUNTED_ELSEWHERE
        attempts = f"{job['attempt']}/{job['maxAttempts']}" if bounded else f"{job['attempt']}"
        error = one_line(job["error"] or "", 120)
        write(f"{job['id']}  {job['status']:<9}  {attempts:>5}  {job['kind']}  {error}".rstrip())
    return 0


def _show_job(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(json.dumps(run_all(operator.show_job(read_settings(), arguments.id)), indent=2))
    return 0


def _retry_job(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(run_all(operator.retry_job(read_settings(), arguments.id)))
    return 0


def _cancel_job(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(run_all(operator.cancel_job(read_settings(), arguments.id)))
    return 0


_MOST_JOBS = 10_000
_COUNTED_ELSEWHERE = 1_000
"""As many attempts are allowed where the work itself knows when to give up, or recurs."""
