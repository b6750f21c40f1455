"""Schema keys: valid for any name, and consistent up and down the tree."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory import schema_keys
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(100), deadline=None, database=None)
SEGMENT = st.text(alphabet="abcxyz019-", min_size=1, max_size=8)
KEYS = st.lists(SEGMENT, min_size=1, max_size=schema_keys.MAX_DEPTH).map("/".join)


@PROPERTY
@given(name=st.text(max_size=200))
def test_any_name_gives_one_valid_segment(name: str) -> None:
    segment = schema_keys.slug(name)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", segment)
    assert len(segment) <= 60
    assert schema_keys.slug(segment) == segment
    assert schema_keys.slug(f"  {name.upper()}  ") == schema_keys.slug(name.upper())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Auth", "auth"),
        ("API & Auth", "api-auth"),
        ("  --Café_Übersicht!! ", "cafe-ubersicht"),
        ("v2.0 / beta", "v2-0-beta"),
        ("日本語", "untitled"),
        ("", "untitled"),
        ("---", "untitled"),
        ("x" * 59 + " yes", "x" * 59),
    ],
)
def test_slugs(name: str, expected: str) -> None:
    assert schema_keys.slug(name) == expected


@PROPERTY
@given(parent=KEYS, name=st.text(max_size=40))
def test_a_child_is_below_its_parent(parent: str, name: str) -> None:
    child = schema_keys.child(parent, name)
    assert schema_keys.parent(child) == parent
    assert child.rpartition("/")[2] == schema_keys.slug(name)
    assert schema_keys.is_valid(child) == (parent.count("/") + 2 <= schema_keys.MAX_DEPTH)
    assert schema_keys.parent(schema_keys.child(None, name)) == schema_keys.ROOT


@PROPERTY
@given(key=KEYS)
def test_ancestors_are_the_parents_one_after_another(key: str) -> None:
    ancestors = schema_keys.ancestors(key)
    walked: list[str] = []
    step = schema_keys.parent(key)
    while step is not None:
        walked.insert(0, step)
        step = schema_keys.parent(step)
    assert ancestors == walked
    assert len(ancestors) == key.count("/")
    assert all(schema_keys.is_valid(each) for each in (*ancestors, key))
    assert all(key.startswith(f"{each}/") for each in ancestors)


@PROPERTY
@given(text=st.text(alphabet="ab-/ A_.é\n0", max_size=20) | st.text(max_size=20))
def test_validity_matches_the_format(text: str) -> None:
    segments = text.split("/")
    expected = 1 <= len(segments) <= 8 and all(
        segment and set(segment) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for segment in segments
    )
    assert schema_keys.is_valid(text) == expected


def test_at_most_eight_segments() -> None:
    assert schema_keys.is_valid("/".join("abcdefgh"))
    assert not schema_keys.is_valid("/".join("abcdefghi"))
    assert schema_keys.parent("root") is None
    assert schema_keys.ancestors("root") == []
    assert schema_keys.ancestors("root/api/auth") == ["root", "root/api"]
