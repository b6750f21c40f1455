"""The contract's limits on items and contexts, except text lengths."""

from __future__ import annotations

from typing import Any

import pytest

from loremark.base import limits
from tests.contract.cast import Cast
from tests.contract.contract import load
from tests.contract.examples_memory import make_context, make_item

pytestmark = pytest.mark.anyio

CONTRACT = load()


def _most(name: str) -> int:
    most = CONTRACT.limit(name).max
    assert isinstance(most, int)
    return most


async def test_confidence_range(cast: Cast) -> None:
    limit = CONTRACT.limit("score.confidence")
    project = await cast.project()
    for value in (limit.min, 0.123456789, limit.max):
        item = await make_item(cast, project, confidence=value)
        assert (await cast.owner.get(f"/api/v2/items/{item}")).json()["confidence"] == value


async def test_item_file_and_tag_limits(cast: Cast) -> None:
    item = f"/api/v2/items/{await make_item(cast, await cast.project())}"
    for field, count, length in (
        ("files", "count.item_files", "length.file_path"),
        ("tags", "count.item_tags", "length.tag"),
    ):
        many, long = _most(count), _most(length)
        for values in ([f"x{number:03}" for number in range(many)], ["x" * long], ["x"], []):
            changed = await cast.owner.patch(item, {field: values})
            assert (changed.status_code, changed.json()[field]) == (200, values)
        for values in ([f"x{number:03}" for number in range(many + 1)], ["x" * (long + 1)], [""]):
            refused = await cast.owner.patch(item, {field: values})
            assert refused.status_code == 400
            assert refused.json()["error"].startswith(field)
    assert (await cast.owner.patch(item, {"files": ["a\nb"]})).status_code == 400


async def test_item_search_length(cast: Cast) -> None:
    project, most = await cast.project(), _most("length.item_search")
    for words, status in (("x" * most, 200), ("x", 200), ("x" * (most + 1), 400), ("", 400), ("%20%09", 400)):
        answer = await cast.owner.get(f"/api/v2/items?projectId={project}&q={words}")
        assert answer.status_code == status, words
        assert status == 200 or answer.json()["error"].startswith("q ")
    for bound in ("minConfidence", "maxConfidence"):
        for value, status in (("0", 200), ("1", 200), ("-0.01", 400), ("1.01", 400), ("nan", 400), ("", 400)):
            answer = await cast.owner.get(f"/api/v2/items?projectId={project}&{bound}={value}")
            assert answer.status_code == status, (bound, value)


async def test_schema_key_depth(cast: Cast) -> None:
    deepest = _most("count.schema_key_depth")
    project = await cast.project()
    item = f"/api/v2/items/{await make_item(cast, project)}"
    for depth, status in ((1, 200), (deepest, 200), (deepest + 1, 400)):
        key = "/".join(["a"] * depth)
        answers: list[Any] = [
            await cast.owner.patch(item, {"schemaKey": key}),
            await cast.owner.post("/api/contexts", {"name": "At a depth", "schemaKey": key, "projectId": project}),
            await cast.owner.post(
                "/api/contexts/populate", {"nodes": [{"schemaKey": key, "name": "Here"}], "projectId": project}
            ),
        ]
        assert [answer.status_code for answer in answers] == [status, 201 if status == 200 else 400, status]
        assert status == 200 or all("schemaKey" in answer.json()["error"] for answer in answers)
    listed = (await cast.owner.get(f"/api/contexts?projectId={project}")).json()
    parent = next(entry["id"] for entry in listed if entry["schemaKey"].count("/") == deepest - 1)
    refused = await cast.owner.post("/api/contexts", {"name": "Too deep", "parentContextId": parent})
    assert (refused.status_code, refused.json()["error"].partition(" ")[0]) == (400, "schemaKey")


async def test_populate_node_limit(cast: Cast) -> None:
    most = _most("count.populate_nodes")
    assert most == limits.POPULATE_NODES
    project = await cast.project()
    for count, status in ((most, 200), (most + 1, 400), (0, 200)):
        nodes = [{"schemaKey": f"root/n{number}", "name": f"N{number}"} for number in range(count)]
        body = {"nodes": nodes, "projectId": project}
        answer = await cast.owner.post("/api/contexts/populate", body)
        assert answer.status_code == status, count
        assert status == 200 or answer.json()["error"].startswith("nodes must have at most ")


async def test_context_tree_depth(cast: Cast) -> None:
    most = _most("count.context_levels")
    assert most == limits.CONTEXT_LEVELS
    project = await cast.project()
    above = await make_context(cast, projectId=project, schemaKey="level-1")
    for level in range(2, most + 1):
        above = await make_context(cast, parentContextId=above, schemaKey=f"level-{level}")
    body = {"name": "One more", "parentContextId": above, "schemaKey": "beyond"}
    refused = await cast.owner.post("/api/contexts", body)
    assert (refused.status_code, refused.json()["error"].partition(" ")[0]) == (400, "parentContextId")
    nodes = [{"schemaKey": "beyond", "name": "One more", "parentSchemaKey": f"level-{most}"}]
    refused = await cast.owner.post("/api/contexts/populate", {"nodes": nodes, "projectId": project})
    assert (refused.status_code, refused.json()["error"].partition(" ")[0]) == (400, "nodes[0].parentSchemaKey")
    tree = (await cast.owner.get(f"/api/contexts/tree?projectId={project}")).json()
    at = next(node for node in tree if node["schemaKey"] == "level-1")
    depth = 1
    while at["children"]:
        (at,), depth = at["children"], depth + 1
    assert depth == most


async def test_text_page_size_in_characters(cast: Cast) -> None:
    most, long = limits.TEXTS_PAGE_CHARS, limits.CONTENT_CHARS
    assert CONTRACT.limit("size.texts_page").value == most
    count = most // long + 3
    project = await cast.project()
    for number in range(count):
        item = await make_item(cast, project, content=f"{number:03}" + "x" * (long - 3))
    path = f"/api/v2/items/{item}"
    for number in range(count - 1):
        assert (await cast.owner.patch(path, {"content": f"{number:03}" + "y" * (long - 3)})).status_code == 200
    for url in (f"/api/v2/items?projectId={project}", f"{path}/revisions?limit=1000"):
        first = await cast.owner.get(url)
        cursor = first.headers["x-next-cursor"]
        rest = await cast.owner.get(f"{url}&cursor={cursor}")
        assert most < len(first.content) < most + 2 * long
        assert "x-next-cursor" not in rest.headers
        named = [entry.get("id") or entry["version"] for entry in (*first.json(), *rest.json())]
        assert named == sorted(set(named), reverse=True)
        assert len(named) == count
    assert (await cast.owner.delete(f"/api/projects/{project}")).status_code == 204
