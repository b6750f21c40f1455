"""States: resources stay within their tables and follow the contract's transitions."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory import states
from loremark.memory.states import States
from tests.contract import contract
from tests.support.properties import examples

TABLES: dict[str, States] = {name.lower(): value for name, value in vars(states).items() if isinstance(value, States)}
EVERY_TABLE = pytest.mark.parametrize("name", sorted(TABLES))
WORDS = sorted({word for table in TABLES.values() for word in table.values})


def test_all_resources_with_states_have_a_table() -> None:
    assert set(TABLES) >= {"project", "item", "context", "session", "scan", "chat"}


@EVERY_TABLE
def test_initial_states_and_transitions_use_known_states(name: str) -> None:
    table = TABLES[name]
    assert table.initial
    assert table.initial <= table.values
    assert {state for move in table.transitions for state in move} <= table.values
    assert not [move for move in table.transitions if move[0] == move[1]]


@EVERY_TABLE
def test_every_state_can_be_reached(name: str) -> None:
    table = TABLES[name]
    reached = set(table.initial)
    while more := {after for before, after in table.transitions if before in reached} - reached:
        reached |= more
    assert reached == table.values


@EVERY_TABLE
@settings(max_examples=examples(60), deadline=None, database=None)
@given(data=st.data())
def test_random_walks_stay_within_the_table(name: str, data: st.DataObject) -> None:
    """Any sequence of requests follows allowed transitions to known states."""
    table = TABLES[name]
    state = data.draw(st.sampled_from(sorted(table.initial)))
    for wanted in data.draw(st.lists(st.sampled_from(WORDS) | st.text(max_size=12), max_size=30)):
        if table.allows(state, wanted):
            assert (state, wanted) in table.transitions
            state = wanted
        assert state in table.values


@EVERY_TABLE
def test_the_tables_match_the_contract(name: str) -> None:
    expected = contract.load().states_of(name)
    table = TABLES[name]
    assert set(expected.values) == table.values
    assert set(expected.initial) == table.initial
    for before in table.values:
        for after in table.values - {before}:
            assert table.allows(before, after) == expected.allows(before, after), (before, after)


def test_tables_are_immutable() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        states.CHAT.transitions = frozenset()  # type: ignore[misc]


@pytest.mark.parametrize("end", ["complete", "failed", "cancelled"])
def test_an_ended_scan_has_no_transitions(end: str) -> None:
    assert not [move for move in states.SCAN.transitions if move[0] == end]
