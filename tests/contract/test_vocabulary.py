"""The contract's states, events, enums, plans and constants match the code."""

from __future__ import annotations

import typing

import pytest

from loremark.base import caller
from loremark.base.plans import PACKS, PLANS
from loremark.base.signing import SIGNATURE_PREFIX, sign_request
from loremark.features.keys.service import KEY_PREFIX
from loremark.memory import schema_keys, states
from loremark.memory.items import TIER_OF_TYPE
from loremark.web import sse
from loremark.web.authentication import Credential
from loremark.wire import billing, contexts, events, items, projects, sessions, team, webhooks
from tests.contract.contract import CONTRACT_FILE, ContractError, Enum, load

CONTRACT = load()
STATES = {name.lower(): found for name, found in vars(states).items() if isinstance(found, states.States)}
VALUES: dict[str, tuple[object, ...]] = {
    "role": typing.get_args(caller.Role),
    "assignable_role": typing.get_args(team.AssignableRole),
    "visibility": typing.get_args(projects.Visibility),
    "ai_tier": typing.get_args(projects.AiTier),
    "repo_auth_method": typing.get_args(projects.RepoAuthMethod),
    "plan": tuple(PLANS),
    "credit_pack": tuple(PACKS),
    "transaction_type": typing.get_args(billing.TransactionType),
    "usage_counter": billing.Counters.__struct_fields__,
    "item_type": typing.get_args(items.ItemType),
    "item_flag": typing.get_args(items.ItemFlag),
    "context_type": typing.get_args(contexts.ContextType),
    "context_action": typing.get_args(contexts.ContextAction),
    "populate_change": typing.get_args(contexts.PopulateChange),
    "caller_auth_method": tuple(method.value for method in caller.AuthMethod),
}


@pytest.mark.parametrize("name", STATES)
def test_states_and_transitions_match_the_code(name: str) -> None:
    declared, known = CONTRACT.states_of(name), STATES[name]
    assert set(declared.values) == known.values
    assert set(declared.initial) == known.initial
    assert declared.steps() == known.transitions
    ends = {value for value in declared.values if not any(start == value for start, _ in known.transitions)}
    assert ends == set(declared.terminal) or name == "chat"  # archived is not terminal


def test_status_fields_match_the_contract() -> None:
    for name, literal in (
        ("project", projects.ProjectStatus),
        ("item", items.ItemStatus),
        ("context", contexts.ContextState),
        ("session", sessions.SessionStatus),
        ("job", sessions.JobStatus),
        ("stage", sessions.StageStatus),
        ("webhook", webhooks.WebhookStatus),
        ("delivery", webhooks.DeliveryStatus),
    ):
        assert set(typing.get_args(literal)) == set(CONTRACT.states_of(name).values), name


def test_events_match_the_code() -> None:
    assert [event.name for event in CONTRACT.events("ingest")] == list(events.IngestEvent)
    assert [event.name for event in CONTRACT.events("webhook")] == list(events.WebhookEvent)
    live = typing.get_type_hints(events.LiveEvent)
    assert [event.name for event in CONTRACT.events("live")] == list(typing.get_args(live["type"]))


@pytest.mark.parametrize("enum", [CONTRACT.enum(name) for name in VALUES], ids=lambda enum: enum.name)
def test_enums_match_the_code(enum: Enum) -> None:
    assert set(enum.values) == set(VALUES[enum.name])


def test_default_tiers_match_the_contract() -> None:
    assert {name: {"tier": tier} for name, tier in TIER_OF_TYPE.items()} == CONTRACT.enum("item_type").figures


def test_nullable_fields_match_the_contract() -> None:
    hints = typing.get_type_hints(projects.ProjectEntry)
    for name, field in (("ai_tier", "ai_tier"), ("repo_auth_method", "repo_auth_method"), ("visibility", "visibility")):
        assert (type(None) in typing.get_args(hints[field])) == CONTRACT.enum(name).nullable, name


def test_auth_methods_match_the_code() -> None:
    names = {
        "KEY": "bearer",
        "LOGIN": "cookie",
        "SIGNATURE": "hmac",
        "QUICK_SIGNATURE": "hmac",
        "TICKET": "ticket",
    }
    assert {names[str(credential.name)] for credential in Credential} == set(CONTRACT.enum("auth_method").values)


@pytest.mark.parametrize("name", PLANS)
def test_plans_match_the_contract(name: str) -> None:
    figures = CONTRACT.enum("plan").figures[name]
    plan = PLANS[name]
    built = {"ai_tier" if field == "model" else field: figure for field, figure in figures.items()}
    assert {field: getattr(plan, field) for field in built} == built
    by_contract = {"price_cents", "per_seat"} if name == "enterprise" else set()
    assert set(built) == set(plan.__struct_fields__) - {"id"} - by_contract


@pytest.mark.parametrize("name", PACKS)
def test_credit_packs_match_the_contract(name: str) -> None:
    pack = PACKS[name]
    assert {"tokens": pack.tokens, "price_cents": pack.price_cents} == CONTRACT.enum("credit_pack").figures[name]


def test_constants_match_the_code() -> None:
    constants = CONTRACT.constants
    assert constants["key_prefix"] == KEY_PREFIX
    assert constants["signature_prefix"] == SIGNATURE_PREFIX
    assert sse.KEEP_ALIVE.decode() == constants["keep_alive_comment"] + "\n\n"
    assert constants["schema_key_root"] == schema_keys.ROOT
    assert CONTRACT.limit("count.schema_key_depth").max == schema_keys.MAX_DEPTH


def test_signing_string_matches_the_contract() -> None:
    """Reproduce with: printf '%s' '1700000000.{"a":1}' | openssl dgst -sha256 -hmac secret."""
    assert CONTRACT.constants["signing_string"] == "{timestamp}.{raw_body}"
    assert sign_request("secret", "1700000000", b'{"a":1}') == (
        "sha256=49f24e537407743fa4a0242bb63b94b9a47ee99cbbe071ccd8a22550ae411686"
    )


def test_inconsistent_contract_is_not_loaded(tmp_path: typing.Any) -> None:
    text = CONTRACT_FILE.read_text(encoding="utf-8")
    spoiled = {
        "unknown shape": ('shape = "account"', 'shape = "acount"'),
        "unknown endpoint": ('where = ["keys.delete"]', 'where = ["keys.remove"]'),
        "unknown field": ('call = "GET /api/team"', 'call = "GET /api/team"\nstaus = 200'),
        "unknown method": ('call = "GET /api/team"', 'call = "FETCH /api/team"'),
        "duplicate path": ('call = "GET /api/keys"', 'call = "GET /api/team"'),
        "unknown target state": ('"archived", "chat.update"', '"gone", "chat.update"'),
    }
    for name, (right, wrong) in spoiled.items():
        assert right in text
        path = tmp_path / f"{name}.toml"
        path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
        with pytest.raises(ContractError):
            load(path)
