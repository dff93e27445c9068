"""Servers that speak the OpenAI chat protocol, by the name under which people know them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Where a provider answers, and how it wants to be asked."""

    base_url: str = ""
    base_url_env: str = ""  # a variable by which people already point elsewhere; it wins over base_url
    key_env: tuple[str, ...] = ()  # variables that may hold the key, the first one set wins
    key_needed: bool = True
    key_header: str = "Authorization"
    max_tokens_field: str = "max_tokens"
    about: str = ""


PRESETS: dict[str, Preset] = {
    "openai": Preset(
        base_url="https://api.openai.com/v1",
        base_url_env="OPENAI_BASE_URL",
        key_env=("OPENAI_API_KEY",),
        # Its newer models refuse `max_tokens`.
        max_tokens_field="max_completion_tokens",
        about="OpenAI",
    ),
    "azure": Preset(
        base_url_env="AZURE_OPENAI_ENDPOINT",
        key_env=("AZURE_OPENAI_API_KEY",),
        key_header="api-key",
        max_tokens_field="max_completion_tokens",
        about="Azure OpenAI; the name is the deployment's",
    ),
    "openrouter": Preset(base_url="https://openrouter.ai/api/v1", key_env=("OPENROUTER_API_KEY",), about="OpenRouter"),
    "gemini": Preset(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        about="Gemini, by its OpenAI-compatible endpoint",
    ),
    "anthropic": Preset(
        base_url="https://api.anthropic.com/v1",
        key_env=("ANTHROPIC_API_KEY",),
        about="Anthropic, by its OpenAI-compatible endpoint",
    ),
    "vllm": Preset(
        base_url="http://localhost:8000/v1", key_env=("VLLM_API_KEY",), key_needed=False, about="vLLM on this machine"
    ),
    "sglang": Preset(base_url="http://localhost:30000/v1", key_needed=False, about="SGLang on this machine"),
    "ollama": Preset(base_url="http://localhost:11434/v1", key_needed=False, about="Ollama on this machine"),
    "lmstudio": Preset(base_url="http://localhost:1234/v1", key_needed=False, about="LM Studio on this machine"),
    "llamacpp": Preset(base_url="http://localhost:8080/v1", key_needed=False, about="llama.cpp on this machine"),
}

# An address given in full: nobody's key is sent to it unless it is named.
BY_ADDRESS = Preset(key_needed=False, about="any OpenAI-compatible server, by its address")
