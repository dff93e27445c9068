"""Asking an OpenAI-compatible server: what is sent, what is read, and what each fault becomes."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
import pytest

from eyechart.errors import EyechartError, ModelError, SetupError, UsageError
from eyechart.models import Request, get_model
from eyechart.records import Media, Picture, Prompt, Response, Sampling, Turn
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def picture(name: str = "p", data: bytes = b"\xff\xd8picture", **more: Any) -> Picture:
    """A picture of a few bytes: nothing here decodes it."""
    return Picture(
        name=name,
        data=data,
        mime="image/jpeg",
        width=8,
        height=8,
        sha256=hashlib.sha256(data).hexdigest(),
        original_width=8,
        original_height=8,
        **more,
    )


def question(
    text: str, *pictures: Picture, sampling: Sampling | None = None, turns: tuple[Turn, ...] = (), repeat: int = 0
) -> Request:
    """A request about some pictures, which stand before the words."""
    parts = (*(Media(name=p.name) for p in pictures), text)
    return Request(
        prompt=Prompt(sample_id=text, style="plain.v1", turns=turns or (Turn(role="user", parts=parts),)),
        pictures=pictures,
        sampling=sampling or Sampling(),
        repeat=repeat,
    )


def ask(name: str, *requests: Request, **arguments: str) -> list[Response | EyechartError]:
    """Ask one model, one request after the other; errors are returned."""

    async def run() -> list[Response | EyechartError]:
        model = get_model(name, arguments)
        await model.open(lambda: iter(()))
        outcomes: list[Response | EyechartError] = []
        try:
            for request in requests:
                try:
                    outcomes.append(await model.generate(request))
                except EyechartError as error:
                    outcomes.append(error)
        finally:
            await model.close()
        return outcomes

    return asyncio.run(run())


def ask_one(name: str, request: Request, **arguments: str) -> Response:
    """Ask once; an error is raised."""
    (outcome,) = ask(name, request, **arguments)
    if isinstance(outcome, EyechartError):
        raise outcome
    return outcome


def test_pictures_and_words_arrive_in_the_order_of_the_prompt(scripted: Start) -> None:
    """Two pictures around a text arrive byte for byte, in place, beside the system's turn."""
    server = scripted()
    first, second = picture("first"), picture("second", b"\x89PNG other")
    turns = (
        Turn(role="system", parts=("Answer briefly.",)),
        Turn(role="user", parts=(Media(name="first"), "then", Media(name="second"), "what moved?")),
    )
    request = question("q", first, second, turns=turns)
    assert ask_one(f"{server.url}#m", request).text == "yes"
    (seen,) = server.requests
    assert seen.pictures == (first.sha256, second.sha256)
    messages = seen.body["messages"]
    assert messages[0] == {"role": "system", "content": "Answer briefly."}
    assert [part["type"] for part in messages[1]["content"]] == ["image_url", "text", "image_url", "text"]


def test_only_what_is_set_is_sent(scripted: Start) -> None:
    """A plain question carries model, messages and temperature, and nothing implied."""
    server = scripted()
    ask_one(f"{server.url}#m", question("is it red?"))
    body = server.requests[0].body
    assert body == {"model": "m", "messages": [{"role": "user", "content": "is it red?"}], "temperature": 0.0}


def test_sampling_is_sent_in_the_protocols_words(scripted: Start) -> None:
    """Limits, seed, stop words and further fields arrive under their names."""
    server = scripted()
    sampling = Sampling(
        temperature=None,
        max_tokens=16,
        top_p=0.5,
        seed=3,
        stop=("\n",),
        extra={"top_k": 1, "deep": msgspec.Raw(b"[1]")},
    )
    arguments = {"max_tokens_field": "max_completion_tokens", "extra.chat_template_kwargs": '{"enable_thinking":false}'}
    ask_one(f"{server.url}#m", question("q", sampling=sampling, repeat=2), **arguments)
    body = dict(server.requests[0].body)
    del body["messages"], body["model"]
    assert body == {
        "max_completion_tokens": 16,
        "top_p": 0.5,
        "seed": 5,
        "stop": ["\n"],
        "top_k": 1,
        "deep": [1],
        "chat_template_kwargs": {"enable_thinking": False},
    }


def test_a_video_is_sent_as_all_its_frames(scripted: Start) -> None:
    """A video shown twice with a picture between gives its frames twice, in place."""
    server = scripted()
    frames = [picture("v", b"frame %d" % i, frame=i * 10) for i in range(3)]
    still = picture("still")
    video = Media(name="v", kind="video")
    turns = (Turn(role="user", parts=(video, video, Media(name="still"), "how many chairs?")),)
    request = Request(prompt=Prompt(sample_id="q", style="plain.v1", turns=turns), pictures=(*frames, *frames, still))
    ask_one(f"{server.url}#m", request)
    hashes = [frame.sha256 for frame in frames]
    assert server.requests[0].pictures == (*hashes, *hashes, still.sha256)


def test_pictures_can_be_sent_by_address(scripted: Start) -> None:
    """With images=url the server gets addresses, nothing is prepared, and a picture without one stops the run."""
    server = scripted()
    turns = (Turn(role="user", parts=(Media(name="a", url="https://example.org/a.jpg"), "what?")),)
    request = Request(prompt=Prompt(sample_id="q", style="plain.v1", turns=turns))
    ask_one(f"{server.url}#m", request, images="url", detail="low")
    assert server.requests[0].addresses == ("https://example.org/a.jpg",)
    part = server.requests[0].body["messages"][0]["content"][0]
    assert part["image_url"]["detail"] == "low"
    assert get_model(f"{server.url}#m", {"images": "url"}).looks is False
    with pytest.raises(SetupError, match="cannot be sent by address"):
        ask_one(f"{server.url}#m", question("q", picture()), images="url")


def test_what_is_only_an_address_is_sent_as_one(scripted: Start) -> None:
    """A picture that nobody holds here is left for the server to fetch, beside one that is sent along."""
    server = scripted()
    held = picture("held")
    turns = (Turn(role="user", parts=(Media(name="a", url="https://example.org/a.jpg"), Media(name="held"), "?")),)
    ask_one(f"{server.url}#m", question("q", held, turns=turns))
    assert server.requests[0].addresses == ("https://example.org/a.jpg",)
    assert server.requests[0].pictures == (held.sha256,)


def test_a_whole_video_is_sent_under_its_own_name(scripted: Start) -> None:
    """Where the rule for media leaves a video whole, it goes as a video."""
    server = scripted()
    clip = Picture(
        name="v", data=b"mp4", mime="video/mp4", width=0, height=0, sha256="", original_width=0, original_height=0
    )
    turns = (Turn(role="user", parts=(Media(name="v", kind="video"), "how long is the hall?")),)
    ask_one(f"{server.url}#m", question("q", clip, turns=turns))
    part = server.requests[0].body["messages"][0]["content"][0]
    assert part == {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,bXA0"}}


def test_a_large_body_is_sent_without_complaint(scripted: Start) -> None:
    """A picture of several megabytes arrives whole."""
    server = scripted()
    big = picture("big", bytes(range(256)) * 12_000)
    ask_one(f"{server.url}#m", question("q", big), max_tokens_field="none")
    assert server.requests[0].pictures == (big.sha256,)


def test_usage_finish_and_server_name_are_kept(scripted: Start) -> None:
    """What the server says about the reply is in the Response."""
    server = scripted()
    response = ask_one(f"{server.url}#m", question("q"))
    assert (response.finish, response.served_by) == ("stop", "m fp_scripted")
    assert (response.usage.input_tokens, response.usage.output_tokens) == (7, 3)
    assert response.first_token_s is None


def test_a_stream_gives_the_same_answer_and_the_time_of_its_first_word(scripted: Start) -> None:
    """Streaming changes how a reply travels, not what it says."""
    server = scripted(answer="Füße, two of them", script={"cut": "cut-stream"})
    whole, cut = ask(f"{server.url}#m", question("q"), question("cut"), stream="true")
    assert isinstance(whole, Response)
    assert whole.text == "Füße, two of them"
    assert whole.finish == "stop"
    assert whole.usage.output_tokens == 3
    assert whole.first_token_s is not None
    assert isinstance(cut, ModelError)
    assert (cut.kind, cut.retryable) == ("connection", True)


@pytest.mark.parametrize("word", ["reasoning:reasoning_content", "reasoning:reasoning", "think"])
def test_reasoning_is_kept_apart_from_the_answer(scripted: Start, word: str) -> None:
    """Wherever a server puts the thinking, the answer stands alone."""
    server = scripted(script={"q": word})
    response = ask_one(f"{server.url}#m", question("q"))
    assert (response.text, response.reasoning) == ("yes", "Let me look closely.")


@pytest.mark.parametrize(
    ("word", "text", "finish"),
    [("refusal", "I cannot help with that.", "refusal"), ("length", "The picture sho", "length")],
)
def test_refusals_and_cut_answers_are_answers(scripted: Start, word: str, text: str, finish: str) -> None:
    """A reply that arrived is a Response; scoring says what it is worth."""
    server = scripted(script={"q": word})
    response = ask_one(f"{server.url}#m", question("q"))
    assert (response.text, response.finish) == (text, finish)


# Every way in which a request can end, and what it becomes: kind, whether it is worth another try, and for how long
# the server asks us to wait. `None` as kind: the run stops.
FAULTS: list[tuple[str, str | None, bool, str]] = [
    ("429", "rate_limited", True, "slow down"),
    ("429:7", "rate_limited", True, "slow down"),
    ("500", "server_error", True, "internal error"),
    ("502", "server_error", True, "bad gateway"),
    ("503", "server_error", True, "overloaded"),
    ("529", "server_error", True, "overloaded"),
    ("error-200:429", "rate_limited", True, "upstream failed"),
    ("error-200:502", "server_error", True, "upstream failed"),
    ("408", "timeout", True, "gave up"),
    ("drop", "connection", True, "connection"),
    ("truncated-body", "connection", True, "middle of the reply"),
    ("400", "refused_request", False, "at least 28 pixels"),
    ("413", "refused_request", False, "too large"),
    ("filter", "content_filtered", False, "withheld"),
    ("filter-400", "content_filtered", False, "flagged"),
    ("html", "malformed_reply", False, "titled 'Sign in'"),
    ("truncated-json", "malformed_reply", False, "not a chat completion"),
    ("raw:[1, 2]", "malformed_reply", False, "not a chat completion"),
    ('raw:{"choices":[{"message":{"content":"\udcff"}}]}', "malformed_reply", False, "not a chat completion"),
    ('raw:{"usage":' + "[" * 100_000, "malformed_reply", False, "not a chat completion"),
    ('raw:{"choices":[{"message":{"content":"\\ud800"}}]}', "malformed_reply", False, "not a chat completion"),
    ('raw:{"choices": "x"}', "malformed_reply", False, "not a chat completion"),
    ("empty", "malformed_reply", False, "empty reply"),
    ("empty-choices", "malformed_reply", False, "no choices"),
    ("no-content", "malformed_reply", False, "without content"),
    ("401", None, False, "does not accept the key"),
    ("403", None, False, "does not accept the key"),
    ("402", None, False, "no credit"),
    ("no-credit", None, False, "no credit"),
    ("404", None, False, "no model named 'm'"),
    ("redirect", None, False, "redirects"),
]


@pytest.mark.parametrize(("word", "kind", "retryable", "said"), FAULTS, ids=[fault[0][:40] for fault in FAULTS])
def test_every_fault_has_its_kind(scripted: Start, word: str, kind: str | None, retryable: bool, said: str) -> None:
    """Each fault of a server becomes one failure kind, or stops the run where nothing else would help."""
    server = scripted(script={"bad": word})
    _, outcome = ask(f"{server.url}#m", question("good"), question("bad"))
    assert isinstance(outcome, EyechartError)
    assert said in str(outcome)
    if kind is None:
        assert isinstance(outcome, SetupError)
    else:
        assert isinstance(outcome, ModelError)
        assert (outcome.kind, outcome.retryable) == (kind, retryable)
        assert outcome.stops_run is None  # the server has answered before: this is about one question


def test_retry_after_is_read_in_all_its_forms(scripted: Start) -> None:
    """Seconds, milliseconds and a date."""
    server = scripted(script={"seconds": "429:7", "ms": "429:ms", "date": "429:date", "busy": "503-wait:3"})
    names = ("seconds", "ms", "date", "busy")
    outcomes = ask(f"{server.url}#m", *(question(name) for name in names))
    waits = [outcome.retry_after_s for outcome in outcomes if isinstance(outcome, ModelError)]
    assert [waits[0], waits[1], waits[3]] == [7.0, 0.05, 3.0]
    assert waits[2] is not None
    assert 0 < waits[2] <= 2.0


@contextmanager
def answering_everything(body: str) -> Iterator[str]:
    """A server that says the same to every GET; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port on which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def test_a_server_that_was_never_there_stops_the_run(closed_port: int) -> None:
    """A refused connection is worth another try, and giving up on it says what to do."""
    (outcome,) = ask(f"http://127.0.0.1:{closed_port}/v1#m", question("q"))
    assert isinstance(outcome, ModelError)
    assert (outcome.kind, outcome.retryable) == ("connection", True)
    assert isinstance(outcome.stops_run, SetupError)
    assert f"127.0.0.1:{closed_port}" in str(outcome.stops_run)


def test_a_wrong_model_is_told_the_right_one(scripted: Start) -> None:
    """An unknown model stops the run with the names that the server has."""
    server = scripted(script={"q": "404"}, models=("qwen-vl-7b", "llava"))
    (outcome,) = ask(f"{server.url}#qwen-vl-7", question("q"))
    assert isinstance(outcome, SetupError)
    assert "did you mean qwen-vl-7b?" in outcome.fix


def test_the_only_model_of_a_server_need_not_be_named(scripted: Start) -> None:
    """Without #name the server is asked; where it has several, they are listed."""
    one, several = scripted(models=("llava",)), scripted(models=("a", "b"))
    ask_one(one.url, question("q"))
    assert one.requests[0].body["model"] == "llava"
    with pytest.raises(UsageError, match="it serves 2: a, b"):
        ask_one(several.url, question("q"))


def test_the_key_is_sent_and_never_shown(scripted: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the named variable is sent; a server that quotes it back is not quoted."""
    monkeypatch.setenv("MY_KEY", "sk-very-secret\n")
    server = scripted(script={"bad": "401:Incorrect API key provided: sk-very-secret"})
    good, bad = ask(f"{server.url}#m", question("good"), question("bad"), key_env="MY_KEY")
    assert isinstance(good, Response)
    assert server.requests[0].headers["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in str(bad)
    assert "MY_KEY" in str(bad)


@pytest.mark.parametrize("options", [{}, {"stream": "true"}])
@pytest.mark.parametrize(
    "word",
    [
        'raw:{"error": {"message": "Incorrect key sk-very-secret", "code": 400}}',
        'raw:{"error": {"message": "Incorrect key sk-very-secret", "code": 401}}',
        "raw:Authorization: Bearer sk-very-secret was not understood",
    ],
)
def test_a_key_inside_any_reply_is_not_quoted(
    scripted: Start, monkeypatch: pytest.MonkeyPatch, word: str, options: dict[str, str]
) -> None:
    """Also where the server answers 200 and complains inside, or sends something that is no reply at all."""
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    (outcome,) = ask(f"{scripted(script={'': word}).url}#m", question("q"), key_env="MY_KEY", **options)
    assert isinstance(outcome, EyechartError)
    assert "…" in str(outcome)
    assert "sk-very-secret" not in str(outcome)


def test_a_key_given_as_its_own_name_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """`key_env=sk-…`: the slip is explained without showing the key."""
    with pytest.raises(UsageError, match="takes the name of an environment variable") as caught:
        get_model("vllm/m", {"key_env": "sk-very-secret"})
    assert "sk-very-secret" not in str(caught.value)


def test_a_server_that_lists_the_model_has_no_chat(scripted: Start) -> None:
    """A 404 for a model that the server itself names is not about the name."""
    (outcome,) = ask(f"{scripted(script={'': '404'}, models=('m',)).url}#m", question("q"))
    assert "no chat completions" in str(outcome)
    assert "did you mean" not in str(outcome)


@pytest.mark.parametrize("listed", ['{"data": 5}', "[1]", "no JSON"])
def test_a_list_of_models_that_is_none_is_said(listed: str) -> None:
    """Whatever stands where the models should be listed, it is the server's fault and not a crash."""
    with answering_everything(listed) as url, pytest.raises(SetupError, match="does not list models"):
        ask_one(url, question("q"))


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is sent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SetupError, match="OPENAI_API_KEY is not set"):
        ask_one("openai/gpt-x", question("q"))


def test_azure_is_asked_at_its_deployment(scripted: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deployment is in the path, the version in the query, the key in its own header."""
    server = scripted()
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1") + "/")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "secret")
    ask_one("azure/my-gpt", question("q"))
    assert server.requests[0].headers["api-key"] == "secret"
    assert "Authorization" not in server.requests[0].headers


def test_a_proxy_from_the_environment_is_used_and_no_proxy_heeded(
    scripted: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scripted server, taken as a proxy, sees a request that was meant for another host."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server = scripted()
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
    assert ask_one("http://elsewhere.example/v1#m", question("q")).text == "yes"
    assert server.requests[0].headers["Host"] == "elsewhere.example"
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert ask_one(f"{server.url}#m", question("q")).text == "yes"


def test_a_proxy_that_is_not_there_is_told_from_the_server(closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever mistyped the proxy is not sent to look at the server."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    (outcome,) = ask("http://vlm.example/v1#m", question("q"))
    assert isinstance(outcome, ModelError)
    assert outcome.stops_run is not None
    assert "cannot reach the proxy" in outcome.stops_run.what
    assert outcome.stops_run.why == f"127.0.0.1:{closed_port}: Connection refused"
    assert "vlm.example to NO_PROXY" in outcome.stops_run.fix


def test_a_server_without_tls_is_told_in_the_words_of_tls(scripted: Start) -> None:
    """https:// to a server that speaks http: the reason is about the protocol, not about permissions."""
    (outcome,) = ask(scripted().url.replace("http:", "https:") + "#m", question("q"))
    assert isinstance(outcome, ModelError)
    assert "SSL" in outcome.what


def test_unreadable_certificate_authorities_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that points nowhere stops the run before anything is sent."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with pytest.raises(SetupError, match="SSL_CERT_FILE"):
        ask_one("https://127.0.0.1:1/v1#m", question("q"))


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("vllm/m", {"imags": "url"}, "did you mean images?"),
        ("vllm/m", {"images": "both"}, "data or url"),
        ("vllm/m", {"stream": "maybe"}, "true or false"),
        ("vllm/m", {"api_key": "sk-1"}, "key_env="),
        ("vllm/m", {"extra.api-key": "sk-1"}, "key_env="),
        ("openai/", {}, "which model"),
        ("http://user:word@host/v1#m", {}, "cannot carry a password"),
        ("http://host/v1?api-key=word#m", {}, "cannot carry a query"),
        ("http://a b/v1#m", {}, "not the address of a server"),
        ("http://exam..ple/v1#m", {}, "not the address of a server"),
        ("http://[::1/v1#m", {}, "not the address of a server"),
        ("http://#m", {}, "not the address"),
        ("baseline:majority", {"sed": "1"}, "did you mean seed?"),
    ],
)
def test_wrong_names_and_arguments_are_explained(name: str, arguments: dict[str, str], said: str) -> None:
    """A wrong word is met with the right one, and a key on the command line with another way."""
    with pytest.raises(UsageError) as caught:
        get_model(name, arguments)
    assert said in str(caught.value)
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("vllm/m", "http://localhost:8000/v1"),
        ("ollama/m", "http://localhost:11434/v1"),
        ("openrouter/a/b", "https://openrouter.ai/api/v1"),
        ("http://host:9/#m", "http://host:9/v1"),
        ("http://host:9/api/v3/chat/completions#m", "http://host:9/api/v3"),
    ],
)
def test_names_lead_to_addresses(name: str, server: str) -> None:
    """A provider's name, or an address however it was pasted."""
    assert get_model(name).identity["server"] == server
