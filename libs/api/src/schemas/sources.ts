import { z } from 'zod';

/** Addresses listed of a long list at most; all of them are counted. */
export const MAX_LISTED = 1_000;

const around = { creditsUsed: z.int(), request_id: z.string() };
const counted = { addresses: z.int(), samples: z.array(z.string()).describe('The first of them') };
const lastRun = z.string().nullable().describe('The last full run, by which this was judged; null before the first');

const PatternCount = z
  .object({
    field: z.enum(['include_paths', 'exclude_paths', 'sitemap_include', 'sitemap_exclude']),
    pattern: z.string(),
    ...counted,
  })
  .meta({ id: 'PatternCount' });
const Patterns = z.array(PatternCount).describe('How many addresses each pattern matches');

/** What a scope would do to the addresses already known. */
export const DryRun = z
  .object({
    runId: lastRun,
    known: z.int().describe('Addresses known: pages of that run, and what it left in its queue'),
    inScope: z.int().describe('Of those, what would be visited'),
    visited: z.int().describe('Of those, as many as max_pages allows'),
    samples: z.array(z.string()),
    excluded: z
      .array(z.object({ reason: z.string(), ...counted }))
      .describe('What would be left out, and why; the most first'),
    newlyIn: z.object(counted).describe('Left out by that run, and visited now'),
    newlyOut: z.object(counted).describe('Read by that run, and left out now'),
    patterns: Patterns,
    estimatedCredits: z.int().describe('What a run would cost, by what a page of that run cost'),
    cut: z.boolean().describe('More addresses are known than were judged'),
    ...around,
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.output<typeof DryRun>;

/** Where the pages of a project come from, and what its last full run found through each. */
export const Sources = z
  .object({
    runId: lastRun,
    seed: z.string(),
    sitemap: z.object({
      used: z.boolean(),
      mode: z.string().describe('auto, only or skip, as configured'),
      include: z.array(z.string()),
      exclude: z.array(z.string()),
      outcome: z.string().nullable().describe('As the run read it: none, waiting, read, missing'),
    }),
    list: z.object({
      addresses: z.int(),
      data: z
        .array(z.object({ url: z.string(), verdict: z.string().nullable() }))
        .describe('The first thousand, each with its verdict in the run; null where it was not visited'),
    }),
    feeds: z.array(
      z.object({
        url: z.string(),
        outcome: z.string().nullable().describe('read, failed or empty; null where no run has read it yet'),
        addresses: z.int(),
        error: z.string().nullable(),
      }),
    ),
    patterns: Patterns,
    found: z
      .array(z.object({ foundVia: z.string(), addresses: z.int(), pages: z.int().describe('Of those, pages read') }))
      .describe('What the run found, by seed, sitemap, list, feed, link, redirect and canonical'),
    cut: z.boolean().describe('More addresses are known than patterns were counted over'),
    ...around,
  })
  .meta({ id: 'Sources' });
export type Sources = z.output<typeof Sources>;

/** What sources would give, looked at now. */
export const SourcesPreview = z
  .object({
    patterns: Patterns,
    declared: z.int().describe('Addresses of the stored sitemap tree the patterns were counted over'),
    known: z.int().describe('Addresses of the last full run they were counted over'),
    feeds: z.array(
      z.object({
        url: z.string(),
        httpStatus: z.int().nullable().describe('null where no answer came'),
        entries: z.int(),
        inScope: z.int(),
        samples: z.array(z.string()),
        error: z.string().nullable().describe('Why it could not be read'),
      }),
    ),
    list: z.object({
      addresses: z.int(),
      usable: z.int(),
      problems: z
        .array(z.object({ url: z.string(), normalized: z.string().nullable(), problem: z.string() }))
        .describe('What cannot be visited, or is there twice; the first thousand'),
    }),
    estimatedPages: z.int().describe('What a run would visit of what is known now'),
    estimatedCredits: z.int(),
    cut: z.boolean().describe('More addresses are known than were looked at'),
    ...around,
  })
  .meta({ id: 'SourcesPreview' });
export type SourcesPreview = z.output<typeof SourcesPreview>;
