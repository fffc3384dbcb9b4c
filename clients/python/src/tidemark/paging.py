"""Lists, requested page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .errors import StalledCursorError
from .transport import Transport


def check_advance(sent: str, received: str | None, count: int) -> None:
    """Raises if a response has items and the cursor that was sent."""
    if count and received == sent:
        message = f"the list does not advance: the cursor {sent} was returned again with {count} items"
        raise StalledCursorError(message, code="stalled_cursor")


def items(
    transport: Transport, route: str, path: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None
) -> Iterator[Any]:
    """Yields the items of a list and requests its pages as they are consumed.

    Pages are requested from the base URL by their cursor. The links in responses are not followed, so that no other
    host receives the key.
    """
    cursor = ""
    while True:
        page = transport.call(route, path, {**(query or {}), "cursor": cursor})
        found = page.get("data", page.get("entries", []))
        yield from found
        if page["cursor"] is None:
            return
        check_advance(cursor, page["cursor"], len(found))
        cursor = page["cursor"]
