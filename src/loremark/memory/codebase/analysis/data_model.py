"""Data model findings: models, tables, schemas, migrations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from loremark.memory.codebase.analysis.formatting import about, code, coded, counted, finding, joined, points, short
from loremark.memory.codebase.analysis.path_roles import directory_of, path_role
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Finding, Model
from loremark.memory.codebase.selection.file_kinds import is_migration

Row = tuple[str, Model]
_DIGITS = re.compile(r"\d{1,18}")
_TOOLS = (
    (re.compile(r"/migrations/\d{4}_[^/]+\.py$"), "Django"),
    (re.compile(r"/versions/[^/]+\.py$"), "Alembic"),
    (re.compile(r"(?:^|/)db/migrate/\d+_[^/]+\.rb$"), "Rails"),
    (re.compile(r"/migrations/\d{4}_\d{2}_\d{2}_[^/]+\.php$"), "Laravel"),
    (re.compile(r"/migration\.sql$"), "Prisma"),
    (re.compile(r"/V\d[^/]*__[^/]+\.(?:sql|java)$"), "Flyway"),
    (re.compile(r"/\d{14}_[^/]+\.cs$"), "Entity Framework"),
    (re.compile(r"/up\.sql$"), "Diesel"),
)
_MIN = 1


def data_model_findings(survey: Survey) -> list[Finding]:
    rows = [row for row in survey.models() if row[1].kind != "migration"]
    found = [*_stored(survey, rows), *_tables(survey, rows), *_schemas(survey, rows), _migrations(survey)]
    return [one for one in found if one is not None]


def ranked(rows: list[Row]) -> list[Row]:
    """Models sorted by relations; being referenced counts twice as much as referencing."""
    named = Counter(target for _, model in rows for target in model.refers_to if target != model.name)
    return sorted(
        rows,
        key=lambda row: (-2 * named[row[1].name] - len(row[1].refers_to), -len(row[1].fields), row[1].name, row[0]),
    )


def _stored(survey: Survey, rows: list[Row]) -> list[Finding]:
    """Findings for stored models, overall and by area."""
    stored = ranked(_distinct([row for row in rows if row[1].kind == "orm" and not is_migration(row[0])]))
    if not stored:
        return []
    named = Counter(target for _, model in stored for target in set(model.refers_to) if target != model.name)
    areas: defaultdict[str, list[Row]] = defaultdict(list)
    for row in stored:
        areas[directory_of(row[0])].append(row)
    centre = [model.name for _, model in stored[:3]]
    lead = (
        f"{survey.codebase.name} stores its data in {counted(len(stored), 'model')}; "
        f"the central {'ones are' if len(centre) > 1 else 'one is'} {coded(centre, 3)}."
    )
    shown = [_described(row, named) for row in stored]
    files = [path for path, _ in stored]
    title = f"Data model centered on {joined(sorted(centre), 3)}"
    found = [finding("dataModel", title, [lead, *points(shown)], 5, files, ["models"])]
    if len(areas) > 1 and len(stored) > 12:
        largest = sorted(areas, key=lambda area: (-len(areas[area]), area))[:6]
        found += [
            _area(area, areas[area], named)
            for area in largest
            if len(areas[area]) > 2 and len(areas[area]) < len(stored)
        ]
    return found


def _distinct(rows: list[Row]) -> list[Row]:
    """Drops bare mentions of a model that has fields elsewhere, such as in a database context."""
    with_fields = {model.name for _, model in rows if model.fields}
    return [row for row in rows if row[1].fields or row[1].refers_to or row[1].name not in with_fields]


def _described(row: Row, named: Counter[str]) -> str:
    path, model = row
    said = f"{code(model.name)} in {code(path)}"
    if model.fields:
        said += f": {joined(model.fields, 7)}"
    others = [name for name in dict.fromkeys(model.refers_to) if name != model.name]
    if others:
        said += f"; refers to {coded(others, 5)}"
    if named[model.name] > 1:
        said += f"; {named[model.name]} models refer to it"
    return short(said, 360)


def _area(area: str, rows: list[Row], named: Counter[str]) -> Finding:
    names = [model.name for _, model in rows]
    lead = f"{code(area)} contains {counted(len(rows), 'model')}: {coded(names, 10)}."
    shown = [_described(row, named) for row in rows]
    return finding(
        "dataModel",
        f"Models in {code(area)}: {joined(sorted(names[:4]), 4)}",
        [lead, *points(shown, 10)],
        3,
        [path for path, _ in rows],
        ["models"],
    )


def _tables(survey: Survey, rows: list[Row]) -> list[Finding]:
    tables = ranked([row for row in rows if row[1].kind == "table"])
    declared = [row for row in tables if not is_migration(row[0])]
    tables = declared if 2 * len(declared) > len(tables) else tables
    if len(tables) < _MIN:
        return []
    files = Counter(path for path, _ in tables)
    main = min(files, key=lambda path: (-files[path], path))
    named = Counter(target for _, model in tables for target in set(model.refers_to))
    lead = (
        f"The database schema of {survey.codebase.name} has "
        f"{counted(len({model.name for _, model in tables}), 'table')}, most of them in {code(main)}."
    )
    seen: dict[str, Row] = {}
    for row in tables:
        seen.setdefault(row[1].name, row)
    shown = [_described(row, named) for row in seen.values()]
    title = f"Database tables are declared in {code(main)}"
    return [
        finding(
            "dataModel",
            title,
            [lead, *points(shown)],
            4,
            sorted(files, key=lambda path: (-files[path], path)),
            ["tables"],
        )
    ]


def _schemas(survey: Survey, rows: list[Row]) -> list[Finding]:
    found: list[Finding] = []
    for kind in ("message", "schema"):
        some = ranked([row for row in rows if row[1].kind == kind])
        if len(some) < 2:
            continue
        files = Counter(path for path, _ in some)
        main = min(files, key=lambda path: (-files[path], path))
        words = _schema_words(main, kind)
        names = [model.name for _, model in some]
        lead = (
            f"{survey.codebase.name} declares {counted(len(some), *words)} in "
            f"{counted(len(files), 'file')}, most in {code(main)}: {coded(names, 8)}."
        )
        shown = [_described(row, Counter()) for row in some]
        title = f"{words[1][:1].upper()}{words[1][1:]}: {about(len(some))}, mostly in {code(main)}"
        found.append(
            finding(
                "dataModel",
                title,
                [lead, *points(shown, 10)],
                3,
                sorted(files, key=lambda path: (-files[path], path)),
                ["schemas"],
            )
        )
    return found


def _schema_words(path: str, kind: str) -> tuple[str, str]:
    if path.endswith(".proto"):
        return "Protocol Buffers message", "Protocol Buffers messages"
    if path.endswith((".graphql", ".gql", ".graphqls")):
        return "GraphQL type", "GraphQL types"
    return ("message type", "message types") if kind == "message" else ("schema type", "schema types")


def _migrations(survey: Survey) -> Finding | None:
    known = {path for path, model in survey.models() if model.kind == "migration"}
    paths = sorted(path for path in survey.paths if (path in known or is_migration(path)) and path_role(path) == "own")
    paths = [
        path
        for path in paths
        if not path.endswith(("__init__.py", ".md", ".snap", ".Designer.cs", "/down.sql", ".toml"))
    ]
    if len(paths) < 2:
        return None
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        folders[_folder(path)].append(path)
    for folder in folders.values():
        folder.sort(key=_step)
    order = sorted(folders, key=lambda folder: ("old" in folder, -len(folders[folder]), folder))
    tool = next((name for pattern, name in _TOOLS if pattern.search(f"/{folders[order[0]][-1]}")), "")
    lead = (
        f"{tool} migrations manage the database schema: "
        f"{counted(len(paths), 'migration')} in {coded(order, 4)}. "
        f"Every model change needs a new migration."
        if tool
        else f"The database schema is managed by {counted(len(paths), 'migration')} in {coded(order, 4)}."
    )
    shown = [
        f"{code(folder)}: {len(folders[folder])}, newest {code(folders[folder][-1].removeprefix(folder + '/'))}"
        for folder in order
    ]
    title = f"{tool + ' m' if tool else 'M'}igrations in {code(order[0])}"
    newest = [folders[folder][-1] for folder in order]
    return finding("dataModel", title, [lead, *points(shown, 10)], 4, newest, ["migrations"])


def _folder(path: str) -> str:
    above = directory_of(path)
    return directory_of(above) if path.endswith(("/migration.sql", "/up.sql", "/down.sql")) else above


def _step(path: str) -> tuple[int, str]:
    """Migrations sorted by the first number in their name, not alphabetically."""
    name = path.rsplit("/", 2)[-2] if path.endswith(("/migration.sql", "/up.sql")) else path.rpartition("/")[2]
    found = _DIGITS.search(name)
    return int(found.group()) if found else -1, path
