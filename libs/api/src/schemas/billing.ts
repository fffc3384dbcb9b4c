import { Time } from '@tidemark/results';
import { z } from 'zod';
import { BillingDetails, Subscription } from './payments.ts';

export const CHARGE_KINDS = ['page', 'map_file'] as const;

/** What was spent in a month, by kind. */
export const SpendByKind = z.object({ kind: z.enum(CHARGE_KINDS), pages: z.int(), credits: z.int() });

/** Tokens of language models in a month. */
/** What tokens of language models are spent on. */
export const TOKEN_KINDS = ['extraction', 'digest'] as const;

export const MonthTokens = z
  .array(
    z
      .object({
        kind: z.enum(TOKEN_KINDS),
        model: z.string(),
        count: z.int().describe('Number of extractions or digests'),
        inputTokens: z.int(),
        outputTokens: z.int(),
      })
      .meta({ id: 'TokenUsage' }),
  )
  .describe('Tokens of language models, by kind and model; their providers charge the workspace, no credits are used');

export const Charge = z.object({
  at: Time,
  kind: z.enum(CHARGE_KINDS),
  ref: z.string().describe('Id of what was charged'),
  credits: z.int(),
  keyId: z.string().nullable().describe('The key that started the work; null: a person or a schedule'),
  memberId: z.string().nullable().describe('The person who started the work; null: a key or a schedule'),
  subAccountId: z.string().nullable().describe('The sub-account that was charged; null: the workspace itself'),
});

const Amounts = z.record(z.string(), z.int()).describe('Minor units, by ISO 4217 code');

export const Plan = z
  .object({
    id: z.string(),
    name: z.string(),
    prices: z
      .record(z.string(), z.object({ month: z.int(), year: z.int() }))
      .describe('Price of a month and of a year in minor units, by ISO 4217 code; empty: the plan is not sold'),
    allowance: z.int().nullable().describe('Credits of each month; null: no credit limit'),
    overagePer1000: Amounts.describe('Price of 1,000 credits beyond the allowance; empty: no overage'),
    welcomeCredits: z.int().describe('Credits granted once'),
    rpm: z.int().describe('Requests per minute of each key'),
    subAccounts: z.int(),
    features: z.array(z.string()),
  })
  .meta({ id: 'Plan' });

export const Pack = z.object({ id: z.string(), credits: z.int(), prices: Amounts }).meta({ id: 'Pack' });

/** Where the credits of planned work would come from. */
export const CostEstimate = z
  .object({
    credits: z.int(),
    allowance: z.int(),
    welcome: z.int(),
    purchased: z.int(),
    overage: z.int(),
    uncovered: z.int().describe('More than the workspace may spend: the work stops with credit_limit before'),
    amountMinor: z.int().describe('Price of the overage without tax, in minor units'),
    currency: z.string().nullable().describe('ISO 4217; null: the plan has no price'),
  })
  .meta({ id: 'CostEstimate' });
export type CostEstimate = z.output<typeof CostEstimate>;

/** The field of a preview. */
export const EstimatedCost = CostEstimate.nullable().describe(
  'Where the estimated credits would come from now, after work in progress; null: billing does not answer',
);

const LIMIT_SUBJECT = /^(?:key|usr|prj)_[0-9a-z]{20,40}$/;

/** What a key, person or project may spend. */
export const SpendLimits = z
  .array(
    z
      .object({
        keyId: z.string().nullable(),
        memberId: z.string().nullable(),
        projectId: z.string().nullable(),
        credits: z.int().describe('Of each period'),
        used: z.int().describe('In the current period'),
      })
      .meta({ id: 'SpendLimit' }),
  )
  .describe('Limits of keys, people and projects; one of the three ids is set');

const Credits = z.object({
  remaining: z
    .int()
    .nullable()
    .describe(
      'May still be spent, including reserved credits and overage; null: no limit. Of a sub-account: what its cap leaves',
    ),
  reserved: z
    .int()
    .describe(
      'Reserved for work in progress, and for pages that ended within the last two seconds: new work can spend `remaining` less `reserved`',
    ),
  allowance: z.int().nullable().describe('Of each period; null: the plan has no credit limit'),
  allowanceLeft: z.int().describe('Spent first'),
  welcomeLeft: z.int().describe('Spent after the allowance; does not expire'),
  purchasedLeft: z.int().describe('Spent last; does not expire; negative after a refund of credits that were used'),
  overageUsed: z.int().describe('Spent beyond all others in this period'),
  overageRoom: z.int().nullable().describe('May be spent beyond all others in a period; null: no limit'),
  periodStart: Time.nullable(),
  resetsAt: Time.nullable().describe('When the allowance is full again; null: the plan has none'),
});

export const Billing = z
  .object({
    plan: Plan,
    paidBy: z
      .string()
      .nullable()
      .describe('The parent, whose credits a sub-account spends; null: the workspace itself'),
    credits: Credits,
    cap: z.number().describe('How far past the allowance the workspace may run, as a multiple of it; 0: no cap'),
    limits: SpendLimits,
    spend: z
      .object({ start: Time, end: Time, credits: z.int(), byKind: z.array(SpendByKind) })
      .describe('The calendar month (UTC)'),
    charges: z.array(Charge).describe('The latest charges of the month, newest first, at most 50'),
    gateway: z
      .string()
      .nullable()
      .describe('Payment gateway that sells plans and credits to the workspace; null: nothing is sold to it'),
    plans: z.array(Plan).describe('Plans of this deployment'),
    packs: z.array(Pack).describe('Credits that can be bought'),
    subscription: Subscription.nullable().describe('null: the workspace has none'),
    billingDetails: BillingDetails.nullable().describe('The buyer as invoices name it; null: not stored'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Billing' });

export const CapPatch = z
  .strictObject({
    cap: z
      .union([z.literal(0), z.number().min(0.1).max(20).multipleOf(0.1)])
      .optional()
      .describe('Multiple of the allowance, 0.1 to 20 in steps of 0.1; 0: no cap'),
    limits: z
      .array(
        z.strictObject({
          id: z.string().regex(LIMIT_SUBJECT, 'expected the id of a key, member or project: key_…, usr_… or prj_…'),
          credits: z.int().min(0).max(2_000_000_000).nullable().describe('Of each period; null: removes the limit'),
        }),
      )
      .min(1)
      .max(100)
      .optional()
      .describe('Spend limits of keys, members and projects; those that are not named are kept'),
  })
  .refine(({ cap, limits }) => cap !== undefined || limits !== undefined, 'expected cap, limits or both')
  .meta({ id: 'CapPatch' });

export type Billing = z.output<typeof Billing>;
