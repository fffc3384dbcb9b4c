import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startBillingDemo } from './billing-demo.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-billing-demo-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

describe('npm start -- --billing-demo', () => {
  it.each([
    [{ RAZORPAY_KEY_ID: 'rzp_live_1' }, /RAZORPAY_KEY_ID/],
    [{ STRIPE_SECRET_KEY: 'sk_live_1' }, /STRIPE_SECRET_KEY/],
    [{ PAYMENT_GATEWAY: 'stripe' }, /PAYMENT_GATEWAY/],
  ])('is refused beside the settings %j of a real gateway', async (env, problem) => {
    await expect(startBillingDemo({ dataDir, restPort: 1 }, env)).rejects.toThrow(problem);
  });

  it('runs the sandbox in a process of its own, for which billing gets the settings, and ends it', async () => {
    const demo = await startBillingDemo({ dataDir, restPort: 1 }, {});
    try {
      expect(demo.env).toMatchObject({ PAYMENT_GATEWAY: 'razorpay', RAZORPAY_URL: `${demo.url}/v1` });
      expect((await fetch(`${demo.url}/v1/orders/order_1`)).status).toBe(401);
      const credentials = `${demo.env['RAZORPAY_KEY_ID']}:${demo.env['RAZORPAY_KEY_SECRET']}`;
      const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
      expect((await fetch(`${demo.url}/v1/orders/order_1`, { headers })).status).toBe(404);
    } finally {
      await demo.close();
    }
    await expect(fetch(demo.url)).rejects.toThrow();
  });
});
