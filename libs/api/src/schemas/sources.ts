import { z } from 'zod';
import { EstimatedCost } from './billing.ts';

/** Maximum number of URLs returned from a long list; the counts cover all. */
export const MAX_LISTED = 1_000;

const around = { creditsUsed: z.int(), request_id: z.string() };
const counted = { urls: z.int(), samples: z.array(z.string()).describe('The first of these URLs') };
const lastRun = z
  .string()
  .nullable()
  .describe('The last full run, on which this result is based; null before the first');

const PatternCount = z
  .object({
    field: z.enum(['include_paths', 'exclude_paths', 'sitemap_include', 'sitemap_exclude']),
    pattern: z.string(),
    ...counted,
  })
  .meta({ id: 'PatternCount' });
const Patterns = z
  .array(PatternCount)
  .describe('Number of URLs that each pattern matches; of sitemap_include and sitemap_exclude, URLs of sitemap files');

/** Effect of a scope on the URLs already known. */
export const DryRun = z
  .object({
    runId: lastRun,
    known: z.int().describe('Known URLs: pages of that run and its remaining queue'),
    inScope: z.int().describe('Number of known URLs in scope'),
    visited: z.int().describe('Number of URLs in scope that max_pages allows'),
    samples: z.array(z.string()),
    excluded: z
      .array(z.object({ reason: z.string(), ...counted }))
      .describe('Excluded URLs by reason, ordered by number, descending'),
    newlyIn: z.object(counted).describe('URLs excluded in that run and visited now'),
    newlyOut: z.object(counted).describe('URLs read in that run and excluded now'),
    patterns: Patterns,
    estimatedCredits: z.int().describe('Estimated cost of a run, from the cost per page of that run'),
    estimatedCost: EstimatedCost,
    cut: z.boolean().describe('Whether there are more known URLs than were evaluated'),
    ...around,
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.output<typeof DryRun>;

/** Sources of a project, with what its last full run found through each. */
export const Sources = z
  .object({
    runId: lastRun,
    seed: z.string(),
    sitemap: z.object({
      used: z.boolean(),
      mode: z.string().describe('auto, only or skip, as configured'),
      include: z.array(z.string()),
      exclude: z.array(z.string()),
      outcome: z.string().nullable().describe('Result in that run: none, waiting, read or missing'),
    }),
    list: z.object({
      urls: z.int(),
      data: z
        .array(z.object({ url: z.string(), verdict: z.string().nullable() }))
        .describe('The first 1,000, each with its verdict in the run; null if not visited'),
    }),
    feeds: z.array(
      z.object({
        url: z.string(),
        outcome: z.string().nullable().describe('read, failed or empty; null if no run has read it yet'),
        urls: z.int(),
        error: z.string().nullable(),
      }),
    ),
    patterns: Patterns,
    found: z
      .array(
        z.object({
          foundVia: z.string(),
          urls: z.int(),
          pages: z.int().describe('Number of these URLs that were read'),
        }),
      )
      .describe(
        'URLs found by the run, by source: seed, sitemap, list, feed, link, redirect, canonical. A URL counts for each source that declared it, whichever was read first; for redirect and canonical only if no other source did',
      ),
    cut: z.boolean().describe('Whether there are more known URLs than patterns were counted over'),
    ...around,
  })
  .meta({ id: 'Sources' });
export type Sources = z.output<typeof Sources>;

/** Preview of changed sources. */
export const SourcesPreview = z
  .object({
    patterns: Patterns,
    declared: z.int().describe('Number of URLs of the stored sitemap tree that patterns were counted over'),
    known: z.int().describe('Number of URLs of the last full run that patterns were counted over'),
    feeds: z.array(
      z.object({
        url: z.string(),
        httpStatus: z.int().nullable().describe('null if no response arrived'),
        entries: z.int(),
        inScope: z.int(),
        samples: z.array(z.string()),
        error: z.string().nullable().describe('Why the feed could not be read'),
      }),
    ),
    list: z.object({
      urls: z.int(),
      usable: z.int(),
      problems: z
        .array(z.object({ url: z.string(), normalized: z.string().nullable(), problem: z.string() }))
        .describe('Entries that cannot be visited or are duplicates; the first 1,000'),
    }),
    estimatedPages: z.int().describe('Number of known URLs that a run would visit'),
    estimatedCredits: z.int(),
    estimatedCost: EstimatedCost,
    cut: z.boolean().describe('Whether there are more known URLs than were evaluated'),
    ...around,
  })
  .meta({ id: 'SourcesPreview' });
export type SourcesPreview = z.output<typeof SourcesPreview>;
