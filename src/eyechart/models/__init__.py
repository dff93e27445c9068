"""Who answers: one file per backend, found by the first word of a model's name.

`openai/gpt-x`, `http://host:8000/v1#name`, `replay:answers.jsonl`, `baseline:majority`. A factory takes what follows
the first `/` or `:` and the model arguments as strings, and returns a Model.
"""

from __future__ import annotations

from collections.abc import Mapping

from eyechart.models.base import Model, Request
from eyechart.registry import Registry, check_options

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
    check_options(factory, "model argument", arguments, skip=1)
    model: Model = factory(rest, **arguments)
    return model
