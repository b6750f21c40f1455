"""States: whatever is asked of a thing, it stays inside its table, and moves only as the contract says."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory import states
from loremark.memory.states import States
from tests.contract import contract

TABLES: dict[str, States] = {name.lower(): value for name, value in vars(states).items() if isinstance(value, States)}
EVERY_TABLE = pytest.mark.parametrize("name", sorted(TABLES))
WORDS = sorted({word for table in TABLES.values() for word in table.values})


def test_there_are_tables_of_the_things_that_have_states() -> None:
    assert set(TABLES) >= {"project", "item", "context", "session", "scan", "chat"}


@EVERY_TABLE
def test_beginnings_and_moves_name_known_states_only(name: str) -> None:
    table = TABLES[name]
    assert table.initial
    assert table.initial <= table.values
    assert {state for move in table.moves for state in move} <= table.values
    assert not [move for move in table.moves if move[0] == move[1]]


@EVERY_TABLE
def test_every_state_can_be_reached(name: str) -> None:
    table = TABLES[name]
    reached = set(table.initial)
    while more := {after for before, after in table.moves if before in reached} - reached:
        reached |= more
    assert reached == table.values


@EVERY_TABLE
@settings(max_examples=60, deadline=None, database=None)
@given(data=st.data())
def test_a_thing_never_leaves_its_table(name: str, data: st.DataObject) -> None:
    """Ask for anything, known or not, in any order: only allowed moves happen, and they lead to known states."""
    table = TABLES[name]
    state = data.draw(st.sampled_from(sorted(table.initial)))
    for wanted in data.draw(st.lists(st.sampled_from(WORDS) | st.text(max_size=12), max_size=30)):
        if table.allows(state, wanted):
            assert (state, wanted) in table.moves
            state = wanted
        assert state in table.values


@EVERY_TABLE
def test_the_contract_tells_the_same(name: str) -> None:
    told = contract.load().states_of(name)
    table = TABLES[name]
    assert set(told.values) == table.values
    assert set(told.initial) == table.initial
    for before in table.values:
        for after in table.values - {before}:
            assert table.allows(before, after) == told.allows(before, after), (before, after)


def test_a_table_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        states.CHAT.moves = frozenset()  # type: ignore[misc]


@pytest.mark.parametrize("end", ["complete", "failed", "cancelled"])
def test_a_scan_that_ended_stays_so(end: str) -> None:
    assert not [move for move in states.SCAN.moves if move[0] == end]
