"""The table of every error response.

An ``ErrorKind`` is a row: a status and the exact text. Calling it returns the ``Refusal`` to raise. No other module
defines a status or an error text; ``web`` turns a refusal into ``{"error": text}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class Refusal(Exception):
    """Ends the request with this status and text."""

    def __init__(self, kind: ErrorKind, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.kind = kind
        self.status = kind.status
        self.text = text
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """A row of the table. ``text`` may contain ``{placeholders}`` for the caller to fill."""

    status: int
    text: str

    def __call__(self, headers: Mapping[str, str] | None = None, /, **values: object) -> Refusal:
        return Refusal(self, self.text.format(**values) if values else self.text, headers)


# Authentication and access
UNAUTHENTICATED = ErrorKind(401, "Invalid or missing authentication credentials")
UNAUTHORIZED = ErrorKind(401, "Unauthorized")
WRONG_PASSWORD = ErrorKind(401, "Incorrect email or password")
CODE_REQUIRED = ErrorKind(401, "Two-factor code required")
WRONG_CODE = ErrorKind(401, "Incorrect two-factor code")
PASSKEY_REFUSED = ErrorKind(401, "This passkey was not accepted. Try again")
SIGN_IN_TO_ACCEPT = ErrorKind(401, "This address has an account. Sign in to accept the invitation")
MISSING_HEADER = ErrorKind(401, "Missing required header")
TIMESTAMP_EXPIRED = ErrorKind(401, "Timestamp expired")
INVALID_SIGNATURE = ErrorKind(401, "Invalid signature")
FORBIDDEN = ErrorKind(403, "Forbidden")
CROSS_SITE = ErrorKind(403, "Cross-site request refused")
FIRST_ACCOUNT_TOKEN = ErrorKind(
    403, "The first account needs the token in the link the server printed. Print another: loremark admin signin-link"
)
REGISTRATION_CLOSED = ErrorKind(403, "Registration is closed")
REGISTRATION_BY_INVITATION = ErrorKind(403, "Registration is by invitation only")
PLAN_LIMIT = ErrorKind(403, "Plan limit reached: {counter}")

# The request itself
INVALID = ErrorKind(400, "{sentence}")
INVALID_BODY = ErrorKind(400, "Invalid request body")
BODY_INCOMPLETE = ErrorKind(400, "Request body is incomplete")
MALFORMED_JSON = ErrorKind(400, "Request body is not valid JSON")
BODY_REQUIRED = ErrorKind(400, "Request body must be a JSON object")
NUL_CHARACTER = ErrorKind(400, "Text must not contain NUL characters")
TOKEN_BUDGET_RANGE = ErrorKind(400, "tokenBudget must be between 200 and 200000")
BAD_REPO_URL = ErrorKind(400, "repoUrl must have the form https://<repo_host>/<owner>/<repo>")
INVITATION_INVALID = ErrorKind(400, "Invitation is invalid or expired")
NOT_FOUND = ErrorKind(404, "Not found")
UNKNOWN_HOST = ErrorKind(
    403, "The server does not answer for this host name. Use its base URL, or add the name to LOREMARK_ALLOWED_HOSTS"
)
METHOD_NOT_ALLOWED = ErrorKind(405, "Method not allowed")
BODY_TOO_LARGE = ErrorKind(413, "Request body too large")
UNSUPPORTED_MEDIA_TYPE = ErrorKind(415, "Content-Type must be application/json")
UNSUPPORTED_ENCODING = ErrorKind(415, "Content-Encoding must be gzip or identity")
RATE_LIMITED = ErrorKind(429, "Rate limit exceeded. Please retry after {seconds} seconds.")
RATE_LIMITED_PLAIN = ErrorKind(429, "Rate limit exceeded")

# Missing resources and conflicting states
PROJECT_NOT_FOUND = ErrorKind(404, "Project not found")
MEMBER_NOT_FOUND = ErrorKind(404, "Member not found")
LOGIN_NOT_FOUND = ErrorKind(404, "Login not found")
KEY_NOT_FOUND = ErrorKind(404, "Key not found")
PROJECT_ARCHIVED = ErrorKind(409, "Project is archived")
ALREADY_MEMBER = ErrorKind(409, "Already a member")
INVITATION_LIMIT = ErrorKind(409, "A team can have at most 500 pending invitations")
EMAIL_TAKEN = ErrorKind(409, "An account with this email already exists")
LAST_OWNER = ErrorKind(409, "The last owner cannot be removed")
OWNER_NOT_REMOVABLE = ErrorKind(409, "The owner cannot be removed")
NO_PASSWORD = ErrorKind(409, "Set a password first")
TWO_FACTOR_ON = ErrorKind(409, "Two-factor authentication is already on")
TWO_FACTOR_OFF = ErrorKind(409, "Two-factor authentication is off")
PASSKEY_NOT_FOUND = ErrorKind(404, "Passkey not found")
PASSKEY_LIMIT = ErrorKind(409, "An account can have at most 20 passkeys")
PASSKEYS_NEED_A_NAME = ErrorKind(409, "Passkeys need a host name in LOREMARK_BASE_URL instead of an IP address")
OWNER_ROLE_FIXED = ErrorKind(409, "The owner's role cannot be changed")

PROJECT_ID_REQUIRED = ErrorKind(400, "projectId is required")
QUESTION_REQUIRED = ErrorKind(400, "question is required (min 3 chars)")
INVALID_JSON = ErrorKind(400, "Invalid JSON")
INVALID_TICKET = ErrorKind(401, "Invalid or expired ticket")
WORKER_NOT_CONFIGURED = ErrorKind(503, "Worker not configured")

SESSION_NOT_FOUND = ErrorKind(404, "Session not found")
WEBHOOK_NOT_FOUND = ErrorKind(404, "Webhook not found")
WEBHOOK_LIMIT = ErrorKind(409, "A project can have at most 50 webhooks")
DELIVERY_NOT_FOUND = ErrorKind(404, "Delivery not found")
ENRICHMENT_RUNNING = ErrorKind(409, "Enrichment already in progress")
READING_NOT_FOUND = ErrorKind(404, "Reading not found")
PART_NOT_EXPECTED = ErrorKind(409, "Another part of the session is expected")
SESSION_ENRICHING = ErrorKind(409, "Session is being enriched. Try again when enrichment has finished.")
NO_FAILED_JOB = ErrorKind(409, "No failed job to retry")
AI_TOKEN_LIMIT = ErrorKind(403, "AI token limit reached")
NO_REPOSITORY = ErrorKind(400, "Project has no repository")
NO_PREVIOUS_SCAN = ErrorKind(400, "No previous scan for selective mode")
SCAN_RUNNING = ErrorKind(409, "Scan already in progress")
NO_SCAN_RUNNING = ErrorKind(400, "No scan in progress")
PLAN_NOT_FOUND = ErrorKind(404, "Plan not found")
INVALID_TRANSITION = ErrorKind(400, "Invalid status transition")
NOTHING_TO_UPDATE = ErrorKind(400, "No valid fields to update")
CONTEXT_NOT_FOUND = ErrorKind(404, "Context not found")
ITEM_NOT_FOUND = ErrorKind(404, "Item not found")
REVISION_NOT_FOUND = ErrorKind(404, "Revision not found")
NO_SUBSCRIPTION = ErrorKind(400, "No active subscription")
NO_PAYMENT_METHOD = ErrorKind(402, "Payment method required")
PAYMENT_FAILED = ErrorKind(402, "Payment failed")
BAD_WEBHOOK_SIGNATURE = ErrorKind(400, "Webhook signature is invalid")
SCHEMA_KEY_TAKEN = ErrorKind(409, "schemaKey already exists")
PRECONDITION_FAILED = ErrorKind(412, "The resource has changed since you read it. Fetch it again and retry.")

# Server errors
INTERNAL = ErrorKind(500, "Internal server error")
UNAVAILABLE = ErrorKind(503, "Service temporarily unavailable")


def invalid(sentence: str) -> Refusal:
    """Return a 400 with a sentence that names the field."""
    return INVALID(sentence=sentence)


def table() -> dict[str, ErrorKind]:
    """Return every row by name, for documentation and tests."""
    return {name: value for name, value in globals().items() if isinstance(value, ErrorKind)}
