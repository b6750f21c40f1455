"""The commands of a user: sign in on the command line, see who one is, projects."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cairn.client.client import Client

app = typer.Typer()
projects = typer.Typer(help="Projects on the server.", no_args_is_help=True)
app.add_typer(projects, name="projects")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _stop(message: str) -> typer.Exit:
    typer.echo(f"cairn: {message}", err=True)
    return typer.Exit(1)


@contextmanager
def _client() -> Iterator[Client]:
    """The client of the saved profile; refusals become one line."""
    from cairn.cli import profile
    from cairn.client.client import ApiError, Client

    found = profile.find()
    if found is None:
        raise _stop("not signed in; run: cairn login --url http://127.0.0.1:8000")
    try:
        with Client(found.url, found.key) as client:
            yield client
    except ApiError as error:
        raise _stop(str(error)) from None


@app.command()
def login(
    url: Annotated[str, typer.Option(help="The server's address.")] = "http://127.0.0.1:8000",
    key: Annotated[
        str | None, typer.Option(help="An API key; asked for (or read from standard input) if left out.")
    ] = None,
) -> None:
    """Remember a server and a key for the other commands."""
    from cairn.cli import profile
    from cairn.client.client import ApiError, Client

    given = key or (typer.prompt("API key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline().strip())
    try:
        with Client(url, given) as client:
            me = client.me()
    except ApiError as error:
        raise _stop(str(error)) from None
    path = profile.save(profile.Profile(url=url, key=given))
    typer.echo(f"Signed in to {url} as {me.name} ({me.role} of {me.team_name}). Saved in {path}.")


@app.command()
def whoami(as_json: AsJson = False) -> None:
    """Who the saved key acts as."""
    import msgspec

    with _client() as client:
        me = client.me()
    if as_json:
        typer.echo(msgspec.json.encode(me).decode())
    else:
        typer.echo(f"{me.name} <{me.email}>, {me.role} of {me.team_name} ({me.plan} plan)")


@projects.command("list")
def list_projects(as_json: AsJson = False) -> None:
    """The projects you may see."""
    import msgspec

    with _client() as client:
        found = client.list_projects()
    if as_json:
        typer.echo(msgspec.json.encode(found).decode())
        return
    for project in found:
        typer.echo(f"{project.id}  {project.status:<8}  {project.visibility:<7}  {project.name}")
    if not found:
        typer.echo("No projects yet. Make one: cairn projects create NAME")


@projects.command("create")
def create_project(
    name: Annotated[str, typer.Argument(help="The project's name.")],
    description: Annotated[str, typer.Option(help="What it is about.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a project."""
    import msgspec

    with _client() as client:
        made = client.create_project(name, description)
    typer.echo(msgspec.json.encode(made).decode() if as_json else f"{made.id}  {made.name}")
