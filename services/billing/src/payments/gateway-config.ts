import type { HttpClient } from '@tidemark/egress';
import type { PaymentGateway } from './port/gateway.ts';
import type { GatewayIds } from './port/gateway-ids.ts';
import { RazorpayGateway, type RazorpaySettings } from './razorpay/razorpay-gateway.ts';
import { StripeGateway, type StripeSettings } from './stripe/stripe-gateway.ts';

export interface GatewayConfig {
  readonly PAYMENT_GATEWAY: 'none' | 'razorpay' | 'stripe' | 'sandbox';
  readonly RAZORPAY_KEY_ID: string;
  readonly RAZORPAY_KEY_SECRET: string;
  readonly RAZORPAY_WEBHOOK_SECRETS: string;
  readonly STRIPE_PUBLISHABLE_KEY: string;
  readonly STRIPE_SECRET_KEY: string;
  readonly STRIPE_WEBHOOK_SECRETS: string;
  readonly STRIPE_RETURN_URL: string;
  readonly PAYMENT_SANDBOX_URL: string;
}

export type GatewaySettings = RazorpaySettings | StripeSettings;

const RAZORPAY_URL = 'https://api.razorpay.com/v1';
const STRIPE_URL = 'https://api.stripe.com/v1';
const SANDBOX_KEY = 'rzp_sandbox_';

/** Returns the settings of the configured gateway; undefined without one. @throws Error for missing or contradictory settings */
export function gatewaySettings(config: GatewayConfig): GatewaySettings | undefined {
  const { PAYMENT_GATEWAY: kind, RAZORPAY_KEY_ID: keyId, PAYMENT_SANDBOX_URL: sandboxUrl } = config;
  if (kind === 'none') return undefined;
  if (kind === 'sandbox') return sandboxSettings(config);
  if (sandboxUrl !== '' || keyId.startsWith(SANDBOX_KEY))
    throw new Error(`PAYMENT_GATEWAY is ${kind}; PAYMENT_SANDBOX_URL and keys of the sandbox are refused`);
  if (kind === 'stripe') return stripeSettings(config);
  return { ...razorpayKeys(config), url: RAZORPAY_URL, checkoutPage: undefined };
}

function sandboxSettings(config: GatewayConfig): RazorpaySettings {
  const { RAZORPAY_KEY_ID: keyId, PAYMENT_SANDBOX_URL: sandboxUrl } = config;
  if ((keyId !== '' && !keyId.startsWith(SANDBOX_KEY)) || config.STRIPE_SECRET_KEY !== '')
    throw new Error(
      `PAYMENT_GATEWAY is sandbox, and keys of a real gateway are set (expected ${SANDBOX_KEY}… and no key of Stripe): remove one of them`,
    );
  if (sandboxUrl === '') throw new Error('PAYMENT_GATEWAY is sandbox; expected PAYMENT_SANDBOX_URL too');
  return { ...razorpayKeys(config), url: `${sandboxUrl}/v1`, checkoutPage: `${sandboxUrl}/checkout` };
}

function razorpayKeys(config: GatewayConfig) {
  const { PAYMENT_GATEWAY: gateway, RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret } = config;
  const webhookSecrets = secretsOf(config.RAZORPAY_WEBHOOK_SECRETS);
  if (keyId === '' || keySecret === '' || webhookSecrets.length === 0)
    throw new Error(
      `PAYMENT_GATEWAY is ${gateway}; expected RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET and RAZORPAY_WEBHOOK_SECRETS too`,
    );
  return { kind: 'razorpay', keyId, keySecret, webhookSecrets } as const;
}

function stripeSettings(config: GatewayConfig): StripeSettings {
  const { STRIPE_PUBLISHABLE_KEY: keyId, STRIPE_SECRET_KEY: secretKey, STRIPE_RETURN_URL: returnUrl } = config;
  const webhookSecrets = secretsOf(config.STRIPE_WEBHOOK_SECRETS);
  if (keyId === '' || secretKey === '' || webhookSecrets.length === 0 || returnUrl === '')
    throw new Error(
      'PAYMENT_GATEWAY is stripe; expected STRIPE_PUBLISHABLE_KEY, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS and STRIPE_RETURN_URL too',
    );
  return { kind: 'stripe', url: STRIPE_URL, keyId, secretKey, webhookSecrets, returnUrl };
}

const secretsOf = (list: string): string[] => list.split(',').filter((secret) => secret !== '');

/** Opens the configured gateway; undefined: this installation sells nothing. */
export function openGateway(
  settings: GatewaySettings | undefined,
  ports: { readonly http: HttpClient; readonly ids: GatewayIds },
): PaymentGateway | undefined {
  if (settings === undefined) return undefined;
  return settings.kind === 'stripe' ? new StripeGateway(settings, ports) : new RazorpayGateway(settings, ports);
}
