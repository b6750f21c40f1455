"""mem0 in its own process: requests and responses are lines of JSON on standard input and output.

It runs in mem0's environment, which does not contain our code. No model runs: texts are stored as they are
(``infer=False``), and the embedder only looks up given vectors.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

_USER = "bench"


class LookupEmbedder:
    """An embedder that looks up known vectors."""

    def __init__(self) -> None:
        self._vectors: dict[str, list[float]] = {}

    def learn(self, texts: list[str], packed: str, dimensions: int) -> None:
        rows: Any = memoryview(base64.b64decode(packed)).cast("f", (len(texts), dimensions)).tolist()
        self._vectors.update(zip((text.strip() for text in texts), rows, strict=True))

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._vectors[text.strip()]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


class Child:
    """Each project has its own store on disk."""

    def __init__(self) -> None:
        self._memory: Any = None
        self._known = LookupEmbedder()

    def open(self, folder: str, dimensions: int) -> None:
        self.close()
        Path(folder).mkdir()
        store = {"collection_name": "bench", "embedding_model_dims": dimensions, "path": folder, "on_disk": True}
        unused = {"provider": "openai", "config": {"api_key": "nobody is asked"}}
        self._memory = importlib.import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": unused,
                "llm": unused,
                "history_db_path": str(Path(folder) / "history.db"),
            }
        )
        self._known = LookupEmbedder()
        self._memory.embedding_model = self._known

    def learn(self, texts: list[str], vectors: str, dimensions: int) -> None:
        self._known.learn(texts, vectors, dimensions)

    def add(self, documents: list[dict[str, Any]]) -> None:
        for document in documents:
            metadata = {name: value for name, value in document.items() if name != "text" and value is not None}
            self._memory.add(document["text"], user_id=_USER, metadata=metadata, infer=False)

    def search(self, question: str, limit: int) -> list[int]:
        """Without mem0's own threshold, which would cut results that other systems may return."""
        found = self._memory.search(question, top_k=limit, filters={"user_id": _USER}, threshold=0.0)
        return [one["metadata"]["place"] for one in found["results"]]

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory.vector_store.client.close()


def main() -> None:
    """Answer requests; anything mem0 prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    child = Child()
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(child, request.pop("do"))(**request)
        answers.write(json.dumps({"answer": answer}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
