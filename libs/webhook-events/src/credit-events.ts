import { Time } from '@tidemark/results';
import { z } from 'zod';
import { event } from './event.ts';

const CREDIT_BUCKETS = ['allowance', 'welcome', 'overage'] as const;

const CreditsLow = z
  .object({
    of: z.enum(CREDIT_BUCKETS).describe('What the share is of; overage: of its cap'),
    percent: z.int().describe('50, 80 or 100, each once in a period; a share that is skipped is not sent'),
    remaining: z.int().nullable().describe('Credits that may still be used, of all kinds; null: no limit'),
    resetsAt: Time.nullable().describe('When the next period begins; null: the plan has no periods'),
  })
  .meta({ id: 'CreditsLowData' });

/** Events of the credits of a workspace, sent to the webhooks of its projects. */
export const CREDIT_EVENTS = {
  'credits.low': event({
    description:
      'The workspace has used a share of its credits. Sent once to each different URL among the webhooks of its projects; `project` is the one whose webhook it is.',
    data: CreditsLow,
    example: { of: 'allowance', percent: 80, remaining: 4_000, resetsAt: '2026-06-01T00:00:00.000Z' },
  }),
} as const;
