from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import unittest

from tidemark import SignatureError, verify_webhook

KEY = bytes(range(24))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
OLD_SECRET = "whsec_" + base64.b64encode(bytes(24)).decode()
BODY = json.dumps({"id": "whd_1", "event": "run.finished"}).encode()


def signed(secret: str, at: float | None = None) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"whd_1.{timestamp}.".encode() + BODY, hashlib.sha256).digest()
    return {
        "Webhook-Id": "whd_1",
        "Webhook-Timestamp": timestamp,
        "Webhook-Signature": "v1," + base64.b64encode(digest).decode(),
    }


class Webhooks(unittest.TestCase):
    def test_a_signed_message_is_returned(self) -> None:
        self.assertEqual(verify_webhook(BODY, signed(SECRET), SECRET)["event"], "run.finished")
        self.assertEqual(verify_webhook(BODY.decode(), signed(OLD_SECRET), [SECRET, OLD_SECRET])["id"], "whd_1")

    def test_either_signature_of_a_header_is_accepted(self) -> None:
        headers = signed(SECRET)
        headers["Webhook-Signature"] = f"{signed(OLD_SECRET)['Webhook-Signature']} {headers['Webhook-Signature']}"
        self.assertEqual(verify_webhook(BODY, headers, SECRET)["id"], "whd_1")

    def test_other_secrets_bodies_and_missing_headers_are_refused(self) -> None:
        for body, headers, secret in (
            (BODY, signed(OLD_SECRET), SECRET),
            (BODY + b" ", signed(SECRET), SECRET),
            (BODY, {}, SECRET),
            (BODY, signed(SECRET), "whsec_%%%"),
            (BODY, {**signed(SECRET), "Webhook-Timestamp": "soon"}, SECRET),
        ):
            with self.subTest(headers=headers), self.assertRaises(SignatureError):
                verify_webhook(body, headers, secret)

    def test_an_old_message_is_refused(self) -> None:
        with self.assertRaises(SignatureError):
            verify_webhook(BODY, signed(SECRET, 1_000), SECRET, now=1_301)
        self.assertEqual(verify_webhook(BODY, signed(SECRET, 1_000), SECRET, now=1_299)["id"], "whd_1")

    def test_the_signature_without_time_is_read_only_without_a_tolerance(self) -> None:
        headers = {"X-Service-Signature": "sha256=" + hmac.new(SECRET.encode(), BODY, hashlib.sha256).hexdigest()}
        with self.assertRaises(SignatureError):
            verify_webhook(BODY, headers, SECRET)
        self.assertEqual(verify_webhook(BODY, headers, SECRET, tolerance=None)["id"], "whd_1")


if __name__ == "__main__":
    unittest.main()
