export const BILLING_TABS = ['plan', 'limits', 'invoices', 'details'] as const;
export type BillingTab = (typeof BILLING_TABS)[number];

export const PERIODS = ['month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

/** How a payment ended that the page of the gateway returned from. */
export const PAYMENT_STATES = ['confirmed', 'pending'] as const;

export interface BillingSearch {
  readonly tab?: BillingTab | undefined;
  readonly period?: Period | undefined;
  readonly currency?: string | undefined;
  readonly payment?: (typeof PAYMENT_STATES)[number] | undefined;
}
