"""``loremark billing``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import actions

if TYPE_CHECKING:
    from loremark.wire.billing import Counter

SUMMARY = "What is used of the plan, and the credits."
EXAMPLE = "loremark billing usage"

_UNBOUNDED = 2**53 - 1
_NEARLY = 0.8
_STEP = 1024


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    verbs = actions(parser, "usage")
    usage = verbs.add("usage", "The plan, and what of it is used this month.", _usage, EXAMPLE)
    credits = verbs.add("credits", "The balance, and when credits are bought.", _credits, "loremark billing credits")
    told = verbs.add(
        "transactions",
        "Credits bought and used, newest first.",
        _transactions,
        "loremark billing transactions --take 5",
    )
    told.add_argument("--take", type=_count, default=20, metavar="N", help="how many at most")
    for verb in (usage, credits, told):
        add_json(verb)


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text[:6]) <= 1_000 or len(text) > 4:
        raise argparse.ArgumentTypeError("must be between 1 and 1000")
    return int(text)


def _usage(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.billing import get_usage

    with open_client() as client:
        told = client.send(get_usage())
    if arguments.json:
        page.write_json(told)
        return 0
    subscription = told.subscription
    paid = (
        "" if subscription.status == "none" else f", {subscription.status}, {page.counted(subscription.seats, 'seat')}"
    )
    page.write(page.plain(f"{told.plan} plan{paid}; {told.period.start[:10]} to {told.period.end[:10]}"))
    for name in ("sessions", "events", "enrichments", "storage"):
        page.write(_meter(name, getattr(told.usage, name)))
    return 0


def _meter(name: str, counter: Counter) -> str:
    from loremark.cli import page

    words = _size if name == "storage" else _number
    if counter.limit >= _UNBOUNDED:
        return f"  {name:<12} {words(counter.used)}"
    share = counter.used / counter.limit if counter.limit else 1.0
    colour = "red" if share >= 1 else "yellow" if share >= _NEARLY else "green"
    drawn = page.styled(page.bar(counter.used, counter.limit), colour)
    return f"  {name:<12} {drawn}  {words(counter.used)} of {words(counter.limit)} ({share:.0%})"


def _number(count: int) -> str:
    return f"{count:,}"


def _size(count: int) -> str:
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < _STEP:
            break
        size, unit = size / _STEP, larger
    return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"


def _credits(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.billing import get_credits

    with open_client() as client:
        told = client.send(get_credits())
    if arguments.json:
        page.write_json({"balance": told.balance, "autoRecharge": told.auto_recharge})
        return 0
    page.write(f"balance        {_number(told.balance)} credits")
    how = told.auto_recharge
    if how.enabled:
        page.write(
            page.plain(
                f"auto-recharge  {how.pack_id} below {_number(how.threshold or 0)} credits, "
                f"at most {how.spending_limit / 100:.2f} a month"
            )
        )
    else:
        page.write("auto-recharge  off")
    return 0


def _transactions(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.billing import get_credits

    with open_client() as client:
        told = client.send(get_credits()).transactions[: arguments.take]
    if arguments.json:
        page.write_json(told)
        return 0
    rows = [
        (
            entry.created_at[:16],
            entry.type,
            f"{entry.amount:+,}",
            entry.description if isinstance(entry.description, str) else "",
        )
        for entry in told
    ]
    page.table(rows, ("when", "what", "credits", "for"))
    if not told:
        page.note("no credits were bought or used yet")
    return 0
