"""Genesis: codebase scans and their findings."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from loremark.base import limits
from loremark.wire.shapes import VISIBLE_TEXT, AnyId, Shape

ScanPhase = Literal[
    "fetch_tree",
    "fetch_files",
    "build_chunks",
    "analyze",
    "synthesize",
    "security_audit",
    "assemble",
    "complete",
    "failed",
    "cancelled",
]
FindingLayer = Literal["product", "architecture", "dependencies", "conventions", "dataModel", "entryPoints", "security"]
TechCategory = Literal["framework", "language", "styling", "backend", "database", "testing", "tooling"]

LAYERS: tuple[FindingLayer, ...] = (
    "product",
    "architecture",
    "dependencies",
    "conventions",
    "dataModel",
    "entryPoints",
    "security",
)


# A whole number. It is a float because JSON does not distinguish 500 from 500.0.
FileCount = Annotated[float, Meta(ge=1, le=limits.SCAN_FILES, multiple_of=1)]


class NewScan(Shape):
    project_id: AnyId
    branch: Annotated[str, Meta(min_length=1, max_length=limits.BRANCH_CHARS, pattern=VISIBLE_TEXT)] = "main"
    max_files: FileCount = limits.SCAN_FILES_DEFAULT
    selective: bool = False


class ScanStarted(Shape):
    scan_id: str
    status: ScanPhase


class CancelScan(Shape):
    """The project whose scan to cancel."""

    project_id: AnyId


class ScanCancelled(Shape):
    scan_id: str
    status: ScanPhase
    findings_preserved: int


class Scan(Shape):
    id: str
    phase: ScanPhase
    progress: float
    files_total: int
    files_processed: int
    chunks_total: int
    chunks_processed: int
    findings_count: int
    tech_stack: list[str]
    error: str | None
    started_at: str
    completed_at: str | None


class ScanStatus(Shape):
    """The latest scan, or null if there is none."""

    scan: Scan | None


class Finding(Shape):
    id: str
    layer: FindingLayer
    title: str
    content: str
    importance: int
    files: list[str]
    tags: list[str]
    created_at: str


class TechEntry(Shape):
    name: str
    version: str | None
    category: TechCategory


class ScanSummary(Shape):
    total_findings: int
    by_layer: dict[FindingLayer, int]
    scan_duration: float
    files_analyzed: int
    chunks_analyzed: int


class ScanResults(Shape):
    """Findings of the latest scan; partial while it is running."""

    findings: list[Finding]
    tech_stack: list[TechEntry]
    summary: ScanSummary


class GraphModule(Shape):
    """A file, or a directory (ending in ``/``) in languages that import directories. Counts cover all modules."""

    path: str
    language: str | None
    lines: int
    imports: int
    imported_by: int


class ScanGraph(Shape):
    """The import graph: the most connected modules, most imported first, and the imports between them."""

    modules: list[GraphModule]
    edges: list[tuple[int, int]]
    """Pairs of indexes into ``modules``: importer, imported."""
    remaining: int
    """Number of connected modules not listed."""
