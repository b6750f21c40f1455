"""Codebase scans run by the server."""

from __future__ import annotations

from loremark.client.call import Call, path
from loremark.wire.genesis import ScanStatus


def get_signed_scan(project_id: str) -> Call[ScanStatus]:
    """Like ``get_scan``, with the project's secret."""
    url = path("/api/v2/genesis/status", projectId=project_id)
    return Call(method="GET", path=url, response_type=ScanStatus, signed_for=project_id)


def get_scan(project_id: str) -> Call[ScanStatus]:
    return Call(method="GET", path=path("/api/v2/scans", projectId=project_id), response_type=ScanStatus)
