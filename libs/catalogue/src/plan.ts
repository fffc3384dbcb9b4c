import { z } from 'zod';

/** Features that a plan includes or not. A route that needs one names it; a workspace without it gets 402 `plan_limit`. */
export const FEATURES = ['saved_logins', 'destinations', 'audit_log'] as const;
export type Feature = (typeof FEATURES)[number];

/** Amounts in minor units, by ISO 4217 code. */
const Amounts = z.record(z.string().regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as INR'), z.int().min(0));
const PlanPrices = z.record(
  z.string().regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as INR'),
  z.object({ month: z.int().min(1), year: z.int().min(1) }),
);

export const Plan = z
  .object({
    /** Shown to people; default: the key of the plan. */
    name: z.string().optional(),
    /** Price of a month and of a year, by currency; empty: the plan is not sold. */
    prices: PlanPrices.default({}),
    /** Credits of each month; null: no credit limit, usage is counted. */
    allowance: z.int().min(0).nullable().default(0),
    /** Price of 1,000 credits beyond the allowance, by currency; empty: the plan has no overage. */
    overagePer1000: Amounts.default({}),
    /** Credits granted once. */
    welcomeCredits: z.int().min(0).default(0),
    /** Rate limit per API key, requests per minute. */
    rpm: z.int().min(1),
    subAccounts: z.int().min(0),
    features: z.array(z.enum(FEATURES)).default([...FEATURES]),
  })
  .refine((plan) => Object.keys(plan.prices).length === 0 || (plan.allowance ?? 0) > 0, {
    message: 'a plan with a price needs an allowance of credits',
    path: ['allowance'],
  })
  .refine((plan) => Object.keys(plan.overagePer1000).every((currency) => currency in plan.prices), {
    message: 'overage is charged in currencies in which the plan has a price',
    path: ['overagePer1000'],
  });

/** Credits that are bought once and do not expire. */
export const Pack = z.object({ id: z.string().regex(/^[a-z0-9_]{1,40}$/), credits: z.int().min(1), prices: Amounts });

export type Plan = z.output<typeof Plan>;
export type Pack = z.output<typeof Pack>;
