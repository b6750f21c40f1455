"""``loremark admin``: the operator's commands."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from loremark.cli.framework import USAGE, CommandError, add_subcommands
from loremark.cli.output import note, one_line, write
from loremark.entry.commands.runner import read_settings, run_async

SUMMARY = "Administer this installation: database, accounts, jobs and backups."
EXAMPLE = 'loremark admin create-owner --email you@example.com --team "My team"'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = add_subcommands(parser)
    commands.add("migrate", "Migrate the database to the current schema.", _migrate, "loremark admin migrate")
    owner = commands.add(
        "create-owner",
        "Create an owner account with a new team, a first project and an API key.",
        _create_owner,
        EXAMPLE,
    )
    owner.add_argument("--email", required=True, help="email address of the owner")
    owner.add_argument("--team", required=True, help="name of the new team")
    owner.add_argument("--name", default="Owner", help="name of the owner (default: Owner)")
    owner.add_argument("--project", default="First project", help="name of the first project (default: First project)")
    owner.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="file that contains the password (default: none; sign in with admin signin-link)",
    )
    owner.add_argument("--json", action="store_true", help="print JSON")
    link = commands.add(
        "signin-link",
        "Print a one-time link for signing in to the dashboard.",
        _signin_link,
        "loremark admin signin-link --email you@example.com",
    )
    link.add_argument("--email", help="email address of the account (default: the first owner)")
    resetting = commands.add(
        "reset-two-factor",
        "Turn off two-factor authentication for an account that lost its second factor.",
        _reset_two_factor,
        "loremark admin reset-two-factor --email you@example.com",
    )
    resetting.add_argument("--email", required=True, help="email address of the account")
    granting = commands.add(
        "grant",
        "Give a team a plan or credits.",
        _grant,
        "loremark admin grant --email you@example.com --pack credits_1m",
    )
    granting.add_argument("--email", required=True, help="email address of the team's owner")
    granting.add_argument("--plan", metavar="PLAN", help="ID of a plan, such as pro")
    granting.add_argument("--pack", metavar="PACK", help="ID of a credit pack, such as credits_1m")
    commands.add("doctor", "Check the settings, database, blobs, email and models.", _doctor, "loremark admin doctor")
    commands.add(
        "openapi",
        "Print the OpenAPI description of the API as JSON.",
        _openapi,
        "loremark admin openapi",
    )
    out = commands.add(
        "export",
        "Export a project's memory and history as JSON Lines, without secrets.",
        _export,
        "loremark admin export --project ID -o project.jsonl",
    )
    out.add_argument("--project", required=True, metavar="ID", help="project ID")
    out.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (default: standard output)")
    back = commands.add(
        "import",
        "Import an export into a project. Existing entries are not changed.",
        _import,
        "loremark admin import project.jsonl --project ID --dry-run",
    )
    back.add_argument("file", type=Path, metavar="FILE", help="a file written by export")
    back.add_argument("--project", required=True, metavar="ID", help="project ID to import into")
    back.add_argument("--dry-run", action="store_true", help="show what would be imported, without importing it")
    back.add_argument(
        "--keep-reviews",
        action="store_true",
        help="of an export you trust, keep what it says was reviewed; otherwise nothing counts as reviewed",
    )
    back.add_argument("--json", action="store_true", help="print JSON")
    copy = commands.add(
        "backup",
        "Back up the database, blobs and keys. The server can keep running.",
        _backup,
        "loremark admin backup /var/backups/loremark-monday",
    )
    copy.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    copy.add_argument(
        "--skip-blobs", action="store_true", help="leave out the blobs, if you back up the bucket yourself"
    )
    restoring = commands.add(
        "restore",
        "Restore a backup into an installation without accounts, on either database engine.",
        _restore,
        "LOREMARK_DATA_DIR=/var/lib/loremark loremark admin restore /var/backups/loremark-monday",
    )
    restoring.add_argument("folder", type=Path, metavar="DIR", help="a folder written by backup")
    jobs = add_subcommands(commands.group("jobs", "List, show, retry and cancel background jobs."))
    listing = jobs.add(
        "list", "List background jobs, newest first.", _list_jobs, "loremark admin jobs list --status failed"
    )
    listing.add_argument("--status", help="only jobs with this status: queued, running, completed, failed or cancelled")
    listing.add_argument("--kind", help="only jobs of this kind")
    listing.add_argument("--limit", type=_count, default=50, metavar="N", help="maximum number of jobs (default: 50)")
    listing.add_argument("--json", action="store_true", help="print JSON")
    for name, summary, do in (
        ("show", "Show a job and its stages as JSON.", _show_job),
        ("retry", "Retry a failed or cancelled job. Finished stages are skipped.", _retry_job),
        ("cancel", "Cancel a job. A running job stops at its next step.", _cancel_job),
    ):
        jobs.add(name, summary, do, f"loremark admin jobs {name} ID").add_argument("id", metavar="ID", help="job ID")


def _count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not 1 <= number <= _MAX_JOBS:
        raise argparse.ArgumentTypeError(f"must be between 1 and {_MAX_JOBS}")
    return number


def _migrate(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(run_async(operator.migrate(read_settings())))
    return 0


def _openapi(arguments: argparse.Namespace) -> int:
    from loremark.entry.application import describe

    write(json.dumps(describe(read_settings())))
    return 0


def _create_owner(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    try:
        password = arguments.password_file.read_text(encoding="utf-8").strip() if arguments.password_file else None
    except OSError as error:
        raise CommandError(f"cannot read {arguments.password_file}: {error.strerror}", USAGE) from None
    except UnicodeDecodeError:
        raise CommandError(f"{arguments.password_file} is not UTF-8 text", USAGE) from None
    made = run_async(
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
        write(f"Team     {made.teamId}\nProject  {made.projectId}\nAPI key  {made.apiKey}  (shown only once)")
    return 0


def _signin_link(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    link = run_async(operator.signin_link(read_settings(), arguments.email))
    write(link.url)
    if link.email is not None:
        note(f"Signs in as {one_line(link.email)}.")
    return 0


def _reset_two_factor(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    was_on = run_async(operator.reset_two_factor(read_settings(), arguments.email))
    state = "is now off" if was_on else "was already off"
    write(f"Two-factor authentication {state} for {one_line(arguments.email)}.")
    return 0


def _grant(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    if arguments.plan is None and arguments.pack is None:
        raise CommandError("choose a --plan, a --pack or both", USAGE)
    given = operator.grant(read_settings(), arguments.email, plan_id=arguments.plan, pack_id=arguments.pack)
    team = run_async(given)
    write(f"Granted {' and '.join(filter(None, (arguments.plan, arguments.pack)))} to {one_line(team)}.")
    return 0


def _doctor(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    checks = run_async(operator.doctor(read_settings()))
    for name, passed, message in checks:
        write(f"{'ok' if passed else 'FAIL':<4}  {name:<10} {message}")
    return 0 if all(passed for _, passed, _ in checks) else 1


def _export(arguments: argparse.Namespace) -> int:
    from loremark.entry import transfer

    message = run_async(transfer.export_to(read_settings(), arguments.project, arguments.output))
    if message:
        write(message)
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from loremark.cli.output import write_json
    from loremark.entry import transfer

    options = {"dry_run": arguments.dry_run, "keep_reviews": arguments.keep_reviews}
    done = run_async(transfer.import_from(read_settings(), arguments.file, arguments.project, **options))
    if arguments.json:
        write_json(done)
        return 0
    for name in done.created.__struct_fields__:
        write(f"{name:<10} {getattr(done.created, name):>8} new  {getattr(done.skipped, name):>8} already there")
    return 0


def _backup(arguments: argparse.Namespace) -> int:
    from loremark.entry import backup

    for line in run_async(backup.back_up(read_settings(), arguments.folder, skips_blobs=arguments.skip_blobs)):
        write(line)
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    from loremark.entry import backup

    for line in run_async(backup.restore(read_settings(), arguments.folder)):
        write(line)
    return 0


def _list_jobs(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    found = run_async(operator.list_jobs(read_settings(), arguments.status, arguments.kind, arguments.limit))
    if arguments.json:
        write(json.dumps(found))
        return 0
    for job in found:
        bounded = job["maxAttempts"] < _UNLIMITED_ATTEMPTS
        attempts = f"{job['attempt']}/{job['maxAttempts']}" if bounded else f"{job['attempt']}"
        error = one_line(job["error"] or "", 120)
        write(f"{job['id']}  {job['status']:<9}  {attempts:>5}  {job['kind']}  {error}".rstrip())
    return 0


def _show_job(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(json.dumps(run_async(operator.show_job(read_settings(), arguments.id)), indent=2))
    return 0


def _retry_job(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(run_async(operator.retry_job(read_settings(), arguments.id)))
    return 0


def _cancel_job(arguments: argparse.Namespace) -> int:
    from loremark.entry import admin as operator

    write(run_async(operator.cancel_job(read_settings(), arguments.id)))
    return 0


_MAX_JOBS = 10_000
_UNLIMITED_ATTEMPTS = 1_000
"""Jobs with this many attempts limit themselves, or recur; the maximum is not shown."""
