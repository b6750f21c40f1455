"""``loremark link``."""

from __future__ import annotations

import argparse
from pathlib import Path

from loremark.cli.framework import OK, USAGE, CommandError

SUMMARY = "Link a clone of a repository to its project."
EXAMPLE = "loremark link"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="the folder (default: the current one)"
    )
    parser.add_argument(
        "--project", metavar="PROJECT", help="project ID or name (default: from .loremark.toml or your other clones)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.agent_key import save_agent_key
    from loremark.cli.connection import open_client, resolve_project
    from loremark.cli.init import find_existing, linked_project, root_folder, save_secret
    from loremark.hook.link import confirm_link, save_link

    folder = root_folder(arguments.folder)
    with open_client() as client:
        project = resolve_project(client, arguments.project) if arguments.project else linked_project(folder)
        if project is None:
            raise CommandError(f"no project found for {folder}; run: loremark init", USAGE)
        found = find_existing(client, project)
        save_secret(client, found.id)
        save_agent_key(client, found.id, found.name)
        link = (save_link if arguments.project else confirm_link)(folder, found.id, client.url)
    if arguments.json:
        output.write_json({"project": found.id, "name": found.name, "url": link.url, "folder": link.folder})
    else:
        output.write(output.plain(f"Linked {link.folder} to {found.name}, {found.id} on {link.url}."))
    return OK
