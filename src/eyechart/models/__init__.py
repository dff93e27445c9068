"""Who answers: one file per backend, found by the first word of a model's name.

`openai/gpt-x`, `http://host:8000/v1#name`, `replay:answers.jsonl`, `baseline:majority`. A factory takes what follows
the first `/` or `:` and the model arguments as strings, and returns a Model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from eyechart.models.base import Model, Request
from eyechart.registry import Registry, unknown

__all__ = ["MODELS", "Model", "Request", "get_model"]

MODELS = Registry(
    "model",
    {
        "http": "eyechart.models.openai:by_address",
        "openai": "eyechart.models.openai:openai",
        "azure": "eyechart.models.openai:azure",
        "openrouter": "eyechart.models.openai:openrouter",
        "gemini": "eyechart.models.openai:gemini",
        "anthropic": "eyechart.models.openai:anthropic",
        "vllm": "eyechart.models.openai:vllm",
        "sglang": "eyechart.models.openai:sglang",
        "ollama": "eyechart.models.openai:ollama",
        "lmstudio": "eyechart.models.openai:lmstudio",
        "llamacpp": "eyechart.models.openai:llamacpp",
        "baseline": "eyechart.models.baseline:baseline",
        "replay": "eyechart.models.replay:replay",
        "builtin": "eyechart.models.builtin:builtin",
    },
    group="eyechart.models",
    listing="eyechart ls models",
)


def get_model(name: str, arguments: Mapping[str, str] | None = None) -> Model:
    """The model that a name such as `baseline:majority` or `http://host:8000/v1#name` stands for."""
    arguments = dict(arguments or {})
    if name.startswith(("http://", "https://")):
        prefix, rest = "http", name
    else:
        cut = min((i for i in (name.find("/"), name.find(":")) if i >= 0), default=len(name))
        prefix, rest = name[:cut], name[cut + 1 :]
    factory = MODELS.get(prefix)
    _check_arguments(factory, arguments)
    model: Model = factory(rest, **arguments)
    return model


def _check_arguments(factory: Callable[..., Model], arguments: Mapping[str, str]) -> None:
    """Refuse what a factory does not take; one that takes any name checks them itself."""
    parameters = inspect.signature(factory).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return
    accepted = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    for name in arguments:
        if name not in accepted:
            raise unknown("model argument", name, accepted)
