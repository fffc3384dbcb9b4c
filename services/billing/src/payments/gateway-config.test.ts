import { describe, expect, it } from '@jest/globals';
import { type GatewayConfig, gatewaySettings, RAZORPAY_URL } from './gateway-config.ts';

const RAZORPAY: GatewayConfig = {
  PAYMENT_GATEWAY: 'razorpay',
  RAZORPAY_KEY_ID: 'rzp_live_1',
  RAZORPAY_KEY_SECRET: 'secret',
  RAZORPAY_WEBHOOK_SECRETS: 'new,old',
  RAZORPAY_URL,
  STRIPE_PUBLISHABLE_KEY: '',
  STRIPE_SECRET_KEY: '',
  STRIPE_WEBHOOK_SECRETS: '',
  STRIPE_RETURN_URL: '',
};
const SANDBOX_URL = 'http://127.0.0.1:9/v1';

describe('the settings of the payment gateway', () => {
  it('name no gateway by default', () => {
    expect(gatewaySettings({ ...RAZORPAY, PAYMENT_GATEWAY: 'none' })).toBeUndefined();
  });

  it('send real keys to Razorpay, whose script opens checkout', () => {
    expect(gatewaySettings(RAZORPAY)).toMatchObject({
      url: 'https://api.razorpay.com/v1',
      webhookSecrets: ['new', 'old'],
      checkoutPage: undefined,
    });
  });

  it('send keys of the sandbox to its URL, where checkout is a page', () => {
    const sandbox = { ...RAZORPAY, RAZORPAY_KEY_ID: 'rzp_sandbox_1', RAZORPAY_URL: SANDBOX_URL };
    expect(gatewaySettings(sandbox)).toMatchObject({ url: SANDBOX_URL, checkoutPage: 'http://127.0.0.1:9/checkout' });
  });

  it.each([
    ['real keys at another URL', { RAZORPAY_URL: SANDBOX_URL }, /RAZORPAY_URL/],
    ['keys of the sandbox at Razorpay', { RAZORPAY_KEY_ID: 'rzp_sandbox_1' }, /RAZORPAY_URL/],
    [
      'keys of the sandbox beside a key of Stripe',
      { RAZORPAY_KEY_ID: 'rzp_sandbox_1', RAZORPAY_URL: SANDBOX_URL, STRIPE_SECRET_KEY: 'sk_live_1' },
      /STRIPE_SECRET_KEY/,
    ],
    [
      'keys of the sandbox beside Stripe',
      { PAYMENT_GATEWAY: 'stripe', RAZORPAY_KEY_ID: 'rzp_sandbox_1' },
      /RAZORPAY_KEY_ID/,
    ],
    ['the URL of a sandbox beside Stripe', { PAYMENT_GATEWAY: 'stripe', RAZORPAY_URL: SANDBOX_URL }, /RAZORPAY_URL/],
    ['no secret of the webhook', { RAZORPAY_WEBHOOK_SECRETS: '' }, /RAZORPAY_WEBHOOK_SECRETS/],
  ] as const)('refuse %s', (_, changed, problem) => {
    expect(() => gatewaySettings({ ...RAZORPAY, ...changed })).toThrow(problem);
  });
});
