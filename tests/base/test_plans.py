"""The plan table and the file an operator can override it with."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremark.base.plans import PLANS, UNBOUNDED, PlansError, load_plans

ROW = """
ai_tokens = 1
projects = 2
sessions = 3
events = 4
enrichments = 5
storage_bytes = 6
price_cents = 7
"""


def _plans_file(folder: Path, content: str) -> str:
    path = folder / "plans.toml"
    path.write_text(content, encoding="utf-8")
    return str(path)


def test_plans_match_the_pricing_page() -> None:
    mib, gib = 1024**2, 1024**3
    figures = {
        plan.id: (
            plan.ai_tokens,
            plan.projects,
            plan.sessions,
            plan.events,
            plan.enrichments,
            plan.storage_bytes,
            plan.price_cents,
            plan.per_seat,
        )
        for plan in PLANS.values()
    }
    assert figures == {
        "free": (50_000, 1, 100, 5_000, 50, 100 * mib, 0, False),
        "personal": (1_000_000, 20, 1_000, 50_000, 500, gib, 900, False),
        "team": (5_000_000, 50, 10_000, 1_000_000, 5_000, 50 * gib, 1_500, True),
        "business": (20_000_000, 200, 100_000, 10_000_000, 50_000, 500 * gib, 2_900, True),
        "enterprise": (*[2**53 - 1] * 6, 0, False),
    }
    assert UNBOUNDED == 2**53 - 1


def test_file_overrides_and_adds_plans(tmp_path: Path) -> None:
    plans = load_plans("team", _plans_file(tmp_path, f"[plan.team]{ROW}per_seat = true\n[plan.club]{ROW}"))
    assert (plans.get("team").projects, plans.get("team").per_seat) == (2, True)
    assert (plans.get("club").id, plans.get("club").storage_bytes) == ("club", 6)
    assert plans.get("free") == PLANS["free"]
    assert PLANS["team"].projects == 50, "the built-in table is not modified"


def test_unknown_plan_falls_back_to_the_default() -> None:
    assert load_plans("personal").get("long gone").id == "personal"


def test_unknown_default_plan_is_an_error() -> None:
    with pytest.raises(PlansError, match=r"^LOREMARK_DEFAULT_PLAN names an unknown plan: 'gold'$"):
        load_plans("gold")


def test_default_plan_may_come_from_the_file(tmp_path: Path) -> None:
    assert load_plans("club", _plans_file(tmp_path, f"[plan.club]{ROW}")).get("whatever").id == "club"


@pytest.mark.parametrize(
    "content",
    [
        "not toml",
        "",
        "plan = 5",
        "[plan.team]\nprojects = 2",
        f"[plan.team]{ROW}colour = 'red'",
        "[plan.team]" + ROW.replace("= 1", "= 'many'"),
        f"[plan.team]{ROW}id = 'another'",
        "[plan.team]" + ROW.replace("= 2", "= -2"),
        "plan = { team = 5 }",
    ],
    ids=["not-toml", "empty", "no-table", "missing", "unknown", "text", "renamed", "negative", "row-is-a-number"],
)
def test_invalid_file_gives_a_one_line_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(PlansError, match=r"^LOREMARK_PLANS_FILE cannot be used: .+$") as caught:
        load_plans("team", _plans_file(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PlansError, match=r"^LOREMARK_PLANS_FILE cannot be used: "):
        load_plans("team", str(tmp_path / "missing.toml"))


def test_binary_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "plans.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PlansError, match=r"^LOREMARK_PLANS_FILE cannot be used: "):
        load_plans("team", str(path))
