"""Briefings: what was served to which agent session, and what came of it."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import flag, key_part, metadata, number, primary, ref, text

briefings = Table(
    "briefings",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    # The session's source, as events name it, such as ``claude-code:<id>``; empty if the caller named none.
    text("source"),
    # ``start``: what holds for every task; ``prompt``: what matters for the first prompt.
    text("kind"),
    number("tokens"),
    number("created_at_ms"),
    # The last turn of the session that was looked at.
    ref("looked_at_turn", null=True),
    # False if the project had briefings switched off: recorded to compare, but not given to the agent.
    flag("served", default=True),
    Index("ix_briefings_project_id_created_at_ms", "project_id", "created_at_ms"),
    Index("ix_briefings_project_id_source", "project_id", "source"),
)

# What a briefing contained, and whether the session made use of it.
briefing_entries = Table(
    "briefing_entries",
    metadata,
    key_part("project_id"),
    key_part("briefing_id"),
    key_part("entry_id"),
    ref("team_id"),
    text("kind"),
    flag("reviewed"),
    # ``used``, ``corrected`` or empty: what is known so far.
    text("outcome"),
    number("created_at_ms"),
    # The turns that were quoted.
    text("turn_ids", default="[]"),
    Index("ix_briefing_entries_project_id_entry_id", "project_id", "entry_id"),
)

# Each change of a project's setting ``briefings_enabled``.
briefing_switches = Table(
    "briefing_switches",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    flag("enabled"),
    number("created_at_ms"),
    Index("ix_briefing_switches_project_id_created_at_ms", "project_id", "created_at_ms"),
)
