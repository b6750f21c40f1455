"""Projects and their members."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.base.caller import Role
from loremark.wire.shapes import AnyId, Description, ProjectName, Shape

Visibility = Literal["public", "private"]
ProjectStatus = Literal["active", "archived"]
AiTier = Literal["small", "medium"]
RepoAuthMethod = Literal["public", "token"]
AccessLevel = Literal["read", "write", "manage"]
"""What the caller may do with a project; each level includes the ones before it."""

RepoUrl = Annotated[str, Meta(max_length=limits.REPO_URL_CHARS)]
RepoToken = Annotated[str, Meta(min_length=1, max_length=limits.REPO_TOKEN_CHARS, pattern=r"^[\x21-\x7e]+$(?!\n)")]
RetentionDays = Annotated[int, Meta(ge=1, le=limits.RETENTION_MAX_DAYS)]
Threshold = Annotated[float, Meta(ge=0, le=limits.AUTO_APPROVE_MAX)]


class NewProject(Shape):
    name: ProjectName
    description: Description = ""
    visibility: Visibility = "private"


class ProjectUpdate(Shape):
    """Omitted fields keep their values."""

    name: ProjectName | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET
    status: ProjectStatus | UnsetType = UNSET
    ai_tier: AiTier | UnsetType | None = UNSET
    repo_url: RepoUrl | UnsetType | None = UNSET
    repo_host_token: RepoToken | UnsetType | None = UNSET
    deep_enrich_enabled: bool | UnsetType = UNSET
    auto_approve_threshold: Threshold | UnsetType = UNSET
    show_unreviewed: bool | UnsetType = UNSET
    briefings_enabled: bool | UnsetType = UNSET
    event_retention_days: RetentionDays | UnsetType | None = UNSET
    """After how many days data is deleted; null keeps it."""
    session_retention_days: RetentionDays | UnsetType | None = UNSET
    chat_retention_days: RetentionDays | UnsetType | None = UNSET
    disconnect_repo_host: bool | UnsetType = UNSET
    """Must be true if present."""


class ProjectCreated(Shape):
    id: str
    name: str
    visibility: Visibility
    status: ProjectStatus
    created_at: str


class ProjectEntry(Shape):
    """A project in a list."""

    id: str
    name: str
    description: str
    visibility: Visibility
    status: ProjectStatus
    ai_tier: AiTier | None
    repo_url: str | None
    repo_host_username: str | None
    repo_auth_method: RepoAuthMethod | None
    has_repo_host_token: bool
    deep_enrich_enabled: bool
    access_level: AccessLevel
    created_at: str
    updated_at: str


class ProjectDetail(Shape):
    """A single project."""

    id: str
    name: str
    description: str
    visibility: Visibility
    status: ProjectStatus
    member_count: int
    auto_approve_threshold: float
    show_unreviewed: bool
    briefings_enabled: bool
    event_retention_days: int | None
    session_retention_days: int | None
    chat_retention_days: int | None
    access_level: AccessLevel
    created_at: str
    updated_at: str


class ProjectUpdated(ProjectEntry):
    """An updated project: the fields of the list and of the single get."""

    member_count: int
    auto_approve_threshold: float
    show_unreviewed: bool
    briefings_enabled: bool
    event_retention_days: int | None
    session_retention_days: int | None
    chat_retention_days: int | None


class ProjectMember(Shape):
    user_id: str
    name: str
    email: str
    role: Role
    joined_at: str


class MemberRemoval(Shape):
    user_id: AnyId


class HmacSecret(Shape):
    secret: str


class SecretRotation(Shape):
    revoke_now: bool = False


class RotatedSecret(Shape):
    secret: str
    previous_valid_until: str | None
