import { z } from 'zod';

/** The parts of Razorpay's objects that are read. Times are seconds since 1970. */
export const Created = z.object({ id: z.string().min(1) });

const time = z.int().nullish();

export const Payment = z.object({
  id: z.string(),
  status: z.enum(['created', 'authorized', 'captured', 'refunded', 'failed']),
  amount: z.int(),
  currency: z.string(),
  amount_refunded: z.int().nullish(),
  method: z.string().nullish(),
  created_at: z.int(),
  card: z.object({ network: z.string().nullish(), last4: z.string().nullish() }).nullish(),
});
export type Payment = z.output<typeof Payment>;

export const Payments = z.object({ items: z.array(Payment) });

export const Invoice = z.object({
  payment_id: z.string().nullish(),
  billing_start: time,
  billing_end: time,
});
export const Invoices = z.object({ items: z.array(Invoice) });

export const Subscription = z.object({
  id: z.string(),
  status: z.string(),
  notes: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).nullish(),
  has_scheduled_changes: z.boolean().nullish(),
});
export type Subscription = z.output<typeof Subscription>;
export const Subscriptions = z.object({ items: z.array(Subscription) });

export const Addon = z.object({
  subscription_id: z.string().nullish(),
  item: z.object({ description: z.string().nullish() }),
});
export type Addon = z.output<typeof Addon>;
export const Addons = z.object({ items: z.array(Addon) });

export const Refund = z.object({ id: z.string(), status: z.enum(['pending', 'processed', 'failed']) });

const named = z.object({ entity: z.object({ id: z.string(), order_id: z.string().nullish() }) }).optional();

export const Message = z.object({
  event: z.string().max(100),
  payload: z.object({ order: named, subscription: named, payment: named }),
});
export type Message = z.output<typeof Message>;
