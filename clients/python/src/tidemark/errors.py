"""The base class of every error of the client."""

from __future__ import annotations

import builtins
from typing import Any


class TidemarkError(Exception):
    """A request that failed. Each code of the API has a subclass; ``code`` is for programs, the text for people.

    Codes of the client: ``network`` (no response arrived), ``timeout``, ``job_timeout`` (a job did not end in the time of
    ``wait``), ``unexpected`` (the response is not one of this API), ``stalled_cursor`` (a list returned the cursor that
    was sent), ``invalid_path`` (a path value that no URL can carry), ``invalid_signature``.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        request_id: str | None = None,
        retry_after: float | None = None,
        detail: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        #: HTTP status; 0 if no response arrived.
        self.status = status
        #: Identifies the request in the logs of the server.
        self.request_id = request_id
        #: Wait that the server demands before the next request, seconds.
        self.retry_after = retry_after
        #: The invalid fields.
        self.detail = detail or []

    def __str__(self) -> str:
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{self.message} ({self.code}{request})"


class NetworkError(TidemarkError):
    """No response arrived, or the connection ended within it."""


class RequestTimeoutError(TidemarkError, builtins.TimeoutError):
    """No response arrived in time."""


class JobTimeoutError(TidemarkError, builtins.TimeoutError):
    """A job did not end in the time of ``wait``. It continues on the server."""


class UnexpectedError(TidemarkError):
    """The response is not one of this API: check the base URL and the proxies."""


class InvalidPathError(TidemarkError, ValueError):
    """A path value that no URL can carry: empty, a dot segment, or with control characters. No request was sent."""


class StalledCursorError(TidemarkError):
    """A list returned the cursor that was sent: it would never end."""


class SignatureError(TidemarkError):
    """No secret signed the webhook message, or the message is too old."""
