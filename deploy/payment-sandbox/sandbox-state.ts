import { randomBytes } from 'node:crypto';

/** Objects of the sandbox in the form of Razorpay's. Times are seconds. */
export interface SandboxPayment {
  readonly id: string;
  status: 'created' | 'authorized' | 'captured' | 'refunded' | 'failed';
  readonly amount: number;
  readonly currency: string;
  amount_refunded: number;
  readonly method: string;
  readonly order_id: string | null;
  readonly created_at: number;
  readonly card: { readonly network: string; readonly last4: string } | null;
}

export interface SandboxOrder {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly receipt: string;
  status: 'created' | 'attempted' | 'paid';
}

export interface SandboxPlan {
  readonly id: string;
  readonly period: 'monthly' | 'yearly';
  readonly item: { readonly name: string; readonly amount: number; readonly currency: string };
}

export interface SandboxSubscription {
  readonly id: string;
  plan_id: string;
  status: 'created' | 'authenticated' | 'active' | 'pending' | 'halted' | 'cancelled' | 'completed' | 'expired';
  readonly notes: Readonly<Record<string, string>>;
  readonly start_at: number | null;
  current_start: number | null;
  current_end: number | null;
  addons: SandboxAddon[];
  scheduled_plan: string | null;
  cancels_at_end: boolean;
  method: string;
}

export interface SandboxAddon {
  readonly id: string;
  readonly subscription_id: string;
  readonly item: { readonly name: string; readonly description: string; readonly amount: number };
}

export interface SandboxInvoice {
  readonly id: string;
  readonly subscription_id: string;
  readonly payment_id: string | null;
  readonly status: 'issued' | 'paid';
  readonly billing_start: number | null;
  readonly billing_end: number | null;
}

export interface SandboxRefund {
  readonly id: string;
  readonly payment_id: string;
  readonly amount: number;
  readonly status: 'processed';
}

/** Everything that the sandbox stores, in memory: it ends with the process. */
export class SandboxState {
  /** Difference of its clock to the real time, seconds: a subscription that is paid in the past has a period that ends earlier. */
  clockOffset = 0;
  readonly customers = new Map<string, { readonly id: string; readonly email: string }>();
  readonly plans = new Map<string, SandboxPlan>();
  readonly orders = new Map<string, SandboxOrder>();
  readonly subscriptions = new Map<string, SandboxSubscription>();
  readonly payments = new Map<string, SandboxPayment>();
  readonly invoices: SandboxInvoice[] = [];
  readonly addons: SandboxAddon[] = [];
  readonly refunds = new Map<string, SandboxRefund>();
}

/** Returns an id such as `pay_29QQoUBi66xm2f`. */
export const sandboxId = (prefix: string): string => `${prefix}_${randomBytes(7).toString('hex')}`;

/** An error with which the API answers. */
export class SandboxRefusal extends Error {
  readonly status: number;

  constructor(status: number, description: string) {
    super(description);
    this.status = status;
  }
}

/** Returns an object of a map. @throws SandboxRefusal */
export function found<T>(objects: ReadonlyMap<string, T>, id: string): T {
  const object = objects.get(id);
  if (object === undefined) throw new SandboxRefusal(404, `${id} does not exist`);
  return object;
}
