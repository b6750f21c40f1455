"""Opens the embedding and language models named in the settings. Models load on first use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from loremark.base.settings import Settings, SettingsError
from loremark.ports.embeddings import embedder
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.llm.model import LanguageModel, open_model
from loremark.ports.reader.builtin import BuiltinReader
from loremark.ports.reader.reader import Reader


@dataclass(frozen=True)
class Engines:
    """The models of a process."""

    embedders: Embedders
    reader: Reader
    models: dict[str, LanguageModel]

    @property
    def embedder(self) -> Embedder:
        return self.embedders.current


@asynccontextmanager
async def open_engines(settings: Settings) -> AsyncIterator[Engines]:
    """The models, closed at the end of the block."""
    embedder, reader, models = open_embedder(settings), open_reader(settings), open_models(settings)
    embedders = Embedders(embedder, cache_dir=settings.cache_dir / "models")
    try:
        yield Engines(embedders, reader, models)
    finally:
        await embedders.close()
        await embedder.close()
        await reader.close()
        for model in models.values():
            await model.close()


def open_embedder(settings: Settings) -> Embedder:
    try:
        return embedder.open_embedder(
            settings.embeddings,
            base_url=settings.llm_base_url or None,
            api_key=settings.llm_api_key or None,
            cache_dir=settings.cache_dir / "models",
        )
    except ValueError as error:
        raise SettingsError(str(error)) from None


def open_reader(settings: Settings) -> Reader:
    return BuiltinReader(cache_dir=settings.cache_dir / "models")


def open_models(settings: Settings) -> dict[str, LanguageModel]:
    """The language models of all tiers, each opened once."""
    models: dict[str, LanguageModel] = {}
    for variable, spec in (("LOREMARK_LLM_SMALL", settings.llm_small), ("LOREMARK_LLM_MEDIUM", settings.llm_medium)):
        try:
            model = open_model(
                spec,
                base_url=settings.llm_base_url or None,
                api_key=settings.llm_api_key or None,
                timeout_s=settings.llm_timeout_s,
            )
        except ValueError as error:
            raise SettingsError(f"{variable}: {error}") from None
        if model is not None and spec not in models:
            models[spec] = model
    return models
