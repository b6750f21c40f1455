"""``loremark context``."""

from __future__ import annotations

import argparse

from loremark.cli.framework import OK

SUMMARY = "Show a briefing for a task or files."
EXAMPLE = 'loremark context src/api.py src/db.py --task "add rate limits"'

_MAX_ITEMS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument("files", nargs="*", metavar="FILE", help="a file in the project")
    parser.add_argument("--task", metavar="TEXT", default="", help="what you are about to do")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="size limit of the briefing")
    parser.add_argument("--branch", metavar="NAME", help="include memories from this branch")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import markdown, output, paths, rendering
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.briefing import create_briefing
    from loremark.client.calls.items import list_items

    names = paths.relative_to_project(arguments.files)
    with open_client() as client:
        project_id = get_project(arguments, client)
        briefing = client.send(
            create_briefing(
                project_id,
                prompt=arguments.task,
                files=names,
                branch=arguments.branch,
                token_budget=arguments.budget,
            )
        )
        found = {
            item.id: item
            for name in names
            for item in client.send(list_items(project_id, file=name, limit=_MAX_ITEMS))
            if item.status != "deprecated"
        }
    if arguments.json:
        output.write_json(
            {
                "files": names,
                "markdown": briefing.markdown,
                "entries": briefing.entries,
                "items": list(found.values()),
            }
        )
        return OK
    markdown.show(briefing.markdown)
    if not briefing.markdown:
        output.note("No matching memories.")
    if found:
        if briefing.markdown:
            output.write()
        output.write(output.styled(output.one_line(f"Items about {', '.join(names)}"), "bold"))
        rendering.list_items(found.values())
    return OK
