import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newSecret } from '../domain/new-secret.ts';
import { webhookHeaders } from './sign-message.ts';

const NOW = new Date();
const [secret, before] = [newSecret(), newSecret()];
const message = { id: 'whd_01', event: 'run.finished', body: '{"id":"whd_01","word":"Fähre \\u2028 ✓"}' };

/** Written from the interface's documentation: sha256= and the hex HMAC-SHA256 of the raw body under the secret. */
function verifies(headers: Readonly<Record<string, string>>, body: string, under: string): boolean {
  const expected = Buffer.from(
    `sha256=${createHmac('sha256', Buffer.from(under)).update(Buffer.from(body)).digest('hex')}`,
  );
  const given = Buffer.from(headers['x-service-signature'] ?? '');
  return expected.length === given.length && timingSafeEqual(expected, given);
}

describe('a signed message', () => {
  const headers = webhookHeaders(message, [secret], { now: NOW });

  it('verifies as the interface documents, and not after a byte was changed', () => {
    expect(verifies(headers, message.body, secret)).toBe(true);
    expect(verifies(headers, `${message.body} `, secret)).toBe(false);
    expect(verifies(headers, message.body, before)).toBe(false);
    expect(headers).toMatchObject({
      'x-service-event': 'run.finished',
      'x-service-delivery': 'whd_01',
      'user-agent': 'Tidemark-Webhook/1.0',
    });
  });

  it('verifies by Standard Webhooks, and not under another id, at another time or with another body', () => {
    const webhook = new Webhook(secret);
    expect(webhook.verify(message.body, headers)).toEqual(JSON.parse(message.body));
    expect(() => webhook.verify(`${message.body} `, headers)).toThrow();
    expect(() => webhook.verify(message.body, { ...headers, 'webhook-id': 'whd_02' })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => webhook.verify(message.body, { ...headers, 'webhook-timestamp': later })).toThrow();
    expect(() => new Webhook(before).verify(message.body, headers)).toThrow();
  });

  it('verifies with both secrets in the day after a rotation, and X-Service-Signature with the requested one', () => {
    const both = webhookHeaders(message, [secret, before], { now: NOW });
    for (const known of [secret, before]) expect(() => new Webhook(known).verify(message.body, both)).not.toThrow();
    expect(verifies(both, message.body, secret)).toBe(true);
    const old = webhookHeaders(message, [secret, before], { signedBy: before, now: NOW });
    expect(verifies(old, message.body, before)).toBe(true);
  });
});
