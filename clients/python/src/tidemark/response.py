"""A response whose body is read by the caller."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from types import TracebackType

CHUNK = 65_536


class Response:
    """A file or an event stream. Close it, or use it as a context manager."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = response.headers

    def read(self, size: int = -1) -> bytes:
        """Reads the body, or at most ``size`` bytes of it."""
        return self._response.read() if size < 0 else self._response.read(size)

    def __iter__(self) -> Iterator[bytes]:
        """Yields the body in pieces."""
        while piece := self._response.read(CHUNK):
            yield piece

    def lines(self) -> Iterator[bytes]:
        """Yields the lines of the body as they arrive."""
        while line := self._response.readline(4 * 1024 * 1024):
            yield line

    def save(self, path: str) -> None:
        """Writes the body to a file."""
        with open(path, "wb") as file:
            for piece in self:
                file.write(piece)

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> Response:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
