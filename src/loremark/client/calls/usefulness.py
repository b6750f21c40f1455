"""What agents made of the memory they were given."""

from __future__ import annotations

from loremark.client.call import Call, path
from loremark.wire.usefulness import ItemUsage, Usefulness


def get_usefulness(project_id: str, *, days: int | None = None) -> Call[Usefulness]:
    return Call(
        method="GET", path=path("/api/v2/usefulness", projectId=project_id, days=days), response_type=Usefulness
    )


def get_item_usage(item_id: str) -> Call[ItemUsage]:
    return Call(method="GET", path=path("/api/v2/items/{}/usage", item_id), response_type=ItemUsage)
