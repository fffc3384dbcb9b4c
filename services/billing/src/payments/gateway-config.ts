import type { HttpClient } from '@tidemark/egress';
import type { PaymentGateway } from './port/gateway.ts';
import type { GatewayIds } from './port/gateway-ids.ts';
import { RazorpayGateway, type RazorpaySettings } from './razorpay/razorpay-gateway.ts';
import { StripeGateway, type StripeSettings } from './stripe/stripe-gateway.ts';

export interface GatewayConfig {
  readonly PAYMENT_GATEWAY: 'none' | 'razorpay' | 'stripe';
  readonly RAZORPAY_KEY_ID: string;
  readonly RAZORPAY_KEY_SECRET: string;
  readonly RAZORPAY_WEBHOOK_SECRETS: string;
  readonly RAZORPAY_URL: string;
  readonly STRIPE_PUBLISHABLE_KEY: string;
  readonly STRIPE_SECRET_KEY: string;
  readonly STRIPE_WEBHOOK_SECRETS: string;
  readonly STRIPE_RETURN_URL: string;
}

export type GatewaySettings = RazorpaySettings | StripeSettings;

export const RAZORPAY_URL = 'https://api.razorpay.com/v1';
const STRIPE_URL = 'https://api.stripe.com/v1';
/** Keys of a gateway that moves no money, for tests and demonstrations. */
const SANDBOX_KEY = 'rzp_sandbox_';

/** Returns the settings of the configured gateway; undefined without one. @throws Error for missing or contradictory settings */
export function gatewaySettings(config: GatewayConfig): GatewaySettings | undefined {
  switch (config.PAYMENT_GATEWAY) {
    case 'none':
      return undefined;
    case 'stripe':
      return stripeSettings(config);
    case 'razorpay':
      return razorpaySettings(config);
  }
}

/** Real keys are sent to Razorpay only, and keys of the sandbox to the sandbox only, whose checkout is a page of its own. */
function razorpaySettings(config: GatewayConfig): RazorpaySettings {
  const { RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret, RAZORPAY_URL: url } = config;
  const webhookSecrets = secretsOf(config.RAZORPAY_WEBHOOK_SECRETS);
  if (keyId === '' || keySecret === '' || webhookSecrets.length === 0)
    throw new Error(
      'PAYMENT_GATEWAY is razorpay; expected RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET and RAZORPAY_WEBHOOK_SECRETS too',
    );
  const isSandbox = keyId.startsWith(SANDBOX_KEY);
  if (isSandbox && config.STRIPE_SECRET_KEY !== '')
    throw new Error('RAZORPAY_KEY_ID is a key of the sandbox; STRIPE_SECRET_KEY is refused: remove one of them');
  if (isSandbox === (url === RAZORPAY_URL))
    throw new Error(
      `RAZORPAY_URL: expected ${RAZORPAY_URL} with real keys, and the URL of a sandbox with keys ${SANDBOX_KEY}…`,
    );
  const checkoutPage = isSandbox ? new URL('/checkout', url).href : undefined;
  return { kind: 'razorpay', url, keyId, keySecret, webhookSecrets, checkoutPage };
}

function stripeSettings(config: GatewayConfig): StripeSettings {
  if (config.RAZORPAY_KEY_ID.startsWith(SANDBOX_KEY) || config.RAZORPAY_URL !== RAZORPAY_URL)
    throw new Error(
      'PAYMENT_GATEWAY is stripe; keys of the sandbox in RAZORPAY_KEY_ID, and its RAZORPAY_URL, are refused',
    );
  const { STRIPE_PUBLISHABLE_KEY: keyId, STRIPE_SECRET_KEY: secretKey, STRIPE_RETURN_URL: returnUrl } = config;
  const webhookSecrets = secretsOf(config.STRIPE_WEBHOOK_SECRETS);
  if (keyId === '' || secretKey === '' || webhookSecrets.length === 0 || returnUrl === '')
    throw new Error(
      'PAYMENT_GATEWAY is stripe; expected STRIPE_PUBLISHABLE_KEY, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS and STRIPE_RETURN_URL too',
    );
  return { kind: 'stripe', url: STRIPE_URL, keyId, secretKey, webhookSecrets, returnUrl };
}

const secretsOf = (list: string): string[] => list.split(',').filter((secret) => secret !== '');

/** Makes the client of the configured gateway; undefined: this installation sells nothing. */
export function makeGateway(
  settings: GatewaySettings | undefined,
  ports: { readonly http: HttpClient; readonly ids: GatewayIds },
): PaymentGateway | undefined {
  if (settings === undefined) return undefined;
  return settings.kind === 'stripe' ? new StripeGateway(settings, ports) : new RazorpayGateway(settings, ports);
}
