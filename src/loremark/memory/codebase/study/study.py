"""All layers together: findings, the tech stack, and the tree of the codebase."""

from __future__ import annotations

from loremark.memory.codebase.records import Codebase, Finding, Study
from loremark.memory.codebase.study.architecture import architecture_findings
from loremark.memory.codebase.study.conventions import convention_findings
from loremark.memory.codebase.study.data_model import data_model_findings
from loremark.memory.codebase.study.dependencies import dependency_findings
from loremark.memory.codebase.study.picture import draw
from loremark.memory.codebase.study.product import product_findings
from loremark.memory.codebase.study.reaching import entry_point_findings
from loremark.memory.codebase.study.survey import Survey
from loremark.memory.codebase.study.tree import nodes

_MOST_FINDINGS = 60
_LAYERS = (
    product_findings,
    entry_point_findings,
    architecture_findings,
    data_model_findings,
    convention_findings,
    dependency_findings,
)


def study(codebase: Codebase) -> Study:
    """What a new colleague would want to know, apart from security: the most important first."""
    survey = Survey(codebase)
    found = [_checked(finding, survey.paths) for layer in _LAYERS for finding in layer(survey)]
    distinct: dict[tuple[str, str], Finding] = {}
    for finding in found:
        distinct.setdefault((finding.layer, finding.title), finding)
    ordered = sorted(distinct.values(), key=lambda finding: -finding.importance)[:_MOST_FINDINGS]
    return Study(tuple(ordered), survey.stack, nodes(survey, ordered), draw(survey))


def _checked(finding: Finding, paths: frozenset[str]) -> Finding:
    """A finding names only files that exist."""
    kept = tuple(path for path in finding.files if path in paths)
    return Finding(finding.layer, finding.title, finding.content, finding.importance, kept, finding.tags)
