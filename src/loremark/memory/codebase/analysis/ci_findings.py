"""Findings about CI pipelines and pre-commit hooks."""

from __future__ import annotations

import re

from loremark.memory.codebase.analysis.formatting import code, coded, counted, finding, joined, points, short
from loremark.memory.codebase.analysis.path_roles import path_role
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Finding

_TRIGGER = re.compile(r"^(?:push|pull_request|schedule|release|workflow_dispatch)$")
_BESIDES = re.compile(
    r"stale|label|lock|bot|winget|semantic|codeql|zizmor|triage|welcome|dependabot|issue", re.IGNORECASE
)


def ci_findings(survey: Survey) -> list[Finding]:
    return [one for one in (_pipelines(survey), _hooks(survey)) if one is not None]


def _pipelines(survey: Survey) -> Finding | None:
    rows: list[tuple[str, str, str]] = []
    for path, system in survey.with_sign("pipeline"):
        signs = survey.codebase.files[path].signs
        if not _BESIDES.search(f"{path} {signs.get('workflow', '')}"):
            rows.append((path, system, signs.get("runs", "")))
    if not rows:
        return None
    rows.sort(key=lambda row: (not row[2], row[0]))
    shown: list[str] = []
    for path, _, runs in rows:
        signs = survey.codebase.files[path].signs
        when = [word.replace("_", " ") for word in signs.get("triggers", "").split(", ") if _TRIGGER.match(word)]
        jobs = signs.get("jobs", "").split(", ")
        said = f"{code(path)} ({signs.get('workflow') or 'pipeline'}{', on ' + joined(when, 4) if when else ''})"
        if runs:
            said += f": {coded(runs.split(', '), 7)}"
        elif len(jobs) > 1:
            said += f": jobs {joined(jobs, 6)}"
        shown.append(short(said, 420))
    system = rows[0][1]
    steps = [step for _, _, runs in rows for step in runs.split(", ") if step]
    lead = f"{system[:1].upper()}{system[1:]} runs {counted(len(rows), 'pipeline')} for {survey.codebase.name}."
    checks = [step for step in dict.fromkeys(steps) if len(step) < 36 and not step.endswith("…")][:2]
    title = f"{system[:1].upper()}{system[1:]} runs {coded(checks, 2)}" if checks else f"CI pipelines run on {system}"
    return finding("conventions", title, [lead, *points(shown, 10)], 3, [path for path, _, _ in rows], ["ci"])


def _hooks(survey: Survey) -> Finding | None:
    rows = [(path, value) for path, value in survey.with_sign("hooks") if value]
    staged = [
        (path, facts.signs["tool:lint-staged"])
        for path, facts in sorted(survey.codebase.files.items())
        if "tool:lint-staged" in facts.signs and path_role(path) == "own"
    ]
    if not rows and not staged:
        return None
    if rows:
        path, value = rows[0]
        hooks = value.split(", ")
        content = [
            f"Before each commit, pre-commit runs {counted(len(hooks), 'hook')} from {code(path)}: "
            f"{coded(hooks, 14)}. Install them with `pre-commit install`."
        ]
        return finding("conventions", f"Pre-commit hooks: {coded(hooks[:3], 3)}", content, 3, [path], ["hooks"])
    path, value = staged[0]
    return finding(
        "conventions",
        "lint-staged checks files before each commit",
        [f"lint-staged ({code(path)}) runs {value}."],
        2,
        [path],
        ["hooks"],
    )
