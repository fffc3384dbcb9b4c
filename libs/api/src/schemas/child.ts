import { Time } from '@tidemark/results';
import { z } from 'zod';
import { Charge, SpendByKind } from './billing.ts';
import { listOf, nameText } from './parts.ts';

const child = {
  id: z.string(),
  name: z.string(),
  cap: z.int().describe('Credits it may spend in a month; 0: no cap'),
  suspended: z.boolean(),
  suspendedAt: Time.nullable(),
  createdAt: Time,
  spend: z.object({
    month: z.int().describe('Credits charged this month, UTC'),
    left: z
      .int()
      .nullable()
      .describe('Credits that the cap leaves, without those reserved for work in progress; null: no cap'),
  }),
};
const around = { creditsUsed: z.int(), request_id: z.string() };

export const Child = z.object(child).meta({ id: 'Child' });
export type Child = z.output<typeof Child>;

export const ChildList = listOf(Child)
  .extend({
    limit: z.int().describe('Sub-accounts that the plan allows'),
    used: z.int().describe('Sub-accounts of the workspace, suspended ones included'),
  })
  .meta({ id: 'ChildList' });

export const ChildResponse = z.object({ ...child, ...around }).meta({ id: 'ChildResponse' });

export const ChildDetail = z
  .object({
    ...child,
    period: z.object({ start: Time, end: Time }).describe('The month that spend, byKind and charges are of'),
    byKind: z.array(SpendByKind),
    charges: z.array(Charge).describe('The latest charges of the month, newest first, at most 50'),
    actors: z
      .array(
        z.object({
          keyId: z.string().nullable(),
          memberId: z.string().nullable(),
          name: z.string().describe('Name of the key or person; empty if it does not exist any more'),
          calls: z.int(),
          lastAt: Time,
        }),
      )
      .describe('Keys and people of the parent that acted in the sub-account in the last 30 days, the latest first'),
    ...around,
  })
  .meta({ id: 'ChildDetail' });

export const Cap = z.int().min(0).max(1_000_000_000).describe('Credits it may spend in a month, UTC; 0: no cap');

export const NewChild = z.strictObject({ name: nameText(100).min(1), cap: Cap.default(0) }).meta({ id: 'NewChild' });

export const ChildPatch = z
  .strictObject({
    name: nameText(100).min(1).optional(),
    cap: Cap.optional(),
    suspended: z.boolean().optional().describe('true suspends, false lifts the suspension'),
  })
  .refine((body) => Object.keys(body).length > 0, 'expected name, cap or suspended')
  .meta({ id: 'ChildPatch' });
