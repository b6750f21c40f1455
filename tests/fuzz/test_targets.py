"""The fuzz targets on valid input, on inputs that once broke them, and on a few random ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.seeds import CRASHES, seeds
from tests.fuzz.targets import TARGETS
from tests.support.properties import examples


@pytest.mark.parametrize("name", TARGETS)
def test_target_reads_its_seeds(name: str) -> None:
    for data in seeds(name):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=examples(100))
@given(data=st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_target_survives_random_input(name: str, data: bytes) -> None:
    TARGETS[name](data)


def test_every_crash_belongs_to_a_target() -> None:
    assert [path.name for path in CRASHES.glob("*-*") if path.name.partition("-")[0] not in TARGETS] == []
