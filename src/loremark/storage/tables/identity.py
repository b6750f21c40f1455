"""Users, teams and credentials."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Table, UniqueConstraint

from loremark.storage.tables.columns import Id, binary, key_part, metadata, number, primary, ref, text

installation = Table(
    "installation",
    metadata,
    primary("name"),
    text("value"),
)

users = Table(
    "users",
    metadata,
    primary(),
    text("email"),
    text("email_key", unique=True),
    text("name"),
    text("password_hash", null=True),
    number("created_at_ms"),
)

teams = Table(
    "teams",
    metadata,
    primary(),
    text("name"),
    text("plan"),
    number("seats"),
    number("created_at_ms"),
)

team_members = Table(
    "team_members",
    metadata,
    primary(),
    ref("team_id", "teams.id"),
    ref("user_id", "users.id", index=True),
    text("role"),
    number("joined_at_ms"),
    UniqueConstraint("team_id", "user_id"),
)

invitations = Table(
    "invitations",
    metadata,
    primary(),
    ref("team_id", "teams.id"),
    text("email"),
    text("email_key"),
    # Null for an invitation to projects only; the user joins the team as a plain member.
    text("role", null=True),
    text("status"),
    text("nonce"),
    ref("invited_by"),
    number("invited_at_ms"),
    number("expires_at_ms"),
    UniqueConstraint("team_id", "email_key"),
)

invitation_projects = Table(
    "invitation_projects",
    metadata,
    key_part("invitation_id"),
    key_part("project_id"),
    ref("team_id"),
    text("role"),
    Index("ix_invitation_projects_project_id", "project_id"),
)

logins = Table(
    "logins",
    metadata,
    primary(),
    ref("user_id", "users.id"),
    ref("team_id", "teams.id"),
    text("token_hash", unique=True),
    number("created_at_ms"),
    number("expires_at_ms"),
    # Unknown for logins from before these were recorded.
    text("user_agent", null=True),
    text("address", null=True),
    number("last_used_ms", null=True),
    Index("ix_logins_user_id_team_id", "user_id", "team_id"),
)

# Authenticator apps. Unconfirmed until the first code was entered.
totp = Table(
    "totp",
    metadata,
    Column("user_id", Id, ForeignKey("users.id"), primary_key=True),
    text("secret_sealed"),
    number("confirmed_at_ms", null=True),
    # The time step of the last accepted code, so that no code works twice.
    number("last_step"),
    number("created_at_ms"),
)

# Unused recovery codes.
recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("user_id", Id, ForeignKey("users.id"), primary_key=True),
    key_part("code_hash"),
    number("created_at_ms"),
)

passkeys = Table(
    "passkeys",
    metadata,
    primary(),
    ref("user_id", "users.id", index=True),
    text("name"),
    text("credential_id", unique=True),
    binary("public_key"),
    number("sign_count"),
    number("created_at_ms"),
    number("last_used_ms", null=True),
)

# Challenges for passkeys that were answered, until they expire.
used_challenges = Table(
    "used_challenges",
    metadata,
    primary("challenge"),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
)

signin_links = Table(
    "signin_links",
    metadata,
    primary(),
    text("token_hash", unique=True),
    ref("user_id", "users.id", null=True),
    number("created_at_ms"),
    number("expires_at_ms"),
    number("used_at_ms", null=True),
)

api_keys = Table(
    "api_keys",
    metadata,
    primary(),
    ref("team_id", "teams.id"),
    ref("user_id", "users.id"),
    text("name"),
    text("prefix"),
    text("key_hash", unique=True),
    number("created_at_ms"),
    number("last_used_ms", null=True),
    # Limits, null for none: what it may do, where, until when, and from which networks. Lists are separated by spaces.
    text("scopes", null=True),
    ref("project_id", null=True),
    number("expires_at_ms", null=True),
    text("allowed_addresses", null=True),
    Index("ix_api_keys_team_id_user_id", "team_id", "user_id"),
    Index("ix_api_keys_project_id", "project_id"),
)

audit_entries = Table(
    "audit_entries",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", null=True),
    ref("actor_id"),
    text("actor_name"),
    text("auth_method"),
    text("action"),
    text("target"),
    text("details"),
    text("ip_address"),
    text("request_id"),
    number("created_at_ms"),
    Index("ix_audit_entries_team_id_id", "team_id", "id"),
)
