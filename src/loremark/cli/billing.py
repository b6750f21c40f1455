"""``loremark billing``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import add_subcommands

if TYPE_CHECKING:
    from loremark.wire.billing import Counter

SUMMARY = "Show plan usage and credits."
EXAMPLE = "loremark billing usage"

_UNLIMITED = 2**53 - 1
_WARNING_SHARE = 0.8
_STEP = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "usage")
    usage = commands.add("usage", "Show the plan and this month's usage.", _usage, EXAMPLE)
    credits = commands.add(
        "credits", "Show the credit balance and auto-recharge settings.", _credits, "loremark billing credits"
    )
    transactions = commands.add(
        "transactions",
        "List credit transactions, newest first.",
        _transactions,
        "loremark billing transactions --limit 5",
    )
    transactions.add_argument(
        "--limit", type=_count, default=20, metavar="N", help="maximum number of transactions (default: 20)"
    )
    for command in (usage, credits, transactions):
        add_json(command)


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text[:6]) <= 1_000 or len(text) > 4:
        raise argparse.ArgumentTypeError("must be between 1 and 1000")
    return int(text)


def _usage(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.billing import get_usage

    with open_client() as client:
        data = client.send(get_usage())
    if arguments.json:
        output.write_json(data)
        return 0
    subscription = data.subscription
    paid = (
        ""
        if subscription.status == "none"
        else f", {subscription.status}, {output.pluralize(subscription.seats, 'seat')}"
    )
    output.write(output.plain(f"{data.plan} plan{paid}; {data.period.start[:10]} to {data.period.end[:10]}"))
    for name in ("sessions", "events", "enrichments", "storage"):
        output.write(_meter(name, getattr(data.usage, name)))
    return 0


def _meter(name: str, counter: Counter) -> str:
    from loremark.cli import output

    format_count = _size if name == "storage" else _number
    if counter.limit >= _UNLIMITED:
        return f"  {name:<12} {format_count(counter.used)}"
    share = counter.used / counter.limit if counter.limit else 1.0
    color = "red" if share >= 1 else "yellow" if share >= _WARNING_SHARE else "green"
    bar = output.styled(output.bar(counter.used, counter.limit), color)
    return f"  {name:<12} {bar}  {format_count(counter.used)} of {format_count(counter.limit)} ({share:.0%})"


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
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.billing import get_credits

    with open_client() as client:
        data = client.send(get_credits())
    if arguments.json:
        output.write_json({"balance": data.balance, "autoRecharge": data.auto_recharge})
        return 0
    output.write(f"balance        {_number(data.balance)} tokens")
    recharge = data.auto_recharge
    if recharge.enabled:
        output.write(
            output.plain(
                f"auto-recharge  buys {recharge.pack_id} below {_number(recharge.threshold or 0)} tokens, "
                f"at most {recharge.spending_limit / 100:.2f} EUR per billing period"
            )
        )
    else:
        output.write("auto-recharge  off")
    return 0


def _transactions(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.billing import get_credits

    with open_client() as client:
        data = client.send(get_credits()).transactions[: arguments.limit]
    if arguments.json:
        output.write_json(data)
        return 0
    rows = [
        (
            entry.created_at[:16],
            entry.type,
            f"{entry.amount:+,}",
            entry.description if isinstance(entry.description, str) else "",
        )
        for entry in data
    ]
    output.table(rows, ("date", "type", "tokens", "description"))
    if not data:
        output.note("No credits have been bought or used yet. Buy credits in the dashboard.")
    return 0
