"""Sends requests, with timeouts, retries and typed errors."""

from __future__ import annotations

import gzip
import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib
from collections.abc import Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, cast

from .errors import InvalidPathError, NetworkError, RequestTimeoutError, TidemarkError, UnexpectedError
from .generated.api import IDEMPOTENT, RAW
from .generated.errors import BY_CODE
from .response import Response

TIMEOUT = 150.0
MAX_RETRIES = 2
FIRST_DELAY = 0.5
# Longest wait that a server can demand, seconds. The rate window is one minute.
MAX_DELAY = 120.0
RETRIED = {429, 502, 503, 504}


class _Headers(Protocol):
    def get(self, name: str, /) -> str | None: ...


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The API does not redirect, and a redirected request would carry the key to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _query(query: Mapping[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return ",".join(map(str, cast(Sequence[Any], value))) if isinstance(value, (list, tuple)) else str(value)

    given = {name: text(value) for name, value in query.items() if value is not None and value != ""}
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _path_fault(value: Any) -> str | None:
    """Returns why a value is no segment of a path; None if it is one."""
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        return "it is missing"
    text = str(value)
    if not text:
        return "it is empty"
    # URL parsers resolve these segments, encoded or not: the request would reach another route (WHATWG URL, 4.4).
    if text in (".", ".."):
        return "it is a dot segment, which changes the path"
    if any(ord(one) < 0x20 or ord(one) == 0x7F or 0xD800 <= ord(one) <= 0xDFFF for one in text):
        return "it contains a control character"
    return None


def fill_path(template: str, values: Mapping[str, Any]) -> str:
    """Fills the parameters of a path such as ``/projects/{id}``, each as one encoded segment."""

    def segment(match: re.Match[str]) -> str:
        value = values.get(match[1])
        fault = _path_fault(value)
        if fault is not None:
            message = f"the value of {match[1]} in {template} is refused: {fault}"
            raise InvalidPathError(message, code="invalid_path")
        return urllib.parse.quote(str(value), safe="")

    return re.sub(r"\{(\w+)\}", segment, template)


def _retry_after(headers: _Headers) -> float | None:
    """Reads Retry-After: a number of seconds or a date (RFC 9110 section 10.2.3)."""
    value = headers.get("retry-after")
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _content(response: Any) -> bytes:
    body: bytes = response.read()
    return gzip.decompress(body) if response.headers.get("content-encoding") == "gzip" else body


def error_of(status: int, headers: _Headers, body: bytes) -> TidemarkError:
    """Returns the error of a response that is no success."""
    request_id, retry_after = headers.get("x-request-id"), _retry_after(headers)
    try:
        read = json.loads(body)
        code, message = str(read["code"]), str(read["error"])
    except (ValueError, KeyError, TypeError):
        message = f"the server answered {status} without an error body of this API: check the base URL and the proxies"
        return UnexpectedError(
            message, code="unexpected", status=status, request_id=request_id, retry_after=retry_after
        )
    return BY_CODE.get(code, TidemarkError)(
        message,
        code=code,
        status=status,
        request_id=request_id or read.get("request_id"),
        retry_after=retry_after,
        detail=read.get("detail"),
    )


class Transport:
    """Sends the requests of one client. Holds no connection between requests, so that threads can share it."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = TIMEOUT,
        max_retries: int = MAX_RETRIES,
        workspace: str | None = None,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"the base URL {base_url!r} is no http or https URL, such as http://127.0.0.1:8787/v1")
        self.base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._workspace = workspace
        self._max_retries = max_retries
        self._open: Callable[..., Any] = urllib.request.build_opener(_NoRedirects).open

    def call(
        self,
        route: str,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Calls a route such as ``GET /projects/{id}``. Returns parsed JSON, None for an empty body, or a Response for files."""
        method, template = route.split(" ")
        filled = fill_path(template, path or {})
        key = idempotency_key or (uuid.uuid4().hex if route in IDEMPOTENT else None)
        request = urllib.request.Request(f"{self.base_url}{filled}{_query(query or {})}", method=method)
        if self._api_key:
            request.add_header("authorization", f"Bearer {self._api_key}")
        if self._workspace is not None:
            request.add_header("x-service-tenant", self._workspace)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("content-type", "application/json")
        if key is not None:
            request.add_header("idempotency-key", key)
        if route not in RAW:
            request.add_header("accept-encoding", "gzip")
        for name, text in (headers or {}).items():
            request.add_header(name, text)
        is_safe = method in ("GET", "DELETE") or route in IDEMPOTENT
        return self._send(request, is_safe, route in RAW, timeout or self._timeout)

    def _send(self, request: urllib.request.Request, is_safe: bool, is_raw: bool, timeout: float) -> Any:
        tries = 0
        while True:
            try:
                return self._attempt(request, is_raw, timeout)
            except TidemarkError as error:
                is_retried = error.status in RETRIED or error.code == "network"
                delay = FIRST_DELAY * 2**tries * random.uniform(0.75, 1.25)
                if error.retry_after is not None:
                    delay = error.retry_after
                if not is_safe or not is_retried or tries >= self._max_retries or delay > MAX_DELAY:
                    raise
            tries += 1
            time.sleep(delay)

    def _attempt(self, request: urllib.request.Request, is_raw: bool, timeout: float) -> Any:
        try:
            response = self._open(request, timeout=timeout)
            content_type = response.headers.get("content-type", "")
            is_json = content_type.startswith("application/json")
            if is_raw and not is_json:
                return Response(response)
            with response:
                body = _content(response)
        except urllib.error.HTTPError as error:
            with error:
                raise error_of(error.code, error.headers, _content(error)) from None
        except OSError as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, OSError) and "timed out" in str(reason):
                message = f"no response from {request.full_url} within {timeout:g} s"
                raise RequestTimeoutError(message, code="timeout") from error
            raise NetworkError(f"no response from {request.full_url}: {reason}", code="network") from error
        except (http.client.HTTPException, EOFError, zlib.error) as error:
            message = f"the response of {request.full_url} is incomplete: {error!r}"
            raise NetworkError(message, code="network") from error
        if is_json:
            try:
                return json.loads(body)
            except ValueError as error:
                message = f"the response of {request.full_url} is no JSON: {error}"
                raise NetworkError(message, code="network") from error
        if not body:
            return None
        message = f"expected JSON, received {content_type or 'no content type'}: check the base URL"
        request_id = response.headers.get("x-request-id")
        raise UnexpectedError(message, code="unexpected", status=response.status, request_id=request_id)
