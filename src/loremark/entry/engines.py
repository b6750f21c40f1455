"""Opens the embedding and language models named in the settings. Models load on first use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from loremark.base.settings import Settings, SettingsError
from loremark.features.models.service import ModelDirectory
from loremark.ports.embeddings import embedder
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.llm.model import LanguageModel
from loremark.ports.llm.providers import open_model
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


def list_models(settings: Settings, engines: Engines, *, shows_servers: bool = True) -> ModelDirectory:
    """The models of a process by purpose."""
    return ModelDirectory(
        {"medium": settings.llm_medium, "small": settings.llm_small},
        engines.models,
        engines.embedder,
        engines.reader,
        shows_servers=shows_servers,
    )


def open_embedder(settings: Settings) -> Embedder:
    used = _embeddings(settings)
    try:
        return embedder.open_embedder(
            used.spec,
            base_url=used.base_url,
            api_key=used.api_key,
            ca_file=settings.ca_file,
            cache_dir=settings.cache_dir / "models",
        )
    except ValueError as error:
        raise SettingsError(f"{used.variable}: {error}") from None


def open_reader(settings: Settings) -> Reader:
    return BuiltinReader(cache_dir=settings.cache_dir / "models")


def open_models(settings: Settings) -> dict[str, LanguageModel]:
    """The language models of all tiers, each opened once."""
    small, medium = _tiers(settings)
    _check_keys(small, medium, _embeddings(settings))
    if small.spec == medium.spec != "builtin" and small.server != medium.server:
        raise SettingsError(
            f"{small.variable} and {medium.variable} name the same model on different servers; "
            "use different model names, or one server for both"
        )
    models: dict[str, LanguageModel] = {}
    for tier in (small, medium):
        try:
            model = open_model(
                tier.spec,
                base_url=tier.base_url,
                api_key=tier.api_key,
                timeout_s=settings.llm_timeout_s,
                ca_file=settings.ca_file,
            )
        except ValueError as error:
            raise SettingsError(f"{tier.variable}: {error}") from None
        if model is not None and tier.spec not in models:
            models[tier.spec] = model
    return models


@dataclass(frozen=True)
class _ModelSettings:
    """A model and the server to use for it."""

    variable: str
    spec: str
    server: tuple[str, str]

    @property
    def base_url(self) -> str:
        return self.server[0]

    @property
    def api_key(self) -> str:
        return self.server[1]


def _tiers(settings: Settings) -> tuple[_ModelSettings, _ModelSettings]:
    shared = (settings.llm_base_url, settings.llm_api_key)
    own = (settings.llm_small_base_url, settings.llm_small_api_key)
    return (
        _ModelSettings("LOREMARK_LLM_SMALL", settings.llm_small, own if any(own) else shared),
        _ModelSettings("LOREMARK_LLM_MEDIUM", settings.llm_medium, shared),
    )


def _embeddings(settings: Settings) -> _ModelSettings:
    shared = (settings.llm_base_url, settings.llm_api_key)
    own = (settings.embeddings_base_url, settings.embeddings_api_key)
    return _ModelSettings("LOREMARK_EMBEDDINGS", settings.embeddings, own if any(own) else shared)


def _check_keys(*used: _ModelSettings) -> None:
    """Refuse to send one key to two providers."""
    owners: dict[str, tuple[str, str]] = {}
    for one in used:
        kind = one.spec.partition(":")[0]
        if kind not in ("openai", "anthropic") or one.base_url or not one.api_key:
            continue
        other, variable = owners.setdefault(one.api_key, (kind, one.variable))
        if other != kind:
            raise SettingsError(
                f"{variable} ({other}) and {one.variable} ({kind}) would use the same API key. "
                "They use different providers: give one of them its own key with LOREMARK_LLM_SMALL_API_KEY or "
                "LOREMARK_EMBEDDINGS_API_KEY"
            )
