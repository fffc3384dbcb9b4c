"""Verification of webhook messages."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

from .errors import SignatureError
from .generated.contract import WebhookMessage

TOLERANCE_SECONDS = 300.0


def _invalid(message: str) -> SignatureError:
    return SignatureError(message, code="invalid_signature")


def _standard(secret: str, content: bytes) -> str:
    """Signs as Standard Webhooks does: with the decoded bytes after the prefix."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        return ""
    return "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode() if key else ""


def verify_webhook(
    raw: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float | None = TOLERANCE_SECONDS,
    now: float | None = None,
) -> WebhookMessage:
    """Returns the message if one of the secrets signed it and it is at most five minutes old.

    Reads the headers of Standard Webhooks. X-Service-Signature has no time, so that an old message could be sent
    again: it is read only with ``tolerance=None``.

    :param raw: the body as received, before any parsing
    :param secrets: one, or several during a rotation
    :raises SignatureError: if the message is not accepted
    """
    body = raw.encode() if isinstance(raw, str) else raw
    given = {name.lower(): value for name, value in headers.items()}
    candidates = [secrets] if isinstance(secrets, str) else list(secrets)
    standard = given.get("webhook-signature", "")
    if standard:
        timestamp = given.get("webhook-timestamp", "")
        if not timestamp.isdigit():
            raise _invalid("the message has no valid webhook-timestamp header")
        if tolerance is not None and abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
            raise _invalid(f"the time of the message differs from this clock by more than {tolerance:g} s")
        content = f"{given.get('webhook-id', '')}.{timestamp}.".encode() + body
        expected = [_standard(secret, content) for secret in candidates]
        received = standard.split(" ")
    elif tolerance is None and "x-service-signature" in given:
        expected = ["sha256=" + hmac.new(one.encode(), body, hashlib.sha256).hexdigest() for one in candidates]
        received = [given["x-service-signature"]]
    else:
        raise _invalid("the message has no webhook-signature header")
    pairs = [(one, other) for one in expected if one for other in received]
    # Every pair is compared, so that the time does not depend on which one is equal.
    if not any([hmac.compare_digest(one.encode(), other.encode()) for one, other in pairs]):
        raise _invalid("the signature is invalid: check the secret, and that the body is unchanged")
    return cast(WebhookMessage, json.loads(body))
