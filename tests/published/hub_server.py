"""A hub on the loopback interface: the few addresses that `huggingface_hub` asks for when it downloads a dataset."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """What is on the hub, and what was asked of it."""

    def __init__(self, repo: str, files: dict[str, bytes]) -> None:
        self.repo, self.files = repo, files
        self.gated_without_token = False
        self.cut_after: int | None = None  # break the connection once after so many bytes
        self.requests: list[tuple[str, str, str | None]] = []  # method, path, Range
        self.tokens: set[str] = set()
        self.url = ""


def etag(content: bytes) -> str:
    """Large files carry the hash of their bytes."""
    return hashlib.sha256(content).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _answer(self, *, body: bool) -> None:
        hub, path = self.hub, self.path.partition("?")[0]
        hub.requests.append((self.command, path, self.headers.get("Range")))
        if self.headers.get("Authorization"):
            hub.tokens.add(self.headers["Authorization"])
        elif hub.gated_without_token:
            self._send(403, b"{}", {"X-Error-Code": "GatedRepo", "X-Error-Message": "gated"}, body=body)
            return
        api, files = f"/api/datasets/{hub.repo}", f"/datasets/{hub.repo}/resolve/{COMMIT}/"
        if path.startswith(f"{api}/revision/") and not path.endswith(("/main", COMMIT)):
            self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"}, body=body)
        elif path in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
            siblings = [{"rfilename": name} for name in hub.files]
            self._json({"id": hub.repo, "sha": COMMIT, "siblings": siblings, "private": False}, body=body)
        elif path.startswith(f"{api}/tree/"):
            listing = [
                {
                    "type": "file",
                    "path": name,
                    "size": len(content),
                    "oid": hashlib.sha1(content, usedforsecurity=False).hexdigest(),
                    "lfs": {"oid": etag(content), "size": len(content), "pointerSize": 130},
                }
                for name, content in hub.files.items()
            ]
            self._json(listing, body=body)
        elif path.startswith(files) and path.removeprefix(files) in hub.files:
            self._file(hub.files[path.removeprefix(files)], body=body)
        else:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"}, body=body)

    def _json(self, value: Any, *, body: bool) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"}, body=body)

    def _file(self, content: bytes, *, body: bool) -> None:
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{etag(content)}"', "Accept-Ranges": "bytes"}
        wanted = self.headers.get("Range", "")
        status, start = (206, int(wanted[6:].partition("-")[0])) if wanted.startswith("bytes=") else (200, 0)
        if status == 206:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._send(status, content[start:], headers, body=body)

    def _send(self, status: int, content: bytes, headers: dict[str, str], *, body: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not body:
            return
        if self.hub.cut_after is not None and status == 200 and len(content) > self.hub.cut_after:
            self.wfile.write(content[: self.hub.cut_after])
            self.hub.cut_after = None
            self.close_connection = True
            return
        self.wfile.write(content)


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Run the server while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
