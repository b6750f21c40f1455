"""The models the server uses."""

from __future__ import annotations

from loremark.client.call import Call, body
from loremark.wire.models import ModelEntry, ModelPurpose, ModelTestResult


def list_models() -> Call[list[ModelEntry]]:
    return Call(method="GET", path="/api/models", response_type=list[ModelEntry])


def run_model_test(purpose: ModelPurpose) -> Call[ModelTestResult]:
    return Call(method="POST", path="/api/models/test", response_type=ModelTestResult, body=body(purpose=purpose))
