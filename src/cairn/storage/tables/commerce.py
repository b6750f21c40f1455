"""Use and money: counters, credits, subscriptions."""

from __future__ import annotations

from sqlalchemy import Index, Table

from cairn.storage.tables.columns import flag, metadata, number, part, primary, ref, text

usage_counters = Table(
    "usage_counters",
    metadata,
    part("team_id"),
    part("period"),
    part("counter"),
    part("slot"),
    number("used"),
)

credit_transactions = Table(
    "credit_transactions",
    metadata,
    primary(),
    ref("team_id"),
    text("type"),
    number("amount"),
    number("price_cents", null=True),
    text("description", null=True),
    text("reference", unique=True),
    number("created_at_ms"),
    Index("ix_credit_transactions_team_id_id", "team_id", "id"),
)

billing_accounts = Table(
    "billing_accounts",
    metadata,
    primary("team_id"),
    number("balance"),
    flag("recharge_enabled"),
    number("recharge_threshold"),
    text("recharge_pack_id", null=True),
    number("spending_limit_cents"),
    text("provider"),
    text("provider_customer", null=True),
    text("provider_subscription", null=True),
    text("status"),
    number("period_start_ms"),
    number("period_end_ms"),
    number("cancel_at_ms", null=True),
)

payment_events = Table(
    "payment_events",
    metadata,
    primary(),
    text("type"),
    number("occurred_at_ms"),
    number("received_at_ms"),
)
