"""``loremark contexts``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import OK, Stop, actions

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.contexts import ContextDetail, ContextNode

SUMMARY = "The contexts: their tree, and one of them to read, edit, approve."
EXAMPLE = "loremark contexts tree"

_ID = "ctx_"
_MOST_LEVELS = 64


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    verbs = actions(parser, "tree")
    tree = verbs.add("tree", "All contexts of the project and the team.", _tree, EXAMPLE)
    showing = verbs.add("show", "One context with its text.", _show, "loremark contexts show root/api")
    editing = verbs.add("edit", "Change a context in your editor.", _edit, "loremark contexts edit root/api")
    approving = verbs.add("approve", "Take a context into the brain.", _approve, "loremark contexts approve root/api")
    retiring = verbs.add(
        "deprecate", "Take a context out of the brain.", _deprecate, "loremark contexts deprecate ctx_…"
    )
    comparing = verbs.add("diff", "What changed between two versions.", _diff, "loremark contexts diff root/api")
    compacting = verbs.add(
        "compact", "Make one entry of all of a journal.", _compact, "loremark contexts compact ctx_…"
    )
    for verb in (showing, editing, approving, retiring, comparing, compacting):
        verb.add_argument("context", metavar="CONTEXT", help="its id or its schema key")
    editing.add_argument("--file", metavar="PATH", help="take the text from a file instead")
    comparing.add_argument("first", nargs="?", type=int, metavar="FROM", help="else the version before")
    comparing.add_argument("last", nargs="?", type=int, metavar="TO", help="else the newest")
    for verb in (tree, showing, editing, approving, retiring, comparing, compacting):
        add_project(verb)
        add_json(verb)


def _find(arguments: argparse.Namespace, client: Client) -> str:
    """The id of the context that is meant."""
    from loremark.cli.desk import get_project
    from loremark.client.calls.contexts import list_contexts

    named = str(arguments.context)
    if named.startswith(_ID):
        return named
    for context in client.every(list_contexts(get_project(arguments, client))):
        if context.schema_key == named:
            return context.id
    raise Stop(f"there is no context {named} (see: loremark contexts tree)")


def _tree(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.contexts import get_tree

    with open_client() as client:
        found = client.send(get_tree(get_project(arguments, client)))
    if arguments.json:
        page.write_json(found)
        return OK
    if not found:
        page.note("no contexts yet; loremark scan makes them from the code")
    open_nodes: list[tuple[int, ContextNode]] = [(0, node) for node in reversed(found)]
    while open_nodes:
        level, node = open_nodes.pop()
        _show_node(node, "  " * min(level, _MOST_LEVELS))
        open_nodes += [(level + 1, child) for child in reversed(node.children)]
    return OK


def _show_node(node: ContextNode, indent: str) -> None:
    """In one line where there is room for it."""
    from loremark.cli import page

    name, key, node_id = map(page.one_line, (node.name, node.schema_key, node.id))
    if len(f"{indent}{name}  {key} {node_id}") <= page.room():
        page.write(f"{indent}{page.styled(name, 'bold')}  {page.styled(f'{key} {node_id}', 'dim')}")
        return
    page.paragraph(indent, name, "bold", indent=indent)
    page.flow([key, node_id], f"{indent}  ")


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli.desk import open_client
    from loremark.client.calls.contexts import get_context

    with open_client() as client:
        _tell(client.send(get_context(_find(arguments, client))), arguments)
    return OK


def _edit(arguments: argparse.Namespace) -> int:
    from loremark.cli import drafts, editor, page
    from loremark.cli.desk import open_client
    from loremark.client.calls.contexts import get_context, update_context

    with open_client() as client:
        now = client.answer(get_context(_find(arguments, client)))
        context = now.value
        fields = {"name": context.name, "description": context.description}
        text = drafts.write(fields, context.content)
        edited = editor.take(arguments.file) if arguments.file else editor.edit(context.id, text)
        with edited.kept():
            changes = drafts.read(edited.text, fields, context.content) if edited.text.strip() else {}
            if changes:
                context = client.send(update_context(context.id, if_match=now.etag, **changes))
    if not changes:
        page.note("nothing is changed")
    _tell(context, arguments)
    return OK


def _approve(arguments: argparse.Namespace) -> int:
    return _decide(arguments, "approve")


def _deprecate(arguments: argparse.Namespace) -> int:
    return _decide(arguments, "deprecate")


def _decide(arguments: argparse.Namespace, action: str) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.contexts import decide_context

    with open_client() as client:
        decided = client.send(decide_context(_find(arguments, client), action))
    if arguments.json:
        page.write_json(decided)
    else:
        page.write(page.one_line(f"{decided.name} ({decided.schema_key}) is {decided.state}"))
    return OK


def _diff(arguments: argparse.Namespace) -> int:
    from loremark.cli import diffs, page
    from loremark.cli.desk import open_client
    from loremark.client.calls.contexts import list_revisions

    with open_client() as client:
        revisions = list(client.every(list_revisions(_find(arguments, client))))
    before, after = diffs.between(revisions, arguments.first, arguments.last)
    if arguments.json:
        page.write_json({"before": before, "after": after})
    else:
        diffs.show_versions(before, after)
    return OK


def _compact(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.contexts import compact_context

    with open_client() as client:
        done = client.send(compact_context(_find(arguments, client)))
    if arguments.json:
        page.write_json(done)
    else:
        before = page.counted(done.entries_before, "entry", "entries")
        page.write(f"{before} became {done.entries_after}; {page.counted(done.tokens_saved, 'token')} saved")
        page.note("the longer text stays in the history")
    return OK


def _tell(context: ContextDetail, arguments: argparse.Namespace) -> None:
    from loremark.cli import cards, page

    if arguments.json:
        page.write_json(context)
    else:
        cards.show_context(context)
