"""``loremark projects``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from loremark.cli.kit import FAILED, USAGE, Stop, actions

if TYPE_CHECKING:
    from loremark.wire.projects import ProjectChanged, ProjectDetail

SUMMARY = "Projects on the server: list, show, create, update, delete, and their signing secrets."
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


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    verbs = actions(parser, "list")
    listing = verbs.add("list", "The projects you may see, newest first.", _list, "loremark projects list --json")
    showing = verbs.add("show", "One project.", _show, "loremark projects show")
    _add_id(showing)
    making = verbs.add("create", "Make a project.", _create, EXAMPLE)
    making.add_argument("name", metavar="NAME", help="the project's name")
    making.add_argument("--description", default="", metavar="TEXT", help="what it is about")
    making.add_argument(
        "--visibility", choices=("private", "public"), default="private", help="who of the team sees it"
    )
    changing = verbs.add("update", "Change a project.", _update, "loremark projects update prj_… --threshold 0.85")
    _add_id(changing)
    _add_changes(changing)
    ending = verbs.add(
        "delete", "Delete a project and all it remembers, for ever.", _delete, "loremark projects delete shop"
    )
    ending.add_argument("project", metavar="PROJECT", help="its id or name")
    ending.add_argument("--yes", action="store_true", help="do not ask")
    secrets = actions(verbs.group("secret", "The secret with which tools sign for a project."))
    telling = secrets.add(
        "show", "Print the secret; for owners and admins.", _show_secret, "loremark projects secret show"
    )
    _add_id(telling)
    turning = secrets.add(
        "rotate",
        "Make a new secret; the old one works for a day more.",
        _rotate,
        "loremark projects secret rotate --yes",
    )
    _add_id(turning)
    turning.add_argument("--revoke-now", action="store_true", help="the old one ends at once")
    turning.add_argument("--yes", action="store_true", help="do not ask")
    for verb in (listing, showing, making, changing, ending, telling, turning):
        add_json(verb)


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", nargs="?", metavar="PROJECT", help="its id or name; that of this folder if left out")


def _add_changes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="another name")
    parser.add_argument("--description", metavar="TEXT", help="what it is about")
    parser.add_argument("--visibility", choices=("private", "public"), help="who of the team sees it")
    parser.add_argument("--status", choices=("active", "archived"), help="archived: it can only be read")
    parser.add_argument(
        "--threshold",
        type=_threshold,
        metavar="N",
        help="confidence from which memory is approved by itself, 0 to 1.01",
    )
    parser.add_argument("--ai-tier", choices=("small", "medium"), help="which model works for it")
    parser.add_argument("--repo-url", metavar="URL", help="its repository, for scans by the server")
    parser.add_argument(
        "--deep-enrich", action=argparse.BooleanOptionalAction, help="whether sessions are looked at more closely"
    )


def _threshold(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1.01:
        raise argparse.ArgumentTypeError("must be between 0 and 1.01 (above 1: nothing is approved by itself)")
    return number


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.projects import list_projects

    with open_client() as client:
        found = list(client.every(list_projects()))
    if arguments.json:
        page.write_json(found)
        return 0
    page.table([(project.id, project.status, project.visibility, project.name) for project in found])
    if not found:
        page.note("No projects yet. Make one: loremark projects create NAME")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls import projects

    with open_client() as client:
        found = client.send(projects.get_project(get_project(arguments, client)))
    return _tell(arguments, found)


def _tell(arguments: argparse.Namespace, found: ProjectDetail | ProjectChanged) -> int:
    from loremark.cli import page

    if arguments.json:
        page.write_json(found)
        return 0
    rows = [
        ("id", found.id),
        ("name", found.name),
        ("description", found.description),
        ("status", found.status),
        ("visibility", found.visibility),
        ("members", str(found.member_count)),
        ("threshold", f"{found.auto_approve_threshold:g}"),
        ("created", found.created_at),
        ("updated", found.updated_at),
    ]
    page.table([(name, text) for name, text in rows if text])
    return 0


def _create(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.projects import create_project

    with open_client() as client:
        made = client.send(create_project(arguments.name, arguments.description, arguments.visibility))
    if arguments.json:
        page.write_json(made)
    else:
        page.write(page.plain(f"{made.id}  {made.name}"))
    return 0


def _update(arguments: argparse.Namespace) -> int:
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.projects import update_project

    given = vars(arguments)
    changes: dict[str, Any] = {field: given[name] for name, field in _FIELDS.items() if given[name] is not None}
    if not changes:
        raise Stop("say what to change, such as --threshold 0.85 (see: loremark projects update --help)", USAGE)
    with open_client() as client:
        return _tell(arguments, client.send(update_project(get_project(arguments, client), **changes)))


def _delete(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client, project_named
    from loremark.client.calls.projects import delete_project, get_project

    with open_client() as client:
        project = client.send(get_project(project_named(client, arguments.project)))
        if not arguments.yes:
            _confirm_deletion(project)
        client.send(delete_project(project.id))
    if arguments.json:
        page.write_json({"deleted": project.id})
    else:
        page.write(page.one_line(f"{project.name} ({project.id}) is deleted, and all it remembered."))
    return 0


def _confirm_deletion(project: ProjectDetail) -> None:
    """By its name, typed: a yes is said too quickly for what nobody can bring back."""
    from loremark.cli import page

    name = page.one_line(project.name)
    page.note(
        f"{name} ({project.id}): its sessions, items and contexts go for everybody, and nothing brings them back."
    )
    page.note(f"A copy first: loremark export -o FILE --project {project.id}")
    if page.ask("Its name, to delete it:") != name:
        raise Stop("not deleted: the name was not given; or say --yes")


def _show_secret(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.projects import get_hmac_secret

    with open_client() as client:
        found = client.send(get_hmac_secret(get_project(arguments, client)))
    if arguments.json:
        page.write_json(found)
    else:
        page.write(page.plain(found.secret))
    return 0


def _rotate(arguments: argparse.Namespace) -> int:
    from loremark.base import profile
    from loremark.cli import page
    from loremark.cli.desk import get_project, open_client
    from loremark.client.call import Call, body, path
    from loremark.wire.projects import RotatedSecret

    with open_client() as client:
        project = get_project(arguments, client)
        until = "at once" if arguments.revoke_now else "after a day"
        if not page.confirm(f"Make a new secret for {project}? Tools with the old one fail {until}.", arguments.yes):
            page.note("left as it is; say --yes")
            return FAILED
        made = client.send(
            Call(
                method="POST",
                path=path("/api/projects/{}/hmac-secret/rotate", project),
                answer=RotatedSecret,
                body=body(revokeNow=arguments.revoke_now),
            )
        )
        profile.keep_secret(client.url, project, made.secret)
    if arguments.json:
        page.write_json(made)
    else:
        page.write(page.plain(made.secret))
        page.note(
            f"the old secret works until {made.previous_valid_until}"
            if made.previous_valid_until
            else "the old secret has ended"
        )
    return 0
