"""``loremark projects``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loremark.cli.framework import FAILED, USAGE, CommandError, add_subcommands

if TYPE_CHECKING:
    from loremark.wire.projects import ProjectDetail, ProjectUpdated

SUMMARY = "Manage projects and their signing secrets."
EXAMPLE = "loremark projects create shop --description 'The web shop'"

_FIELDS = {
    "name": "name",
    "description": "description",
    "visibility": "visibility",
    "status": "status",
    "threshold": "autoApproveThreshold",
    "ai_tier": "aiTier",
    "repo_url": "repoUrl",
    "deep_enrich": "deepEnrichEnabled",
}
_RETENTION = {
    "keep_events": "eventRetentionDays",
    "keep_sessions": "sessionRetentionDays",
    "keep_chats": "chatRetentionDays",
}
_FOREVER = 0
_MAX_DAYS = 3_650


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "list")
    listing = commands.add("list", "List your projects, newest first.", _list, "loremark projects list --json")
    showing = commands.add("show", "Show a project.", _show, "loremark projects show")
    _add_project_argument(showing)
    creating = commands.add("create", "Create a project.", _create, EXAMPLE)
    creating.add_argument("name", metavar="NAME", help="project name")
    creating.add_argument("--description", default="", metavar="TEXT", help="short description")
    creating.add_argument(
        "--visibility",
        choices=("private", "public"),
        default="private",
        help="private: only its members; public: the whole team",
    )
    updating = commands.add("update", "Update a project.", _update, "loremark projects update prj_… --threshold 0.85")
    _add_project_argument(updating)
    _add_update_options(updating)
    deleting = commands.add(
        "delete", "Delete a project and its memory permanently.", _delete, "loremark projects delete shop"
    )
    deleting.add_argument("project", metavar="PROJECT", help="project ID or name")
    deleting.add_argument("--yes", action="store_true", help="skip the confirmation")
    secrets = add_subcommands(commands.group("secret", "Show or rotate a project's signing secret."))
    showing_secret = secrets.add(
        "show", "Print the signing secret (owners and admins only).", _show_secret, "loremark projects secret show"
    )
    _add_project_argument(showing_secret)
    rotating = secrets.add(
        "rotate",
        "Create a new signing secret; the old one works for one more day.",
        _rotate,
        "loremark projects secret rotate --yes",
    )
    _add_project_argument(rotating)
    rotating.add_argument("--revoke-now", action="store_true", help="revoke the old secret immediately")
    rotating.add_argument("--yes", action="store_true", help="skip the confirmation")
    for command in (listing, showing, creating, updating, deleting, showing_secret, rotating):
        add_json(command)


def _add_project_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "project", nargs="?", metavar="PROJECT", help="project ID or name (default: the project of this folder)"
    )


def _add_update_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="new name")
    parser.add_argument("--description", metavar="TEXT", help="short description")
    parser.add_argument(
        "--visibility", choices=("private", "public"), help="private: only its members; public: the whole team"
    )
    parser.add_argument("--status", choices=("active", "archived"), help="archived projects are read-only")
    parser.add_argument(
        "--threshold",
        type=_threshold,
        metavar="N",
        help="minimum confidence for auto-approval, 0 to 1 (1.01 turns it off)",
    )
    parser.add_argument("--ai-tier", choices=("small", "medium"), help="model size used for this project")
    parser.add_argument("--repo-url", metavar="URL", help="repository that the server scans")
    parser.add_argument(
        "--deep-enrich",
        action=argparse.BooleanOptionalAction,
        help="also read diffs and files from the repository during enrichment (deep enrichment)",
    )
    for name, what in (
        ("events", "delete captured events after this time; what was said and learned stays"),
        ("sessions", "delete sessions with everything captured in them, and their drafts, after this time"),
        ("chats", "delete conversations this long after their last message"),
    ):
        parser.add_argument(f"--keep-{name}", type=_period, metavar="DAYS", help=f"{what}; 'forever' keeps them")
    parser.add_argument("--yes", action="store_true", help="skip the confirmation of a shorter time")


def _threshold(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1.01:
        raise argparse.ArgumentTypeError("must be between 0 and 1.01 (above 1 turns auto-approval off)")
    return number


def _period(text: str) -> int:
    """Parse a number of days; 0 stands for ever."""
    if text == "forever":
        return _FOREVER
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MAX_DAYS:
        raise argparse.ArgumentTypeError(f"must be a number of days from 1 to {_MAX_DAYS}, or 'forever'")
    return int(text)


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.projects import list_projects

    with open_client() as client:
        found = list(client.paginate(list_projects()))
    if arguments.json:
        output.write_json(found)
        return 0
    output.table([(project.id, project.status, project.visibility, project.name) for project in found])
    if not found:
        output.note("No projects yet. Create one with: loremark projects create NAME")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls import projects

    with open_client() as client:
        found = client.send(projects.get_project(get_project(arguments, client)))
    return _print_project(arguments, found)


def _print_project(arguments: argparse.Namespace, found: ProjectDetail | ProjectUpdated) -> int:
    from loremark.cli import output

    if arguments.json:
        output.write_json(found)
        return 0
    rows = [
        ("id", found.id),
        ("name", found.name),
        ("description", found.description),
        ("status", found.status),
        ("visibility", found.visibility),
        ("members", str(found.member_count)),
        ("threshold", f"{found.auto_approve_threshold:g}"),
        ("keeps", _describe_retention(found)),
        ("created", found.created_at),
        ("updated", found.updated_at),
    ]
    output.table([(name, text) for name, text in rows if text])
    return 0


def _describe_retention(found: ProjectDetail | ProjectUpdated) -> str:
    """Return what is deleted after a time; empty if everything is kept."""
    periods = {
        "events": found.event_retention_days,
        "sessions": found.session_retention_days,
        "conversations": found.chat_retention_days,
    }
    return ", ".join(f"{name} for {_days(days)}" for name, days in periods.items() if days is not None)


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"


def _create(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.projects import create_project

    with open_client() as client:
        created = client.send(create_project(arguments.name, arguments.description, arguments.visibility))
    if arguments.json:
        output.write_json(created)
    else:
        output.write(output.plain(f"{created.id}  {created.name}"))
    return 0


def _update(arguments: argparse.Namespace) -> int:
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls import projects

    given = vars(arguments)
    changes: dict[str, Any] = {field: given[name] for name, field in _FIELDS.items() if given[name] is not None}
    periods = {field: given[name] or None for name, field in _RETENTION.items() if given[name] is not None}
    if not changes and not periods:
        raise CommandError(
            "nothing to update; pass an option such as --threshold 0.85 (see: loremark projects update --help)", USAGE
        )
    with open_client() as client:
        project_id = get_project(arguments, client)
        if any(periods.values()) and not _confirm_retention(
            arguments, client.send(projects.get_project(project_id)), periods
        ):
            return FAILED
        updated = client.send(projects.update_project(project_id, **changes, **periods))
    return _print_project(arguments, updated)


def _confirm_retention(
    arguments: argparse.Namespace, project: ProjectDetail, periods: Mapping[str, int | None]
) -> bool:
    """Ask before a shorter time deletes data. Return whether to go on."""
    from loremark.cli import output

    now = {
        "eventRetentionDays": ("events", project.event_retention_days),
        "sessionRetentionDays": ("sessions", project.session_retention_days),
        "chatRetentionDays": ("conversations", project.chat_retention_days),
    }
    shorter = [
        f"{name} older than {_days(days)}"
        for field, days in periods.items()
        for name, before in (now[field],)
        if days is not None and (before is None or days < before)
    ]
    question = f"Permanently delete {' and '.join(shorter)} within the next hour, and from then on?"
    if not shorter or output.confirm(question, arguments.yes):
        return True
    output.note("Not changed. Confirm with --yes.")
    return False


def _delete(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client, resolve_project
    from loremark.client.calls.projects import delete_project, get_project

    with open_client() as client:
        project = client.send(get_project(resolve_project(client, arguments.project)))
        if not arguments.yes:
            _confirm_deletion(project)
        client.send(delete_project(project.id))
    if arguments.json:
        output.write_json({"deleted": project.id})
    else:
        output.write(output.one_line(f"Deleted {project.name} ({project.id}) and its memory."))
    return 0


def _confirm_deletion(project: ProjectDetail) -> None:
    """Ask for the project name, because deletion cannot be undone."""
    from loremark.cli import output

    name = output.one_line(project.name)
    output.note(
        f"This permanently deletes {name} ({project.id}) with all its sessions, items and contexts, for everyone."
    )
    output.note(f"To keep a copy, first run: loremark export -o FILE --project {project.id}")
    if output.prompt("Type the project name to delete it:") != name:
        raise CommandError("not deleted: the name did not match; to skip this check, use --yes")


def _show_secret(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.projects import get_hmac_secret

    with open_client() as client:
        found = client.send(get_hmac_secret(get_project(arguments, client)))
    if arguments.json:
        output.write_json(found)
    else:
        output.write(output.plain(found.secret))
    return 0


def _rotate(arguments: argparse.Namespace) -> int:
    from loremark.base import profile
    from loremark.cli import output
    from loremark.cli.connection import get_project, open_client
    from loremark.client.call import Call, body, path
    from loremark.wire.projects import RotatedSecret

    with open_client() as client:
        project = get_project(arguments, client)
        when = "immediately" if arguments.revoke_now else "in one day"
        if not output.confirm(
            f"Create a new signing secret for {project}? The old one stops working {when}.", arguments.yes
        ):
            output.note("Not rotated. Confirm with --yes.")
            return FAILED
        created = client.send(
            Call(
                method="POST",
                path=path("/api/projects/{}/hmac-secret/rotate", project),
                response_type=RotatedSecret,
                body=body(revokeNow=arguments.revoke_now),
            )
        )
        profile.save_secret(client.url, project, created.secret)
    if arguments.json:
        output.write_json(created)
    else:
        output.write(output.plain(created.secret))
        output.note(
            f"The old secret works until {created.previous_valid_until}"
            if created.previous_valid_until
            else "The old secret is revoked."
        )
    return 0
