import { z } from 'zod';

/** The parts of Stripe's objects that are read, in the version of the API that is requested. Times are seconds since 1970. */
export const Created = z.object({ id: z.string().min(1) });

const Charge = z.object({
  created: z.int(),
  amount_refunded: z.int().default(0),
  payment_method_details: z
    .object({
      type: z.string(),
      card: z.object({ brand: z.string().nullish(), last4: z.string().nullish() }).nullish(),
    })
    .nullish(),
});

export const PaymentIntent = z.object({
  id: z.string(),
  status: z.string(),
  amount: z.int(),
  currency: z.string(),
  created: z.int(),
  last_payment_error: z.unknown(),
  latest_charge: Charge.nullish(),
});
export type PaymentIntent = z.output<typeof PaymentIntent>;

export const Session = z.object({ url: z.string().nullish(), payment_intent: PaymentIntent.nullish() });

export const Price = z.object({ id: z.string(), product: z.string(), recurring: z.object({ interval: z.string() }) });
export type Price = z.output<typeof Price>;

export const Subscription = z.object({
  id: z.string(),
  status: z.string(),
  customer: z.string(),
  current_period_end: z.int(),
  metadata: z.record(z.string(), z.string()).default({}),
  items: z.object({ data: z.array(z.object({ id: z.string(), price: Price })).min(1) }),
});
export type Subscription = z.output<typeof Subscription>;

export const OpenInvoice = z.object({
  latest_invoice: z.object({ hosted_invoice_url: z.string().nullish(), status: z.string().nullish() }).nullish(),
});

export const Invoice = z.object({
  payment_intent: PaymentIntent.nullish(),
  lines: z.object({
    data: z.array(z.object({ type: z.string(), period: z.object({ start: z.int(), end: z.int() }) })),
  }),
});
export const Invoices = z.object({ data: z.array(Invoice) });
export type Invoice = z.output<typeof Invoice>;

export const InvoiceItems = z.object({
  data: z.array(z.object({ metadata: z.record(z.string(), z.string()).default({}) })),
});

export const Refund = z.object({ id: z.string(), status: z.string().nullish() });

export const PortalSession = z.object({ url: z.string() });

const reference = z.string().nullish();
export const StripeMessage = z.object({
  id: z.string().min(1).max(200),
  type: z.string().max(100),
  data: z.object({
    object: z.object({ id: z.string(), object: z.string(), payment_intent: reference, subscription: reference }),
  }),
});
export type StripeMessage = z.output<typeof StripeMessage>;
