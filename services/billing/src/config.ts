import { z } from 'zod';
import { RAZORPAY_URL } from './payments/gateway-config.ts';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  IDENTITY_ADDR: z.string(),
  /** Path of the operator's plan catalogue. @defaultValue the bundled catalogue */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Plan of accounts whose workspace has a plan that is not in the catalogue. */
  TIDEMARK_DEFAULT_PLAN: z.string().default('free'),
  /** Lease duration, seconds; an expired lease releases its credits. Must exceed the duration of the longest job including its retries. */
  LEASE_SECONDS: z.coerce.number().int().min(10).default(900),
  /** The payment gateway. none: no plan and no credits are sold. */
  PAYMENT_GATEWAY: z.enum(['none', 'razorpay', 'stripe']).default('none'),
  /** Id of the key of the account. The webhook is `/hooks/payments/razorpay` of the gateway. */
  RAZORPAY_KEY_ID: z.string().default(''),
  /** Secret of that key. */
  RAZORPAY_KEY_SECRET: z.string().default(''),
  /** Secrets of the webhook, comma-separated: the current one, and the one before while it is rotated. */
  RAZORPAY_WEBHOOK_SECRETS: z.string().default(''),
  /** URL of Razorpay's HTTP interface. Another one is accepted only with keys of the sandbox, `rzp_sandbox_…` (`deploy/payment-sandbox`). */
  RAZORPAY_URL: z.url().default(RAZORPAY_URL),
  /** Publishable key of the account. The webhook is `/hooks/payments/stripe` of the gateway. */
  STRIPE_PUBLISHABLE_KEY: z.string().default(''),
  /** Secret key of the account. */
  STRIPE_SECRET_KEY: z.string().default(''),
  /** Secrets of the webhook, comma-separated, as for Razorpay. */
  STRIPE_WEBHOOK_SECRETS: z.string().default(''),
  /** The billing page of the console, to which the pages of Stripe return. */
  STRIPE_RETURN_URL: z.string().default(''),
  /**
   * Path of a JSON file with the company that sells: `name`, `address`, `country`, `state`, `taxId`, `email`, `tax` (`{"kind": "gst", "rate": 1800}`,
   * `vat` or `none`). @defaultValue a seller without tax
   */
  TIDEMARK_SELLER: z.string().default(''),
  /** Hosts, host:port or CIDRs beside the public web that connections may reach. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports that no connection reaches. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Proxy of the network through which connections leave: http://, https:// or socks5:// URL, credentials included. @defaultValue none */
  HTTPS_PROXY: z.string().default(''),
  /** Names (with their subdomains), addresses or CIDRs that are reached without HTTPS_PROXY; comma-separated. */
  NO_PROXY: z.string().default(''),
  /** Host in the requests to HTTPS_PROXY: the checked `address`, or the `name`, which the proxy resolves itself. */
  TIDEMARK_PROXY_TARGET: z.enum(['address', 'name']).default('address'),
  /** How often expired leases are released, due periods begin and due accounts are compared, seconds. */
  SWEEP_SECONDS: z.coerce.number().min(0.1).default(30),
} as const;
