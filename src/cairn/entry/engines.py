"""The models that the settings name."""

from __future__ import annotations

from cairn.base.settings import Settings, SettingsError
from cairn.ports.embeddings import embedder
from cairn.ports.embeddings.embedder import Embedder
from cairn.ports.llm.model import LanguageModel, open_model


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


def open_models(settings: Settings) -> dict[str, LanguageModel]:
    """The models that the tiers name, each opened once."""
    models: dict[str, LanguageModel] = {}
    for variable, spec in (("CAIRN_LLM_SMALL", settings.llm_small), ("CAIRN_LLM_MEDIUM", settings.llm_medium)):
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
