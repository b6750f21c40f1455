"""Routes are declared once and found by path; literals take precedence over parameters."""

from __future__ import annotations

import tracemalloc

import pytest

from loremark.entry.application import ROUTES
from loremark.web.authentication import ANYONE
from loremark.web.call import Call
from loremark.web.routes import Router, Routes, TxMode
from loremark.wire.shapes import Shape


class Note(Shape):
    text: str


class Filter(Shape):
    word: str = ""


routes = Routes("small")


@routes.add("GET", "/notes", ANYONE, name="list")
async def list_notes(call: Call, query: Filter) -> list[Note]:
    """The notes.

    And more about them.
    """
    return []


@routes.add("POST", "/notes", ANYONE, name="create", status=201)
async def create_note(call: Call, body: Note) -> Note:
    """Write one."""
    return body


@routes.add("GET", "/notes/{noteId}", ANYONE, name="get")
@routes.add("PATCH", "/notes/{noteId}", ANYONE, name="change", tx=TxMode.NONE)
async def get_note(call: Call, note_id: str) -> Note:
    """One note."""
    return Note(text=note_id)


@routes.add("GET", "/notes/tree", ANYONE, name="tree")
async def tree(call: Call) -> Note:
    """All as a tree."""
    return Note(text="tree")


@routes.add("POST", "/notes/{noteId}/pages/{pageId}", ANYONE, name="page")
async def page(call: Call, note_id: str, page_id: str, body: Filter) -> None:
    """A page of a note."""


BY_NAME = {route.name: route for route in routes}
ROUTER = Router(list(routes))


@pytest.mark.parametrize(
    ("path", "name", "values"),
    [
        ("/notes", "small.list", ()),
        ("/notes/1", "small.get", ("1",)),
        ("/notes/tree", "small.tree", ()),
        ("/notes/trees", "small.get", ("trees",)),
        ("/notes/grüße 1", "small.get", ("grüße 1",)),
        ("/notes/{}", "small.get", ("{}",)),
    ],
)
def test_found(path: str, name: str, values: tuple[str, ...]) -> None:
    found = ROUTER.find(path)
    assert found is not None
    assert (found[0]["GET"].name, tuple(found[1])) == (name, values)


@pytest.mark.parametrize(
    "path", ["", "/", "notes", "//notes", "/notes/", "/notes//", "/Notes", "/notes/1/", "/notes/1/2", "*", "/\0", "/{}"]
)
def test_not_found(path: str) -> None:
    assert ROUTER.find(path) is None


def test_dead_end_literal_falls_back_to_the_parameter() -> None:
    found = ROUTER.find("/notes/tree/pages/2")
    assert found is not None
    assert (found[0]["POST"].name, tuple(found[1])) == ("small.page", ("tree", "2"))


def test_declaration_carries_the_route_metadata() -> None:
    create, listing, change = BY_NAME["small.create"], BY_NAME["small.list"], BY_NAME["small.change"]
    assert (create.status, create.body, create.body_optional, create.tx) == (201, Note, False, TxMode.WRITE)
    assert (listing.query, listing.body, listing.tx, listing.answer) == (Filter, None, TxMode.READ, list[Note])
    assert (change.path_parameters, change.tx) == (("note_id",), TxMode.NONE)
    assert BY_NAME["small.page"].body_optional, "it has no required fields"
    assert listing.summary == "The notes."


def test_duplicate_declaration_is_an_error() -> None:
    with pytest.raises(ValueError, match="GET /notes is declared twice"):
        Router([BY_NAME["small.list"], BY_NAME["small.list"]])


def test_handler_parameters_must_match_the_path() -> None:
    async def wrong(call: Call, note_id: str, other: str) -> None:
        """Takes a parameter that the path lacks."""

    with pytest.raises(TypeError, match="other"):
        Routes("wrong").add("GET", "/notes/{noteId}", ANYONE, name="wrong")(wrong)


def test_a_route_that_reads_takes_no_body() -> None:
    async def wrong(call: Call, body: Note) -> None:
        """Would hold its connection while the body arrives."""

    with pytest.raises(TypeError, match="hold a connection"):
        Routes("wrong").add("GET", "/notes", ANYONE, name="wrong")(wrong)


def test_every_app_route_is_found_by_its_path() -> None:
    router = Router(ROUTES)
    for route in ROUTES:
        found = router.find(route.path.replace("{", "").replace("}", ""))
        assert found is not None
        assert found[0][route.method] is route
        assert len(found[1]) == len(route.path_parameters)


def test_route_names_are_unique() -> None:
    names = [route.name for route in ROUTES]
    assert len(set(names)) == len(names)


def test_arbitrary_paths_do_not_accumulate_in_memory() -> None:
    router = Router(list(routes))
    tracemalloc.start()
    try:
        for number in range(5_000):
            router.find(f"/notes/{number:05d}" + "x" * 20_000)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 8 * 1024 * 1024
