"""``loremark context``."""

from __future__ import annotations

import argparse

from loremark.cli.framework import OK

SUMMARY = "Show memories about specific files."
EXAMPLE = "loremark context src/api.py src/db.py"

_MAX_ITEMS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument("files", nargs="+", metavar="FILE", help="a file in the project")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="size limit of the document")
    parser.add_argument("--branch", metavar="NAME", help="include memories from this branch")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import markdown, output, paths, rendering
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.brain import get_brain
    from loremark.client.calls.items import list_items

    names = paths.relative_to_project(arguments.files)
    with open_client() as client:
        project_id = get_project(arguments, client)
        brain = client.send(
            get_brain(project_id, arguments.budget, arguments.branch, paths.comma_separated(arguments.files))
        )
        found = {
            item.id: item
            for name in names
            for item in client.send(list_items(project_id, file=name, limit=_MAX_ITEMS))
            if item.status != "deprecated"
        }
    if arguments.json:
        output.write_json({"files": names, "markdown": brain.markdown, "items": list(found.values())})
        return OK
    markdown.show(brain.markdown)
    if found:
        output.write()
        output.write(output.styled(output.one_line(f"Items about {', '.join(names)}"), "bold"))
        rendering.list_items(found.values())
    return OK
