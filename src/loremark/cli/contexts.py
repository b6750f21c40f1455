"""``loremark contexts``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import OK, CommandError, add_subcommands

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.contexts import ContextDetail, ContextNode

SUMMARY = "Browse, edit and approve contexts."
EXAMPLE = "loremark contexts tree"

_ID = "ctx_"
_MAX_LEVELS = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    commands = add_subcommands(parser, "tree")
    tree = commands.add("tree", "Show the context tree of the project and the team.", _tree, EXAMPLE)
    showing = commands.add("show", "Show a context.", _show, "loremark contexts show root/api")
    editing = commands.add("edit", "Edit a context in your editor.", _edit, "loremark contexts edit root/api")
    approving = commands.add(
        "approve", "Approve a context so agents see it.", _approve, "loremark contexts approve root/api"
    )
    deprecating = commands.add(
        "deprecate", "Deprecate a context so agents no longer see it.", _deprecate, "loremark contexts deprecate ctx_…"
    )
    comparing = commands.add("diff", "Show the changes between two versions.", _diff, "loremark contexts diff root/api")
    compacting = commands.add(
        "compact", "Merge a context's entries into one.", _compact, "loremark contexts compact ctx_…"
    )
    for command in (showing, editing, approving, deprecating, comparing, compacting):
        command.add_argument("context", metavar="CONTEXT", help="context ID or schema key")
    editing.add_argument("--file", metavar="PATH", help="read the text from a file instead")
    comparing.add_argument("first", nargs="?", type=int, metavar="FROM", help="default: the version before TO")
    comparing.add_argument("last", nargs="?", type=int, metavar="TO", help="default: the newest")
    for command in (tree, showing, editing, approving, deprecating, comparing, compacting):
        add_project(command)
        add_json(command)


def _get_context_id(arguments: argparse.Namespace, client: Client) -> str:
    """The ID of the context with this ID or schema key."""
    from loremark.cli.connection import get_project
    from loremark.client.calls.contexts import list_contexts

    key_or_id = str(arguments.context)
    if key_or_id.startswith(_ID):
        return key_or_id
    for context in client.paginate(list_contexts(get_project(arguments, client))):
        if context.schema_key == key_or_id:
            return context.id
    raise CommandError(f"no context {key_or_id} (see: loremark contexts tree)")


def _tree(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.contexts import get_tree

    with open_client() as client:
        found = client.send(get_tree(get_project(arguments, client)))
    if arguments.json:
        output.write_json(found)
        return OK
    if not found:
        output.note("No contexts yet. To create them from the code, run: loremark scan")
    open_nodes: list[tuple[int, ContextNode]] = [(0, node) for node in reversed(found)]
    while open_nodes:
        level, node = open_nodes.pop()
        _show_node(node, "  " * min(level, _MAX_LEVELS))
        open_nodes += [(level + 1, child) for child in reversed(node.children)]
    return OK


def _show_node(node: ContextNode, indent: str) -> None:
    """Print a node on one line if it fits."""
    from loremark.cli import output

    name, key, node_id = map(output.one_line, (node.name, node.schema_key, node.id))
    if len(f"{indent}{name}  {key} {node_id}") <= output.line_width():
        output.write(f"{indent}{output.styled(name, 'bold')}  {output.styled(f'{key} {node_id}', 'dim')}")
        return
    output.paragraph(indent, name, "bold", indent=indent)
    output.wrap_cells([key, node_id], f"{indent}  ")


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli.connection import open_client
    from loremark.client.calls.contexts import get_context

    with open_client() as client:
        _print_context(client.send(get_context(_get_context_id(arguments, client))), arguments)
    return OK


def _edit(arguments: argparse.Namespace) -> int:
    from loremark.cli import editor, front_matter, output
    from loremark.cli.connection import open_client
    from loremark.client.calls.contexts import get_context, update_context

    with open_client() as client:
        now = client.request(get_context(_get_context_id(arguments, client)))
        context = now.value
        fields = {"name": context.name, "description": context.description}
        text = front_matter.dump(fields, context.content)
        edited = editor.read_file(arguments.file) if arguments.file else editor.edit(context.id, text)
        with edited.preserved_on_failure():
            changes = front_matter.parse_changes(edited.text, fields, context.content) if edited.text.strip() else {}
            if changes:
                context = client.send(update_context(context.id, if_match=now.etag, **changes))
    if not changes:
        output.note("No changes.")
    _print_context(context, arguments)
    return OK


def _approve(arguments: argparse.Namespace) -> int:
    return _decide(arguments, "approve")


def _deprecate(arguments: argparse.Namespace) -> int:
    return _decide(arguments, "deprecate")


def _decide(arguments: argparse.Namespace, action: str) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.contexts import decide_context

    with open_client() as client:
        context = client.send(decide_context(_get_context_id(arguments, client), action))
    if arguments.json:
        output.write_json(context)
    else:
        output.write(output.one_line(f"{context.name} ({context.schema_key}) is now {context.state}"))
    return OK


def _diff(arguments: argparse.Namespace) -> int:
    from loremark.cli import diffs, output
    from loremark.cli.connection import open_client
    from loremark.client.calls.contexts import list_revisions

    with open_client() as client:
        revisions = list(client.paginate(list_revisions(_get_context_id(arguments, client))))
    before, after = diffs.select_versions(revisions, arguments.first, arguments.last)
    if arguments.json:
        output.write_json({"before": before, "after": after})
    else:
        diffs.show_versions(before, after)
    return OK


def _compact(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.contexts import compact_context

    with open_client() as client:
        done = client.send(compact_context(_get_context_id(arguments, client)))
    if arguments.json:
        output.write_json(done)
    else:
        before = output.pluralize(done.entries_before, "entry", "entries")
        output.write(f"Merged {before} into {done.entries_after}; saved {output.pluralize(done.tokens_saved, 'token')}")
        output.note("The previous text stays in the history.")
    return OK


def _print_context(context: ContextDetail, arguments: argparse.Namespace) -> None:
    from loremark.cli import output, rendering

    if arguments.json:
        output.write_json(context)
    else:
        rendering.show_context(context)
