"""Dependency findings: frameworks, libraries, versions, duplicates."""

from __future__ import annotations

import re
from collections import defaultdict

from loremark.memory.codebase.analysis.formatting import coded, counted, finding, joined, points
from loremark.memory.codebase.analysis.pinning import ECOSYSTEMS, direct, pinning_findings, versioned
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Dependency, Finding

_SAME_PURPOSE = {
    "HTTP clients": "requests httpx aiohttp urllib3 axios got node-fetch superagent ky undici "
    "reqwest ureq hyper faraday httparty guzzlehttp/guzzle",
    "state libraries": "redux @reduxjs/toolkit mobx zustand jotai recoil valtio pinia vuex xstate",
    "test runners": "jest vitest mocha ava jasmine karma tap pytest nose nose2 "
    "rspec minitest phpunit/phpunit pestphp/pest",
    "date libraries": "moment dayjs date-fns luxon arrow pendulum chrono time",
    "ORMs": "sqlalchemy peewee tortoise-orm pony prisma typeorm sequelize mikro-orm "
    "drizzle-orm knex diesel sea-orm sqlx gorm.io/gorm entgo.io/ent",
    "web frameworks": "express fastify koa @hapi/hapi hono @nestjs/core flask django fastapi "
    "starlette tornado bottle sanic actix-web axum rocket warp",
    "linters": "eslint tslint oxlint @biomejs/biome standard flake8 pylint ruff",
    "formatters": "prettier dprint black yapf autopep8",
    "bundlers": "webpack parcel vite @rspack/core",
    "styling libraries": "styled-components @emotion/react tailwindcss sass less bootstrap bulma @mui/material antd",
    "validation libraries": "zod yup joi ajv class-validator valibot pydantic marshmallow cerberus",
    "loggers": "winston pino bunyan log4js loguru structlog slog tracing log4j",
    "YAML libraries": "pyyaml ruamel.yaml js-yaml yaml",
    "JSON libraries": "orjson ujson simplejson newtonsoft.json gson com.google.code.gson:gson",
}
# What people name first when they say what a project is built with.
_PROMINENT = {
    name: place
    for place, name in enumerate(
        (
            *(
                "Ruby on Rails",
                "Django",
                "Laravel",
                "Symfony",
                "Spring Boot",
                "ASP.NET Core",
                "Next.js",
                "Nuxt",
                "SvelteKit",
            ),
            *("Remix", "NestJS", "Angular", "React", "Vue", "Svelte", "Solid", "Preact", "FastAPI", "Flask", "Express"),
            *(
                "Fastify",
                "Gin",
                "Echo",
                "Fiber",
                "Chi",
                "Actix Web",
                "Axum",
                "Rocket",
                "Phoenix",
                "Electron",
                "Flutter",
            ),
            *(
                "PostgreSQL",
                "MySQL",
                "MariaDB",
                "SQLite",
                "MongoDB",
                "SQL Server",
                "Redis",
                "Elasticsearch",
                "ClickHouse",
            ),
        )
    )
}
_PURPOSE_OF = {name: purpose for purpose, names in _SAME_PURPOSE.items() for name in names.split()}
# These are used side by side on purpose.
_USUAL_PAIRS = (
    {"vite", "esbuild"},
    {"vite", "rollup"},
    {"express", "@nestjs/core"},
    {"starlette", "fastapi"},
    {"urllib3", "requests"},
    {"prettier", "eslint"},
    {"esbuild", "rollup"},
)
_NEVER_DUPLICATE = frozenset(("styling libraries",))


def dependency_findings(survey: Survey) -> list[Finding]:
    found = [_stack(survey), *_libraries(survey), _doubles(survey)]
    return [*(one for one in found if one is not None), *pinning_findings(survey)]


def _stack(survey: Survey) -> Finding | None:
    by_category: defaultdict[str, list[str]] = defaultdict(list)
    stack = sorted(survey.stack, key=lambda tech: _PROMINENT.get(tech.name, len(_PROMINENT)))
    for tech in stack:
        by_category[tech.category].append(f"{tech.name} {tech.version}" if tech.version else tech.name)
    if not by_category:
        return None
    core = [tech for tech in stack if tech.category in ("framework", "backend", "database")]
    named = [tech for tech in core if tech.name in _PROMINENT] or core or stack
    head = [f"{tech.name} {tech.version}" if tech.version else tech.name for tech in named[:6]]
    lead = f"{survey.codebase.name} is built with {joined(head, 6)}."
    order = ("language", "framework", "backend", "database", "styling", "testing", "tooling")
    shown = [
        f"{category.capitalize()}: {joined(by_category[category], 14)}" for category in order if by_category[category]
    ]
    title = f"Built with {joined([tech.name for tech in named[:4]], 4)}"
    manifests = [path for path, facts in survey.manifests if facts.dependencies][:10]
    return finding("dependencies", title, [lead, *points(shown)], 4, manifests, ["stack"])


def _libraries(survey: Survey) -> list[Finding]:
    found: list[Finding] = []
    for ecosystem, rows in direct(survey).items():
        if ecosystem == "docker" or len(rows) < 2:
            continue
        runtime = [row for row in rows if not row.is_dev]
        development = [row for row in rows if row.is_dev]
        name = ECOSYSTEMS.get(ecosystem, ecosystem)
        lead = (
            f"{survey.codebase.name} uses {counted(len(runtime), f'{name} package')} at runtime"
            f"{f' and {len(development)} more for development' if development else ''}."
        )
        content = [lead]
        if runtime:
            content += ["", f"Runtime: {joined([versioned(row) for row in runtime], 40)}."]
        if development:
            content += ["", f"Development: {joined([versioned(row) for row in development], 24)}."]
        files = [
            path
            for path, facts in survey.manifests
            if any(row.ecosystem == ecosystem and row.is_direct for row in facts.dependencies)
        ]
        leading = _leading(survey, runtime or rows)
        others = ["others"] if len(rows) > len(leading) else []
        title = f"{name[:1].upper()}{name[1:]} packages: {joined([*leading, *others], 5)}"
        importance = 3 if len(rows) < 120 else 4
        found.append(finding("dependencies", title, content, importance, files, ["packages", ecosystem]))
    return found[:5]


def _leading(survey: Survey, rows: list[Dependency]) -> list[str]:
    """The most relevant packages: those of the tech stack first, the rest in listed order."""
    weight = {"framework": 0, "backend": 1, "database": 1, "styling": 2}
    known = {tech.name.lower(): weight.get(tech.category, 3) for tech in survey.stack}
    order = sorted(range(len(rows)), key=lambda place: (known.get(rows[place].name.lower(), 4), place))
    return [_short_name(rows[place].name) for place in order[:4]]


def _short_name(name: str) -> str:
    """The short name of a Go module (last part, without version) or a Java artifact."""
    if ":" in name:
        return name.rpartition(":")[2]
    parts = [part for part in name.split("/") if not re.fullmatch(r"v\d{1,3}", part)] or [name]
    return parts[-1] if "." in parts[0] and len(parts) > 1 else name


def _doubles(survey: Survey) -> Finding | None:
    by_purpose: defaultdict[str, list[str]] = defaultdict(list)
    own = {facts.signs.get("name") for _, facts in survey.manifests}
    for rows in direct(survey).values():
        for row in rows:
            purpose = _PURPOSE_OF.get(row.name.lower()) if row.name not in own else None
            if purpose is not None and row.ecosystem != "docker":
                by_purpose[f"{purpose} ({ECOSYSTEMS.get(row.ecosystem, row.ecosystem)})"].append(row.name)
    twice = {
        purpose: names
        for purpose, names in sorted(by_purpose.items())
        if len(names) > 1
        and not any(set(names) <= pair for pair in _USUAL_PAIRS)
        and purpose.split(" (")[0] not in _NEVER_DUPLICATE
    }
    if not twice:
        return None
    lead = (
        f"{survey.codebase.name} depends on more than one library for the same "
        f"purpose. Check which one new code should use."
    )
    shown = [f"{purpose}: {coded(sorted(names))}" for purpose, names in twice.items()]
    first = next(iter(twice.values()))
    manifests = [path for path, facts in survey.manifests if facts.dependencies][:10]
    return finding(
        "dependencies",
        f"Overlapping libraries: {joined(sorted(first), 3)}",
        [lead, *points(shown)],
        2,
        manifests,
        ["duplicates"],
    )
