/** A function that verifies a message, in one language. A test runs it on signed messages. */
export interface WebhookSample {
  readonly language: string;
  readonly code: string;
}

const TYPESCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns the message if its signature is valid and at most five minutes old; throws otherwise. */
export function verify(rawBody: string, headers: Record<string, string | undefined>, secret: string) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) throw new Error('the message is too old');
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${rawBody}\`).digest();
  const isValid = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isValid) throw new Error('the signature is invalid');
  return JSON.parse(rawBody);
}
`;

const PYTHON = `import base64, hashlib, hmac, json, time

def verify(raw_body: bytes, headers, secret: str):
    """Returns the message if its signature is valid and at most five minutes old; raises ValueError otherwise."""
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("the message is too old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{message_id}.{timestamp}.".encode() + raw_body
    expected = b"v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())
    signatures = headers["webhook-signature"].encode().split(b" ")
    if not any(hmac.compare_digest(signature, expected) for signature in signatures):
        raise ValueError("the signature is invalid")
    return json.loads(raw_body)
`;

const PHP = `<?php
/** Returns the message if its signature is valid and at most five minutes old; throws otherwise. */
function verify(string $rawBody, array $headers, string $secret): array
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (abs(time() - (int) $timestamp) > 300) {
        throw new RuntimeException('the message is too old');
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('the signature is invalid');
}
`;

export const WEBHOOK_SAMPLES: readonly WebhookSample[] = [
  { language: 'TypeScript', code: TYPESCRIPT },
  { language: 'Python', code: PYTHON },
  { language: 'PHP', code: PHP },
];
