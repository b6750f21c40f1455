"""Fills projects with many items directly in the database, without the pipeline."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Insert, Table, func, insert, literal, select

from loremark.base import clock, ids
from loremark.memory.ranking.entry import pack_terms
from loremark.ports.embeddings.vector_packing import pack
from loremark.storage.database import Database
from loremark.storage.statements import Bulk
from loremark.storage.tables import item_index, item_vectors, items, projects

DIMENSIONS = 384
_WORDS = 30_000
_WORDS_PER_ITEM = 45
_BATCH_SIZE = 5_000
_COPIES_PER_BATCH = 100
_TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")


@dataclass(frozen=True)
class Sample:
    """An item that is written repeatedly: generating one costs more than writing it."""

    title: str
    content: str
    files: tuple[str, ...]
    terms: bytes
    vector: bytes


def make_samples(count: int, seed: int = 1) -> tuple[list[Sample], NDArray[np.float32]]:
    """Texts with Zipf-distributed words, and vectors in soft clusters."""
    rng = np.random.default_rng(seed)
    words = np.array([_word(number) for number in range(_WORDS)])
    centres = rng.normal(size=(64, DIMENSIONS))
    vectors = centres[rng.integers(0, 64, count)] + rng.normal(size=(count, DIMENSIONS)) * 1.2
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    samples = []
    for packed in pack(vectors):
        chosen = words[(rng.zipf(1.3, _WORDS_PER_ITEM) - 1) % _WORDS]
        title, content = " ".join(chosen[:6]), " ".join(chosen[6:])
        files = (f"src/{chosen[0]}/{chosen[1]}.py",)
        samples.append(Sample(title, content, files, pack_terms(title, content, "root/bench", files, ()), packed))
    return samples, vectors


def _word(number: int) -> str:
    rng = random.Random(number)
    return "".join(rng.choice("bcdfglmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))


_ITEMS = Bulk(items, [column.name for column in items.c], ["id"])
_INDEX = Bulk(item_index, [column.name for column in item_index.c], ["project_id", "item_id"])
_VECTORS = Bulk(item_vectors, [column.name for column in item_vectors.c], ["project_id", "item_id", "model"])
_PROJECTS = Bulk(projects, [column.name for column in projects.c], ["id"])


async def fill_project(database: Database, team_id: str, samples: Sequence[Sample], count: int, model: str) -> str:
    """Create a project with this many items and return its id."""
    project_id = ids.new("prj")
    async with database.write() as tx:
        await tx.insert_new(_PROJECTS, [_project_row(project_id, team_id)])
    for start in range(0, count, _BATCH_SIZE):
        batch = list(rows(team_id, project_id, samples, start, min(_BATCH_SIZE, count - start), model))
        async with database.write() as tx:
            for bulk, at in ((_ITEMS, 0), (_INDEX, 1), (_VECTORS, 2)):
                await tx.insert_new(bulk, [row[at] for row in batch])
    return project_id


async def copy_project(database: Database, template: str, count: int) -> list[str]:
    """Copy a project this many times and return the ids. Copying in the database is faster than inserting."""
    project_ids = [ids.new("prj") for _ in range(count)]
    for start in range(0, count, _COPIES_PER_BATCH):
        async with database.write() as tx:
            for number, project_id in enumerate(project_ids[start : start + _COPIES_PER_BATCH], start):
                await tx.sweep(_copy(projects, {"id": literal(project_id)}, projects.c.id == template))
                for table, key in ((items, "id"), (item_index, "item_id"), (item_vectors, "item_id")):
                    changed = {
                        "project_id": project_id,
                        key: literal(f"itm_{number:08d}") + func.substr(table.c[key], 13),
                    }
                    await tx.sweep(_copy(table, changed, table.c.project_id == template))
    return project_ids


def _copy(table: Table, changed: dict[str, Any], which: ColumnElement[bool]) -> Insert:
    wanted = [column for column in table.c if not column.computed]
    values = [
        literal(changed[c.name]) if isinstance(changed.get(c.name), str) else changed.get(c.name, c) for c in wanted
    ]
    return insert(table).from_select([column.name for column in wanted], select(*values).where(which))


def _project_row(project_id: str, team_id: str) -> tuple[Any, ...]:
    values = {"id": project_id, "team_id": team_id, "name": "Bench", "index_version": 1}
    return tuple(values.get(column.name, empty(column)) for column in projects.c)


def empty(column: Any) -> Any:
    if column.nullable:
        return None
    kind = column.type.python_type
    return kind(0) if kind in (int, float, bool) else ""


def rows(
    team_id: str, project_id: str, samples: Sequence[Sample], start: int, count: int, model: str
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]]:
    """The three rows of each item: the item, its index entry and its vector."""
    now_ms = clock.now_ms()
    for number in range(start, start + count):
        sample = samples[number % len(samples)]
        values = {
            "id": ids.new("itm"),
            "team_id": team_id,
            "project_id": project_id,
            "title": sample.title,
            "content": sample.content,
            "type": _TYPES[number % len(_TYPES)],
            "schema_key": f"root/bench/{number % 50}",
            "status": "approved",
            "confidence": 0.9,
            "tier": 2,
            "session_id": f"ses_{number // 20}",
            "tags": "[]",
            "evidence": "[]",
            "flags": "[]",
            "merged_from": "[]",
            "token_count": 60,
            "version": 1,
            "created_at_ms": now_ms,
            "updated_at_ms": now_ms,
            "terms": sample.terms,
            "model": model,
            "vector": sample.vector,
        }
        ranked = values | {"item_id": values["id"]}
        yield (
            tuple(values.get(column.name, empty(column)) for column in items.c),
            tuple(ranked.get(column.name, empty(column)) for column in item_index.c),
            tuple(ranked.get(column.name, empty(column)) for column in item_vectors.c),
        )
