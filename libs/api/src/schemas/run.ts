import { z } from 'zod';
import { JobEnvelope, JobSummary } from './job.ts';
import { limit, Time } from './parts.ts';

/** What starts a run. */
export const RUN_TRIGGERS = ['manual', 'schedule', 'api', 'recrawl', 'crawl'] as const;

/** What a run says of how it goes, beside its job. */
export const runState = {
  paused: z.boolean(),
  startedAt: Time.nullable().describe('null while it is queued'),
  held: z
    .array(z.object({ host: z.string(), until: Time, why: z.string() }))
    .describe('Hosts that are not asked at the moment'),
  traps: z
    .array(z.object({ pattern: z.string(), addresses: z.int(), why: z.string() }))
    .describe('Patterns of addresses that were cut off'),
};

const ofProject = { projectId: z.string(), trigger: z.enum(RUN_TRIGGERS), ...runState };

/** A run in its project's history. */
export const RunSummary = JobSummary.extend(ofProject).meta({ id: 'RunSummary' });
export type RunSummary = z.output<typeof RunSummary>;

/** One run of a project. Its pages are where `next` leads. */
export const RunEnvelope = JobEnvelope.extend(ofProject).meta({ id: 'RunEnvelope' });
export type RunEnvelope = z.output<typeof RunEnvelope>;

/** A run with what it was done by, and what happened. */
export const RunDetail = RunEnvelope.extend({
  engines: z
    .array(
      z.object({
        method: z.string().nullable().describe('http or browser; null: no engine was used'),
        pages: z.int(),
        credits: z.int(),
        medianMs: z.int().describe('Milliseconds of a capture'),
      }),
    )
    .nullable()
    .describe('What read its pages, of those that have ended; null while that cannot be asked'),
  log: z
    .array(z.object({ at: Time, what: z.string(), why: z.string() }))
    .describe('What happened, when and why, oldest first; of many alike, the first and the last'),
}).meta({ id: 'RunDetail' });
export type RunDetail = z.output<typeof RunDetail>;

export const LINK_SETS = ['orphans', 'unlisted', 'dead_ends'] as const;

export const LinksQuery = z.strictObject({
  kind: z.enum(LINK_SETS).default('orphans'),
  cursor: z.string().max(4_096).default('').describe('`cursor` of the last answer'),
  limit: limit(100, 1_000),
});

export type LinksQuery = z.output<typeof LinksQuery>;

/** One set of a run's link graph. */
export const LinkSet = z.object({
  data: z.array(
    z.object({
      url: z.string(),
      inLinks: z.int(),
      httpStatus: z.int().nullable(),
      referer: z.string().nullable(),
    }),
  ),
  coverage: z.object({ verdict: z.boolean().describe('Whether the set is one'), why: z.string() }),
  next: z.string().nullable(),
  cursor: z.string().nullable(),
  creditsUsed: z.int(),
  request_id: z.string(),
});
export type LinkSet = z.output<typeof LinkSet>;
