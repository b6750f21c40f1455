"""Runs all layers: findings, tech stack, context tree and import graph."""

from __future__ import annotations

from loremark.memory.codebase.analysis.architecture import architecture_findings
from loremark.memory.codebase.analysis.context_tree import context_nodes
from loremark.memory.codebase.analysis.conventions import convention_findings
from loremark.memory.codebase.analysis.data_model import data_model_findings
from loremark.memory.codebase.analysis.dependencies import dependency_findings
from loremark.memory.codebase.analysis.entry_point_findings import entry_point_findings
from loremark.memory.codebase.analysis.graph_summary import summarize_graph
from loremark.memory.codebase.analysis.product import product_findings
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Codebase, CodebaseAnalysis, Finding

_MAX_FINDINGS = 60
_LAYERS = (
    product_findings,
    entry_point_findings,
    architecture_findings,
    data_model_findings,
    convention_findings,
    dependency_findings,
)


def analyze_codebase(codebase: Codebase) -> CodebaseAnalysis:
    """Analyzes a codebase; findings are sorted by importance and exclude security."""
    survey = Survey(codebase)
    found = [_checked(finding, survey.paths) for layer in _LAYERS for finding in layer(survey)]
    distinct: dict[tuple[str, str], Finding] = {}
    for finding in found:
        distinct.setdefault((finding.layer, finding.title), finding)
    ordered = sorted(distinct.values(), key=lambda finding: -finding.importance)[:_MAX_FINDINGS]
    return CodebaseAnalysis(tuple(ordered), survey.stack, context_nodes(survey, ordered), summarize_graph(survey))


def _checked(finding: Finding, paths: frozenset[str]) -> Finding:
    """A finding names only files that exist."""
    kept = tuple(path for path in finding.files if path in paths)
    return Finding(finding.layer, finding.title, finding.content, finding.importance, kept, finding.tags)
