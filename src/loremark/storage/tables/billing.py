"""Usage counters, credits and subscriptions."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import flag, key_part, metadata, number, primary, ref, text

usage_counters = Table(
    "usage_counters",
    metadata,
    key_part("team_id"),
    key_part("period"),
    key_part("counter"),
    key_part("slot"),
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
    Index("ix_credit_transactions_team_id_created_at_ms", "team_id", "created_at_ms", "id"),
)

billing_accounts = Table(
    "billing_accounts",
    metadata,
    primary("team_id"),
    number("balance"),
    flag("recharge_enabled"),
    number("recharge_threshold", null=True),
    text("recharge_pack_id", null=True),
    number("spending_limit_cents"),
    flag("recharge_paused"),
    text("pending_recharge_id", null=True),
    number("pending_recharge_at_ms", null=True),
    number("recharge_spent_cents"),
    number("recharge_period_ms"),
    number("revision"),
    text("provider"),
    text("provider_customer", null=True, unique=True),
    text("provider_subscription", null=True),
    text("plan_id", null=True),
    number("seats"),
    text("status"),
    number("subscribed_at_ms", null=True),
    number("period_start_ms", null=True),
    number("period_end_ms", null=True),
    number("cancel_at_ms", null=True),
    Index("ix_billing_accounts_recharge_enabled_team_id", "recharge_enabled", "team_id"),
    Index("ix_billing_accounts_period_end_ms", "period_end_ms"),
)

payment_events = Table(
    "payment_events",
    metadata,
    primary(),
    text("type"),
    number("occurred_at_ms"),
    number("received_at_ms"),
)
