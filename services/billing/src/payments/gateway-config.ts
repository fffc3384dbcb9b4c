import type { HttpClient } from '@tidemark/egress';
import type { PaymentGateway } from './port/gateway.ts';
import type { GatewayIds } from './port/gateway-ids.ts';
import { RazorpayGateway, type RazorpaySettings } from './razorpay/razorpay-gateway.ts';

export interface GatewayConfig {
  readonly PAYMENT_GATEWAY: 'none' | 'razorpay' | 'sandbox';
  readonly RAZORPAY_KEY_ID: string;
  readonly RAZORPAY_KEY_SECRET: string;
  readonly RAZORPAY_WEBHOOK_SECRETS: string;
  readonly PAYMENT_SANDBOX_URL: string;
}

const RAZORPAY_URL = 'https://api.razorpay.com/v1';
const SANDBOX_KEY = 'rzp_sandbox_';

/** Returns the settings of the configured gateway; undefined without one. @throws Error for missing or contradictory settings */
export function gatewaySettings(config: GatewayConfig): RazorpaySettings | undefined {
  const {
    PAYMENT_GATEWAY: kind,
    RAZORPAY_KEY_ID: keyId,
    RAZORPAY_KEY_SECRET: keySecret,
    PAYMENT_SANDBOX_URL: sandboxUrl,
  } = config;
  if (kind === 'none') return undefined;
  const webhookSecrets = config.RAZORPAY_WEBHOOK_SECRETS.split(',').filter((secret) => secret !== '');
  if (keyId === '' || keySecret === '' || webhookSecrets.length === 0)
    throw new Error(
      `PAYMENT_GATEWAY is ${kind}; expected RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET and RAZORPAY_WEBHOOK_SECRETS too`,
    );
  const keys = { keyId, keySecret, webhookSecrets };
  if (kind === 'sandbox') {
    if (!keyId.startsWith(SANDBOX_KEY))
      throw new Error(
        `PAYMENT_GATEWAY is sandbox, and RAZORPAY_KEY_ID is not a key of the sandbox (${SANDBOX_KEY}…): remove one of them`,
      );
    if (sandboxUrl === '') throw new Error('PAYMENT_GATEWAY is sandbox; expected PAYMENT_SANDBOX_URL too');
    return { ...keys, url: `${sandboxUrl}/v1`, checkoutPage: `${sandboxUrl}/checkout` };
  }
  if (sandboxUrl !== '' || keyId.startsWith(SANDBOX_KEY))
    throw new Error('PAYMENT_GATEWAY is razorpay; PAYMENT_SANDBOX_URL and keys of the sandbox are refused');
  return { ...keys, url: RAZORPAY_URL, checkoutPage: undefined };
}

/** Opens the configured gateway; undefined: this installation sells nothing. */
export function openGateway(
  settings: RazorpaySettings | undefined,
  ports: { readonly http: HttpClient; readonly ids: GatewayIds },
): PaymentGateway | undefined {
  return settings === undefined ? undefined : new RazorpayGateway(settings, ports);
}
