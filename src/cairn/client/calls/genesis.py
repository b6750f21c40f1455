"""Scans of a codebase by the server."""

from __future__ import annotations

from cairn.client.call import Call, body, path
from cairn.wire.genesis import ScanCancelled, ScanResults, ScanStarted, ScanStatus


def start_scan(
    project_id: str, branch: str | None = None, max_files: int | None = None, selective: bool | None = None
) -> Call[ScanStarted]:
    sent = body(projectId=project_id, branch=branch, maxFiles=max_files, selective=selective)
    return Call(method="POST", path="/api/v2/genesis/start", answer=ScanStarted, body=sent, signed_for=project_id)


def get_scan(project_id: str) -> Call[ScanStatus]:
    asked = path("/api/v2/genesis/status", projectId=project_id)
    return Call(method="GET", path=asked, answer=ScanStatus, signed_for=project_id)


def get_results(project_id: str) -> Call[ScanResults]:
    asked = path("/api/v2/genesis/results", projectId=project_id)
    return Call(method="GET", path=asked, answer=ScanResults, signed_for=project_id)


def cancel_scan(project_id: str) -> Call[ScanCancelled]:
    sent = body(projectId=project_id)
    return Call(method="POST", path="/api/v2/genesis/cancel", answer=ScanCancelled, body=sent, signed_for=project_id)
