"""Any server that speaks the OpenAI chat protocol, by the provider's name or by its address.

openai/gpt-x          a provider of models/presets.py; its key comes from its environment variable
vllm/name             a server on this machine, on its usual port (`vllm` alone: the one model it serves)
http://host:8000/v1   any address; `#name` says which model, without it the server is asked
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec

from eyechart.errors import EyechartError, ModelError, SetupError, UsageError
from eyechart.models.base import Model, Request, Samples
from eyechart.models.connect import open_session, proxy_for, transport_error
from eyechart.models.options import Options, read_options
from eyechart.models.payload import in_pieces
from eyechart.models.presets import BY_ADDRESS, PRESETS, Preset
from eyechart.models.refusals import NoSuchModel, error_in, status_error
from eyechart.models.replies import read_reply
from eyechart.models.streaming import read_stream
from eyechart.models.wire import EncodedPictures, chat_body
from eyechart.records import UNDECODABLE, Response
from eyechart.registry import nearest

if TYPE_CHECKING:
    import aiohttp

AZURE_API_VERSION = "2024-10-21"


def by_address(address: str, /, **arguments: str) -> Model:
    """Factory of any OpenAI-compatible server, by its address: `http://host:8000/v1#name`."""
    options = read_options(arguments)
    url, _, model = address.partition("#")
    return ChatServer(name=address, preset=BY_ADDRESS, options=replace(options, base_url=url), model=model)


def by_provider(provider: str, model: str, /, **arguments: str) -> Model:
    """The model that a provider knows by this name."""
    preset, options = PRESETS[provider], read_options(arguments)
    local = preset.base_url.startswith("http://localhost")
    if not model and not local:
        raise UsageError(f"which model of {provider}?", fix=f"-m {provider}/NAME")
    name = f"{provider}/{model}" if model else provider
    return ChatServer(name=name, preset=preset, options=options, model=model, azure=provider == "azure")


openai = partial(by_provider, "openai")
azure = partial(by_provider, "azure")
openrouter = partial(by_provider, "openrouter")
gemini = partial(by_provider, "gemini")
anthropic = partial(by_provider, "anthropic")
vllm = partial(by_provider, "vllm")
sglang = partial(by_provider, "sglang")
ollama = partial(by_provider, "ollama")
lmstudio = partial(by_provider, "lmstudio")
llamacpp = partial(by_provider, "llamacpp")


class _Models(msgspec.Struct):
    """What a server says of its models."""

    data: list[Any] | None = None


class ChatServer:
    """One model behind one server. Its key is read from the environment when the run starts and is never shown."""

    concurrency: int | None = None

    def __init__(self, *, name: str, preset: Preset, options: Options, model: str, azure: bool = False) -> None:
        self.name = name
        self.base_url = _clean_address(
            options.base_url or os.environ.get(preset.base_url_env, "") or preset.base_url, preset
        )
        self._preset, self._options, self._model, self._azure = preset, options, model, azure
        self.identity: Mapping[str, str] = self._identity()
        self.looks = options.images != "url"  # the server fetches them itself: nothing to prepare here
        self._pictures = EncodedPictures()
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None
        self._key = ""
        self._reached = False
        self._answers_to: list[str] | None = None

    async def open(self, samples: Samples) -> None:
        """Find the key, and the name where none was given; nothing that costs money is asked."""
        del samples  # a model that is evaluated does not look
        self._key = self._find_key()
        headers = {"Content-Type": "application/json", "User-Agent": "eyechart"}
        if self._key:
            bearer = self._preset.key_header == "Authorization"
            headers[self._preset.key_header] = f"Bearer {self._key}" if bearer else self._key
        self._proxy = proxy_for(self.base_url)
        self._session = open_session(self.base_url, headers)
        if not self._model:
            try:
                self._model = await self._only_model()
                self.identity = self._identity()
                self.name = f"{self.name.rstrip('#')}{self._separator}{self._model}"
            except BaseException:
                await self.close()
                raise

    async def generate(self, request: Request) -> Response:
        """Ask once. Everything that can go wrong on the way leaves here as a ModelError or a SetupError."""
        options = self._options
        body = chat_body(
            request,
            model=self._model,
            pictures=self._pictures,
            by_url=options.images == "url",
            detail=options.detail,
            max_tokens_field=options.max_tokens_field or self._preset.max_tokens_field,
            stream=options.stream,
            extra=options.extra,
        )
        try:
            return await self._ask(body)
        except NoSuchModel as error:
            raise await self._explained(error) from error

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    # ── one exchange ──────────────────────────────────────────────────────────

    async def _ask(self, body: Sequence[bytes]) -> Response:
        session, started = self._opened(), time.perf_counter()
        import aiohttp

        try:
            async with session.post(
                self._chat_url, data=in_pieces(body), proxy=self._proxy, allow_redirects=False
            ) as reply:
                self._reached = True
                if reply.status != 200:
                    raise self._refusal(reply, await reply.read())
                if self._options.stream and reply.content_type == "text/event-stream":
                    return await read_stream(reply.content.iter_any(), started)
                return read_reply(await reply.read())
        except EyechartError as error:
            self._leave_out_key(error)
            raise
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise transport_error(error, server=self.base_url, reached=self._reached) from error

    def _leave_out_key(self, error: EyechartError) -> None:
        """Some servers quote the key that they do not like, and what they say is shown and written down."""
        if self._key:
            error.what, error.why = (text.replace(self._key, "…") for text in (error.what, error.why))

    def _refusal(self, reply: aiohttp.ClientResponse, body: bytes) -> EyechartError:
        error = status_error(reply.status, reply.headers, error_in(body))
        if reply.status in (401, 403) and type(error) is SetupError:
            error.fix = self._key_advice()
        return error

    async def _explained(self, error: NoSuchModel) -> SetupError:
        """The same error, with the names that the server does have."""
        fix = f"check the address: {self.base_url}"
        try:
            names = await self._list_models()
        except EyechartError:
            names = []
        if self._model in names:
            return SetupError(f"{self.base_url} has {self._model!r}, and no chat completions", why=error.why, fix=fix)
        if names:
            close = nearest(self._model, names)
            fix = f"did you mean {', '.join(close)}?" if close else f"it has {', '.join(names[:8])}"
        return SetupError(f"{self.base_url} has no model named {self._model!r}", why=error.why, fix=fix)

    # ── what the server has ───────────────────────────────────────────────────

    async def _only_model(self) -> str:
        names = await self._list_models()
        if len(names) == 1:
            return names[0]
        listed = ", ".join(names[:12]) or "none"
        raise UsageError(
            f"which model of {self.base_url}?",
            why=f"it serves {len(names)}: {listed}",
            fix=f"-m {self.name.rstrip('#')}{self._separator}{names[0] if names else 'NAME'}",
        )

    async def _list_models(self) -> list[str]:
        if self._answers_to is None:
            self._answers_to = await self._ask_models()
        return self._answers_to

    async def _ask_models(self) -> list[str]:
        import aiohttp

        url = f"{self.base_url}/models"
        try:
            async with (
                asyncio.timeout(2 * 15.0),
                self._opened().get(url, proxy=self._proxy, allow_redirects=False) as reply,
            ):
                self._reached = True
                data = await reply.read()
                if reply.status != 200:
                    raise self._refusal(reply, data)
        except EyechartError as error:
            self._leave_out_key(error)
            raise
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            mapped = transport_error(error, server=self.base_url, reached=False)
            raise (mapped.stops_run or mapped if isinstance(mapped, ModelError) else mapped) from error
        try:
            found = msgspec.json.decode(data, type=_Models).data
        except UNDECODABLE as error:
            raise SetupError(
                f"{url} does not list models",
                why="what it answers is not a list of models in JSON",
                fix="is the address right? It usually ends in /v1",
            ) from error
        return [entry["id"] for entry in found or () if isinstance(entry, dict) and isinstance(entry.get("id"), str)]

    # ── keys and addresses ────────────────────────────────────────────────────

    @property
    def _separator(self) -> str:
        """What stands between the server and the model in a name."""
        return "#" if self.name.startswith(("http:", "https:")) else "/"

    def _identity(self) -> dict[str, str]:
        """Who answers, and which of the arguments can change what is answered."""
        options = self._options
        told = {"detail": options.detail, "images": options.images if options.images != "data" else ""}
        told |= {f"extra.{name}": bytes(value).decode() for name, value in options.extra.items()}
        return {"server": self.base_url, "model": self._model} | {k: v for k, v in told.items() if v}

    @property
    def _chat_url(self) -> str:
        if self._azure:
            version = self._options.api_version or os.environ.get("OPENAI_API_VERSION") or AZURE_API_VERSION
            deployment = f"{self.base_url}/openai/deployments/{quote(self._model, safe='')}"
            return f"{deployment}/chat/completions?api-version={quote(version)}"
        return f"{self.base_url}/chat/completions"

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("the model has not been opened")
        return self._session

    def _find_key(self) -> str:
        named = (self._options.key_env,) if self._options.key_env else self._preset.key_env
        key = next((os.environ[name].strip() for name in named if os.environ.get(name, "").strip()), "")
        if not key and (self._options.key_env or self._preset.key_needed):
            raise SetupError(
                f"no key for {self.name}",
                why=f"the environment variable {' or '.join(named)} is not set",
                fix=f"export {named[0]}=…   or name another variable: -M key_env=NAME",
            )
        if not key.isascii() or not key.isprintable():
            raise SetupError(
                f"the key for {self.name} cannot be sent", why=f"{named[0]} holds characters that no key has"
            )
        return key

    def _key_advice(self) -> str:
        named = self._options.key_env or " or ".join(self._preset.key_env)
        if self._key:
            return f"check the key in {named}"
        return "name the environment variable that holds the key: -M key_env=NAME"


def _clean_address(address: str, preset: Preset) -> str:
    """The address up to `/v1`, however it was pasted; one with a password in it is refused."""
    if not address:
        raise SetupError("no address for the server", fix=f"export {preset.base_url_env}=… or -M base_url=…")
    try:
        parts = urlsplit(address.strip())
        valid = parts.scheme in ("http", "https") and (parts.port is None or parts.port > 0)
        valid = valid and _is_host(parts.hostname or "")
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(f"{address!r} is not the address of a server", fix="http://host:8000/v1#name")
    if "@" in parts.netloc:
        raise UsageError(
            "an address cannot carry a password",
            why="addresses are shown in tables and kept in manifests",
            fix="-M key_env=NAME names the environment variable that holds the key",
        )
    if parts.query:
        raise UsageError(
            "an address cannot carry a query",
            why="what stands after the ? may be a secret, and addresses are shown in tables and kept in manifests",
            fix="leave it out; -M key_env=NAME names the environment variable that holds the key",
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    if not path and not preset.base_url_env.startswith("AZURE"):
        path = "/v1"
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _is_host(name: str) -> bool:
    """Whether a name can be looked up at all; asking for one that cannot ends in an error of the codec."""
    if not name or any(letter.isspace() for letter in name):
        return False
    try:
        name.encode("idna")
    except UnicodeError:
        return False
    return True
