"""The whole data model, on a few pages; both engines are made from it.

Every table that holds a team's data carries ``team_id``; every table that holds a project's data carries
``project_id``, by which a project's deletion finds it.
"""

from __future__ import annotations

from loremark.storage.tables.capture import blobs, events, sessions
from loremark.storage.tables.columns import metadata
from loremark.storage.tables.commerce import (
    billing_accounts,
    credit_transactions,
    payment_events,
    usage_counters,
)
from loremark.storage.tables.enrichment import ai_reservations, branch_commits, candidates, file_states
from loremark.storage.tables.identity import (
    api_keys,
    audit_entries,
    installation,
    invitation_projects,
    invitations,
    logins,
    signin_links,
    team_members,
    teams,
    users,
)
from loremark.storage.tables.memory import (
    contexts,
    item_conflicts,
    item_files,
    item_vectors,
    items,
    items_to_embed,
    revisions,
    vector_cache,
)
from loremark.storage.tables.projects import project_members, projects
from loremark.storage.tables.promises import jobs, outbox, webhook_deliveries, webhooks
from loremark.storage.tables.retrieval import (
    answer_streams,
    brains,
    chat_favorites,
    chat_messages,
    chats,
    item_index,
    memory_touched,
)
from loremark.storage.tables.upkeep import findings, hygiene_plans, running_scans, scan_files, scans

__all__ = [
    "ai_reservations",
    "answer_streams",
    "api_keys",
    "audit_entries",
    "billing_accounts",
    "blobs",
    "brains",
    "branch_commits",
    "candidates",
    "chat_favorites",
    "chat_messages",
    "chats",
    "contexts",
    "credit_transactions",
    "events",
    "file_states",
    "findings",
    "hygiene_plans",
    "installation",
    "invitation_projects",
    "invitations",
    "item_conflicts",
    "item_files",
    "item_index",
    "item_vectors",
    "items",
    "items_to_embed",
    "jobs",
    "logins",
    "memory_touched",
    "metadata",
    "outbox",
    "payment_events",
    "project_members",
    "projects",
    "revisions",
    "running_scans",
    "scan_files",
    "scans",
    "sessions",
    "signin_links",
    "team_members",
    "teams",
    "usage_counters",
    "users",
    "vector_cache",
    "webhook_deliveries",
    "webhooks",
]
