"""Queries for turns, their index and the queue of turns to embed.

Turns never change, except that they get a vector. Each write of a project's turns takes its next version and locks the
project's version row, so versions become visible in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from sqlalchemy import and_, bindparam, delete, func, literal, select, update

from loremark.base.caller import Scope
from loremark.memory.ranking.entry import Entry
from loremark.memory.recall.turns import Turn
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import events, projects, recall_versions, sessions, turn_index, turns, turns_to_embed

_encode = msgspec.json.Encoder().encode

_UNREAD = Sql(
    select(events)
    .where(
        events.c.id > bindparam("after"),
        ~select(turns.c.id).where(turns.c.project_id == events.c.project_id, turns.c.event_id == events.c.id).exists(),
        select(projects.c.id).where(projects.c.id == events.c.project_id, projects.c.deleted_at_ms.is_(None)).exists(),
    )
    .order_by(events.c.id)
    .limit(bindparam("take"))
)
_LOCK_SESSIONS = Sql(
    select(sessions.c.id)
    .where(sessions.c.team_id == bindparam("scope"), InList(sessions.c.id, "session_ids"))
    .order_by(sessions.c.id)
    .with_for_update(read=True, key_share=True)
)
"""Nobody can delete them, but ingest can add events to them: it locks sessions in another order."""
_TURNS = Bulk(
    turns,
    (
        "id",
        "project_id",
        "team_id",
        "session_id",
        "event_id",
        "kind",
        "before",
        "messages",
        "files",
        "commands",
        "agent",
        "branch",
        "commit_sha",
        "said_at_ms",
    ),
    ("project_id", "id"),
)
_ENTRIES = Bulk(
    turn_index,
    ("turn_id", "project_id", "team_id", "version", "session_id", "kind", "branch", "said_at_ms", "terms"),
    ("project_id", "turn_id"),
)
_QUEUE = Bulk(turns_to_embed, ("turn_id", "team_id", "project_id"), ("turn_id",))
_NEXT_VERSION = Sql(
    lambda new: (
        (insert := new(recall_versions))
        .on_conflict_do_update(index_elements=["project_id"], set_={"version": recall_versions.c.version + 1})
        .returning(insert.table.c.version)
    )
)
_OF_PROJECT = and_(turn_index.c.team_id == bindparam("scope"), turn_index.c.project_id == bindparam("of_project"))
_ENTRY = (
    turn_index.c.turn_id,
    turn_index.c.session_id,
    turn_index.c.kind,
    turn_index.c.branch,
    turn_index.c.said_at_ms,
    turn_index.c.terms,
    turn_index.c.model,
    turn_index.c.vector,
)
_VERSIONS = Sql(
    select(recall_versions.c.version, recall_versions.c.deleted_at_version).where(
        recall_versions.c.team_id == bindparam("scope"), recall_versions.c.project_id == bindparam("of_project")
    )
)
_PAGE = Sql(
    select(*_ENTRY)
    .where(_OF_PROJECT, turn_index.c.turn_id > bindparam("after"))
    .order_by(turn_index.c.turn_id)
    .limit(bindparam("take"))
)
_CHANGED = Sql(
    select(*_ENTRY)
    .where(_OF_PROJECT, turn_index.c.version > bindparam("since"))
    .order_by(turn_index.c.version)
    .limit(bindparam("take"))
)
_MODELS = Sql(
    select(turn_index.c.model, func.count().label("found"))
    .where(_OF_PROJECT, turn_index.c.model.is_not(None))
    .group_by(turn_index.c.model)
)
_IN_PROJECT = and_(turns.c.team_id == bindparam("scope"), turns.c.project_id == bindparam("of_project"))
_BY_ID = Sql(select(turns).where(_IN_PROJECT, InList(turns.c.id, "turn_ids")))
_REVERTS = Sql(
    select(turns.c.id, turns.c.commit_sha, turns.c.messages, turns.c.said_at_ms)
    .where(_IN_PROJECT, turns.c.kind == "commit", turns.c.messages.like("%reverts commit %"))
    .order_by(turns.c.id.desc())
    .limit(bindparam("take"))
)
_VECTORS = Sql(
    select(turn_index.c.turn_id, turn_index.c.vector).where(
        _OF_PROJECT, turn_index.c.model == bindparam("of_model"), InList(turn_index.c.turn_id, "turn_ids")
    )
)
_OF_SESSIONS = Sql(
    select(turns)
    .where(_IN_PROJECT, InList(turns.c.session_id, "session_ids"), turns.c.kind == "session")
    .order_by(turns.c.id)
    .limit(bindparam("take"))
)
_LAST = Sql(
    select(turns.c.messages)
    .where(_IN_PROJECT, turns.c.session_id == bindparam("of_session"), turns.c.event_id < bindparam("before_event"))
    .order_by(turns.c.id.desc())
    .limit(1)
)
_QUEUED = Sql(select(turns_to_embed).order_by(turns_to_embed.c.turn_id.desc()).limit(bindparam("take")))
_DEQUEUE = Sql(
    delete(turns_to_embed).where(
        turns_to_embed.c.team_id == bindparam("scope"), InList(turns_to_embed.c.turn_id, "ids")
    )
)
_SET_VECTOR = Sql(
    update(turn_index)
    .where(_OF_PROJECT, turn_index.c.turn_id == bindparam("of_turn"))
    .values(vector=bindparam("new_vector"), model=bindparam("new_model"), version=bindparam("new_version"))
)
_READ = Sql(select(turns.c.event_id).distinct().where(_IN_PROJECT, InList(turns.c.event_id, "event_ids")))
_QUEUE_ALL = Sql(
    lambda new: (
        new(turns_to_embed)
        .from_select(
            ["turn_id", "team_id", "project_id"],
            select(turn_index.c.turn_id, turn_index.c.team_id, turn_index.c.project_id).where(
                # SQLite needs a WHERE clause here, or it parses ON CONFLICT as a join condition.
                literal(1) == 1
            ),
        )
        .on_conflict_do_nothing(index_elements=["turn_id"])
    )
)
_IN_SESSION = and_(_IN_PROJECT, turns.c.session_id == bindparam("of_session"))
_DELETE_QUEUED = Sql(
    delete(turns_to_embed).where(
        turns_to_embed.c.team_id == bindparam("scope"),
        turns_to_embed.c.turn_id.in_(select(turns.c.id).where(_IN_SESSION)),
    )
)
_DELETE_ENTRIES = Sql(delete(turn_index).where(_OF_PROJECT, turn_index.c.session_id == bindparam("of_session")))
_DELETE_TURNS = Sql(delete(turns).where(_IN_SESSION))
_MARK_DELETED = Sql(
    update(recall_versions)
    .where(recall_versions.c.team_id == bindparam("scope"), recall_versions.c.project_id == bindparam("of_project"))
    .values(deleted_at_version=recall_versions.c.version)
)


async def list_unread(tx: Tx, *, after: str, take: int) -> list[Row]:
    """List events that have not been read yet, oldest first. Unscoped: maintenance across teams."""
    return await tx.many(_UNREAD, after=after, take=take)


async def create_turns(
    tx: Tx, scope: Scope, project_id: str, read: Sequence[tuple[Row, Sequence[tuple[Turn, bytes]]]]
) -> None:
    """Store the turns of events, each with its packed terms. Events of deleted sessions are skipped."""
    session_ids = sorted({event["session_id"] for event, _ in read})
    alive = {row["id"] for row in await tx.many(_LOCK_SESSIONS, scope=scope, session_ids=session_ids)}
    rows, entries = [], []
    version = await next_version(tx, scope, project_id)
    for event, found in read:
        if event["session_id"] not in alive:
            continue
        of_event = (project_id, scope, event["session_id"], event["id"])
        if not found:
            rows.append((event["id"], *of_event, "none", "", "[]", "[]", "[]", "", None, None, event["created_at_ms"]))
        for number, (turn, terms) in enumerate(found):
            turn_id = f"{event['id']}.{number:03d}"
            said_at_ms = min(turn.said_at_ms or event["created_at_ms"], event["created_at_ms"])
            rows.append((turn_id, *of_event, *_columns(turn), said_at_ms))
            entries.append(
                (turn_id, project_id, scope, version, event["session_id"], turn.kind, turn.branch, said_at_ms, terms)
            )
    if rows:
        await tx.insert_new(_TURNS, rows)
    if entries:
        await tx.insert_new(_ENTRIES, entries)
        await tx.insert_new(_QUEUE, [(entry[0], scope, project_id) for entry in entries])


async def mark_read(tx: Tx, scope: Scope, project_id: str, events_to_delete: Sequence[Row]) -> None:
    """Record events that have no turns yet, so that their session still knows them when they are gone."""
    event_ids = [row["id"] for row in events_to_delete]
    rows = await tx.many(_READ, scope=scope, of_project=project_id, event_ids=event_ids)
    known = {row["event_id"] for row in rows}
    unread = [(row, ()) for row in events_to_delete if row["id"] not in known]
    if unread:
        await create_turns(tx, scope, project_id, unread)


def _columns(turn: Turn) -> tuple[str | None, ...]:
    messages = [[message.role, message.text] for message in turn.messages]
    return (
        turn.kind,
        turn.before,
        _encode(messages).decode(),
        _encode(turn.files).decode(),
        _encode(turn.commands).decode(),
        turn.agent,
        turn.branch,
        turn.commit_sha,
    )


async def next_version(tx: Tx, scope: Scope, project_id: str) -> int:
    """Increment the version of a project's turns and return it."""
    row = await tx.one(_NEXT_VERSION, project_id=project_id, team_id=scope, version=1, deleted_at_version=0)
    assert row is not None
    return int(row["version"])


async def find_versions(tx: Tx, scope: Scope, project_id: str) -> tuple[int, int]:
    """Return the version of a project's turns and that of the last deletion; zeros if there are none."""
    row = await tx.one(_VERSIONS, scope=scope, of_project=project_id)
    return (0, 0) if row is None else (row["version"], row["deleted_at_version"])


async def list_entries(tx: Tx, scope: Scope, project_id: str, *, after: str, take: int) -> list[Row]:
    """List index entries with their vectors, by turn id."""
    return await tx.many(_PAGE, scope=scope, of_project=project_id, after=after, take=take)


async def list_changed(tx: Tx, scope: Scope, project_id: str, since: int, take: int) -> list[Row]:
    """List entries changed after a version."""
    return await tx.many(_CHANGED, scope=scope, of_project=project_id, since=since, take=take)


async def count_by_model(tx: Tx, scope: Scope, project_id: str) -> Mapping[str, int]:
    rows = await tx.many(_MODELS, scope=scope, of_project=project_id)
    return {row["model"]: row["found"] for row in rows}


async def list_by_ids(tx: Tx, scope: Scope, project_id: str, turn_ids: Sequence[str]) -> list[Row]:
    return await tx.many(_BY_ID, scope=scope, of_project=project_id, turn_ids=list(turn_ids))


async def list_reverts(tx: Tx, scope: Scope, project_id: str, take: int) -> list[Row]:
    """List the commits that say which commit they revert, newest first."""
    return await tx.many(_REVERTS, scope=scope, of_project=project_id, take=take)


async def find_vectors(
    tx: Tx, scope: Scope, project_id: str, model: str, turn_ids: Sequence[str]
) -> Mapping[str, bytes]:
    """Return the packed vectors of turns that have one of this model."""
    rows = await tx.many(_VECTORS, scope=scope, of_project=project_id, of_model=model, turn_ids=list(turn_ids))
    return {row["turn_id"]: row["vector"] for row in rows}


async def list_of_sessions(tx: Tx, scope: Scope, project_id: str, session_ids: Sequence[str], take: int) -> list[Row]:
    """List the turns of sessions in the order they were said."""
    return await tx.many(_OF_SESSIONS, scope=scope, of_project=project_id, session_ids=list(session_ids), take=take)


async def find_last(tx: Tx, scope: Scope, project_id: str, session_id: str, before_event: str) -> Row | None:
    """Return the last turn of a session before an event."""
    return await tx.one(_LAST, scope=scope, of_project=project_id, of_session=session_id, before_event=before_event)


async def list_queued(tx: Tx, take: int) -> list[Row]:
    """List turns to embed, newest first. Unscoped: maintenance across teams."""
    return await tx.many(_QUEUED, take=take)


async def queue_all(tx: Tx) -> None:
    """Queue all turns for embedding. Unscoped: the embedder has changed for all teams."""
    await tx.sweep(_QUEUE_ALL)


async def set_vectors(tx: Tx, scope: Scope, project_id: str, model: str, vectors: Mapping[str, bytes]) -> None:
    """Store the vectors of turns that still exist."""
    version = await next_version(tx, scope, project_id)
    for turn_id, vector in vectors.items():
        await tx.run(
            _SET_VECTOR,
            scope=scope,
            of_project=project_id,
            of_turn=turn_id,
            new_vector=vector,
            new_model=model,
            new_version=version,
        )


async def dequeue(tx: Tx, scope: Scope, turn_ids: Sequence[str]) -> None:
    await tx.run(_DEQUEUE, scope=scope, ids=list(turn_ids))


async def delete_session_turns(tx: Tx, scope: Scope, project_id: str, session_id: str) -> None:
    """Delete everything that is indexed of a session."""
    await next_version(tx, scope, project_id)
    await tx.run(_DELETE_QUEUED, scope=scope, of_project=project_id, of_session=session_id)
    await tx.sweep(_DELETE_ENTRIES, scope=scope, of_project=project_id, of_session=session_id)
    await tx.sweep(_DELETE_TURNS, scope=scope, of_project=project_id, of_session=session_id)
    await tx.run(_MARK_DELETED, scope=scope, of_project=project_id)


def to_entry(row: Row) -> Entry:
    """Build a turn's entry for ranking. Its kind is the type, so that a search can be limited to it."""
    return Entry(
        row["turn_id"],
        "approved",
        row["kind"],
        "",
        row["session_id"],
        None,
        row["said_at_ms"],
        1.0,
        row["terms"],
    )
