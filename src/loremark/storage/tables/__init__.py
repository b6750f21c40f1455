"""The data model, shared by both engines.

Every table with a team's data has ``team_id``; every table with a project's data has ``project_id``, which deleting a
project relies on.
"""

from __future__ import annotations

from loremark.storage.tables.billing import (
    billing_accounts,
    credit_transactions,
    payment_events,
    usage_counters,
)
from loremark.storage.tables.briefings import briefing_entries, briefing_switches, briefings
from loremark.storage.tables.capture import blobs, event_blobs, events, sessions
from loremark.storage.tables.columns import metadata
from loremark.storage.tables.enrichment import (
    ai_reservations,
    branch_commits,
    candidates,
    file_states,
    reading_items,
    readings,
)
from loremark.storage.tables.identity import (
    api_keys,
    audit_entries,
    installation,
    invitation_projects,
    invitations,
    logins,
    passkeys,
    recovery_codes,
    signin_links,
    team_members,
    teams,
    totp,
    used_challenges,
    users,
)
from loremark.storage.tables.jobs_and_webhooks import jobs, outbox, webhook_deliveries, webhooks
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
from loremark.storage.tables.recall import recall_versions, turn_index, turns, turns_to_embed
from loremark.storage.tables.retrieval import (
    answer_streams,
    brains,
    brains_to_check,
    chat_favorites,
    chat_messages,
    chats,
    item_index,
)
from loremark.storage.tables.scans_and_hygiene import findings, hygiene_plans, running_scans, scan_files, scans

__all__ = [
    "ai_reservations",
    "answer_streams",
    "api_keys",
    "audit_entries",
    "billing_accounts",
    "blobs",
    "brains",
    "brains_to_check",
    "branch_commits",
    "briefing_entries",
    "briefing_switches",
    "briefings",
    "candidates",
    "chat_favorites",
    "chat_messages",
    "chats",
    "contexts",
    "credit_transactions",
    "event_blobs",
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
    "metadata",
    "outbox",
    "passkeys",
    "payment_events",
    "project_members",
    "projects",
    "reading_items",
    "readings",
    "recall_versions",
    "recovery_codes",
    "revisions",
    "running_scans",
    "scan_files",
    "scans",
    "sessions",
    "signin_links",
    "team_members",
    "teams",
    "totp",
    "turn_index",
    "turns",
    "turns_to_embed",
    "usage_counters",
    "used_challenges",
    "users",
    "vector_cache",
    "webhook_deliveries",
    "webhooks",
]
