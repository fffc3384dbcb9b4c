import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '@tidemark/sdk';
import { Webhook } from 'standardwebhooks';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
const BODY = JSON.stringify({ id: 'whd_1', event: 'run.finished', data: { status: 'done' } });

/** Signs as a Standard Webhooks library does. */
function signed(secret: string, at = new Date(), body = BODY): Record<string, string> {
  return {
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('whd_1', at, body),
  };
}
const REFUSED = { code: 'invalid_signature' };

describe('verifyWebhook', () => {
  it('returns a message that the secret signed', async () => {
    const message = await verifyWebhook(BODY, signed(SECRET), SECRET);
    expect(message).toMatchObject({ event: 'run.finished', data: { status: 'done' } });
  });

  it('reads the headers of a library that has its own class for them', async () => {
    const own = new Headers(signed(SECRET));
    const headers = { get: (name: string) => own.get(name) } as unknown as Headers;
    expect(await verifyWebhook(BODY, headers, SECRET)).toMatchObject({ id: 'whd_1' });
  });

  it('reads bytes, a Headers object and headers of any case', async () => {
    const headers = new Headers(signed(SECRET));
    expect(await verifyWebhook(new TextEncoder().encode(BODY), headers, SECRET)).toMatchObject({ id: 'whd_1' });
    const upper = Object.fromEntries(
      Object.entries(signed(SECRET)).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(await verifyWebhook(BODY, upper, SECRET)).toMatchObject({ id: 'whd_1' });
  });

  it('accepts either secret during a rotation, and either signature of a header', async () => {
    expect(await verifyWebhook(BODY, signed(OLD_SECRET), [SECRET, OLD_SECRET])).toMatchObject({ id: 'whd_1' });
    const at = new Date();
    const both = {
      ...signed(SECRET, at),
      'webhook-signature': [OLD_SECRET, SECRET].map((one) => signed(one, at)['webhook-signature']).join(' '),
    };
    expect(await verifyWebhook(BODY, both, SECRET)).toMatchObject({ id: 'whd_1' });
  });

  it('refuses another secret, another body and a malformed signature', async () => {
    await expect(verifyWebhook(BODY, signed(OLD_SECRET), SECRET)).rejects.toMatchObject(REFUSED);
    await expect(verifyWebhook(`${BODY} `, signed(SECRET), SECRET)).rejects.toMatchObject(REFUSED);
    await expect(
      verifyWebhook(BODY, { ...signed(SECRET), 'webhook-signature': 'v1,%%%' }, SECRET),
    ).rejects.toMatchObject(REFUSED);
    await expect(verifyWebhook(BODY, {}, SECRET)).rejects.toMatchObject(REFUSED);
  });

  it('refuses a message that is older than five minutes', async () => {
    const at = new Date('2026-01-01T00:00:00Z');
    const now = at.getTime() + 301_000;
    await expect(verifyWebhook(BODY, signed(SECRET, at), SECRET, { now })).rejects.toMatchObject(REFUSED);
    expect(await verifyWebhook(BODY, signed(SECRET, at), SECRET, { now: now - 2_000 })).toMatchObject({ id: 'whd_1' });
  });

  it('reads X-Service-Signature, which has no time, only without a tolerance', async () => {
    const headers = { 'x-service-signature': `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}` };
    await expect(verifyWebhook(BODY, headers, SECRET)).rejects.toMatchObject(REFUSED);
    const untimed = { toleranceSeconds: Number.POSITIVE_INFINITY };
    expect(await verifyWebhook(BODY, headers, SECRET, untimed)).toMatchObject({ id: 'whd_1' });
    await expect(verifyWebhook(`${BODY} `, headers, SECRET, untimed)).rejects.toMatchObject(REFUSED);
  });
});
