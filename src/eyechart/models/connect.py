"""Connections as the environment wants them: proxies, certificate authorities, and what their faults mean."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from eyechart.errors import EyechartError, ModelError, SetupError

if TYPE_CHECKING:
    import ssl

    import aiohttp

CONNECT_S = 15.0
# Many servers (uvicorn above all) close a connection that was idle for 5 s; reusing it at that moment loses a request.
KEEPALIVE_S = 4.0
_CA_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def open_session(base_url: str, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """A session for one server. How many requests run at once is not its business: the limiter says."""
    import aiohttp

    connector = aiohttp.TCPConnector(
        limit=0,
        ssl=certificate_authorities() if base_url.startswith("https:") else True,
        keepalive_timeout=KEEPALIVE_S,
        ttl_dns_cache=300,
    )
    return aiohttp.ClientSession(
        connector=connector,
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
        # The time limit of a request is the retry policy's, for every kind of model alike.
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
        # Proxies are resolved once below; aiohttp would also read ~/.netrc and send what it finds there.
        trust_env=False,
    )


def certificate_authorities() -> ssl.SSLContext:
    """The authorities this machine trusts, and those that the environment adds. Verification is never off."""
    import ssl

    context = ssl.create_default_context()  # reads SSL_CERT_FILE and SSL_CERT_DIR by itself
    for variable in _CA_VARIABLES:
        name = os.environ.get(variable)
        if not name:
            continue
        path = Path(name)
        try:
            if path.is_dir():
                context.load_verify_locations(capath=path)
            else:
                context.load_verify_locations(cafile=path)
        except OSError as error:  # ssl.SSLError is one: not a certificate file
            raise SetupError(
                f"cannot read the certificate authorities of {variable}",
                why=f"{path}: {error.strerror or error}",
                fix=f"point {variable} to a PEM file, or unset it",
            ) from error
    return context


def proxy_for(url: str) -> str | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name for an address."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme)
    if not proxy or proxy_bypass(parts.netloc):
        return None
    if not proxy.startswith(("http://", "https://")):
        if "://" in proxy:
            raise SetupError(
                f"the proxy for {parts.scheme} addresses is not an HTTP proxy",
                why=f"it is a {proxy.partition(':')[0]} proxy",
                fix=f"set {parts.scheme.upper()}_PROXY to an http:// address, or add {parts.hostname} to NO_PROXY",
            )
        proxy = f"http://{proxy}"
    return proxy


def transport_error(error: Exception, *, server: str, reached: bool) -> EyechartError:  # noqa: PLR0911 - a table
    """What a fault of the connection means, most specific first.

    As long as the server has never answered, giving up on it means giving up on the run.
    """
    import aiohttp

    def connection(message: str, *, stop: SetupError | None = None) -> ModelError:
        return ModelError("connection", message, retryable=True, stops_run=None if reached else stop)

    reason = reason_of(error)
    unreachable = SetupError(
        f"cannot reach the server at {server}",
        why=reason,
        fix="is it running, and is the address right? `curl " + server + "/models` should answer",
    )
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return SetupError(
                f"the certificate of {server} is not trusted",
                why=str(error.certificate_error),
                fix="point SSL_CERT_FILE to the authority that signed it",
            )
        case aiohttp.ClientHttpProxyError(status=407):
            return SetupError("the proxy wants a password", fix="HTTPS_PROXY=http://user:password@host:port")
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            no_proxy = SetupError(
                f"cannot reach the proxy on the way to {server}",
                why=reason,
                fix=f"check HTTP_PROXY and HTTPS_PROXY, or add {urlsplit(server).hostname} to NO_PROXY",
            )
            return connection(f"cannot reach the proxy: {reason}", stop=no_proxy)
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
            return connection(f"cannot connect: {reason}", stop=unreachable)
        case TimeoutError():
            return ModelError("timeout", "the server did not answer in time", retryable=True)
        case aiohttp.ClientResponseError():
            return ModelError("malformed_reply", f"the server does not speak HTTP as it should: {error.message}")
        case aiohttp.ClientPayloadError():
            return connection("the connection ended in the middle of the reply")
        case aiohttp.ServerDisconnectedError():
            return connection("the server closed the connection without a reply", stop=unreachable)
        case _:
            return connection(f"the connection broke: {error or type(error).__name__}", stop=unreachable)


def reason_of(error: Exception) -> str:
    """What the operating system said of a connection, without the client's own words around it."""
    import socket
    import ssl

    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error
        # asyncio puts words of its own where the system's are; names and TLS have numbers of their own.
        own = cause.errno is None or isinstance(cause, (socket.gaierror, ssl.SSLError))
        said = cause.strerror if own else os.strerror(cause.errno)  # type: ignore[arg-type]
        return f"{error.host}:{error.port}: {said or cause}"
    return str(error).removeprefix("[Errno None] ") or type(error).__name__
