import { RecordCounts, RUN_TRIGGERS, Time } from '@tidemark/results';
import { z } from 'zod';
import { RECORD_STATUSES } from './change.ts';
import { JobEnvelope, JobSummary } from './job.ts';
import { limit } from './parts.ts';
import { RunCoverage } from './site-estimate.ts';

/** State of a run in addition to its job envelope. */
export const runState = {
  paused: z.boolean(),
  startedAt: Time.nullable().describe('null while the run is queued'),
  held: z
    .array(z.object({ host: z.string(), until: Time, why: z.string() }))
    .describe('Hosts that receive no requests until `until`'),
  traps: z
    .array(z.object({ pattern: z.string(), urls: z.int(), why: z.string() }))
    .describe('URL patterns that were cut off as crawler traps'),
};

const ofProject = { projectId: z.string(), trigger: z.enum(RUN_TRIGGERS), ...runState };

/** A run in the history of its project. */
export const RunSummary = JobSummary.extend({
  ...ofProject,
  changes: z
    .object({
      status: z.enum(RECORD_STATUSES),
      counts: RecordCounts.nullable().describe('null until `status` is `made`'),
    })
    .nullable()
    .describe('The change record of the run; null if it has none, and outside of GET /projects/{id}/runs'),
}).meta({ id: 'RunSummary' });
export type RunSummary = z.output<typeof RunSummary>;

/** One run of a project. `next` is the path of its pages. */
export const RunEnvelope = JobEnvelope.extend(ofProject).meta({ id: 'RunEnvelope' });
export type RunEnvelope = z.output<typeof RunEnvelope>;

/** A run with its engine breakdown and log. */
export const RunDetail = RunEnvelope.extend({
  engines: z
    .array(
      z.object({
        method: z.string().nullable().describe('http or browser; null if no engine was used'),
        pages: z.int(),
        credits: z.int(),
        medianMs: z.int().describe('Median duration of a capture in milliseconds'),
      }),
    )
    .nullable()
    .describe('Engine breakdown of the completed pages; null while it is unavailable'),
  coverage: RunCoverage.nullable().describe('How much of its site the run read; null until it has ended'),
  log: z
    .array(z.object({ at: Time, what: z.string(), why: z.string() }))
    .describe('Log entries, oldest first; of many similar entries only the first and the last'),
}).meta({ id: 'RunDetail' });
export type RunDetail = z.output<typeof RunDetail>;

export const LINK_SETS = ['orphans', 'unlisted', 'dead_ends'] as const;

export const LinksQuery = z.strictObject({
  kind: z.enum(LINK_SETS).default('orphans'),
  cursor: z.string().max(4_096).default('').describe('`cursor` of the previous response'),
  limit: limit(100, 1_000),
});

export type LinksQuery = z.output<typeof LinksQuery>;

/** One set of pages from the link graph of a run. */
export const LinkSet = z.object({
  data: z.array(
    z.object({
      url: z.string(),
      inLinks: z.int(),
      httpStatus: z.int().nullable(),
      referer: z.string().nullable(),
    }),
  ),
  runId: z.string().describe('The run of the link graph'),
  coverage: z.object({ verdict: z.boolean().describe('Whether the set is a verdict'), why: z.string() }),
  next: z.string().nullable(),
  cursor: z.string().nullable(),
  creditsUsed: z.int(),
  request_id: z.string(),
});
export type LinkSet = z.output<typeof LinkSet>;
