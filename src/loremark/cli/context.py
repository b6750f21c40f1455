"""``loremark context``."""

from __future__ import annotations

import argparse

from loremark.cli.kit import OK

SUMMARY = "What the memory knows about some files."
EXAMPLE = "loremark context src/api.py src/db.py"

_MOST_ITEMS = 50


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("files", nargs="+", metavar="FILE", help="files of the project")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="how long the document may be")
    parser.add_argument("--branch", metavar="NAME", help="as known on this branch")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import cards, markdown, page, paths
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.brain import get_brain
    from loremark.client.calls.items import list_items

    names = paths.in_project(arguments.files)
    with open_client() as client:
        project_id = get_project(arguments, client)
        brain = client.send(get_brain(project_id, arguments.budget, arguments.branch, paths.listed(arguments.files)))
        found = {
            item.id: item
            for name in names
            for item in client.send(list_items(project_id, file=name, limit=_MOST_ITEMS))
            if item.status != "deprecated"
        }
    if arguments.json:
        page.write_json({"files": names, "markdown": brain.markdown, "items": list(found.values())})
        return OK
    markdown.show(brain.markdown)
    if found:
        page.write()
        page.write(page.styled(page.one_line(f"items that name {', '.join(names)}"), "bold"))
        cards.list_items(found.values())
    return OK
