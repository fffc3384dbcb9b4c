import { z } from 'zod';

/** Why the sources of a run allow no estimate. */
export const NO_ESTIMATE_REASONS = ['too_few', 'one_source', 'no_overlap', 'sources_identical'] as const;

const interval = {
  pages: z.int().describe('Estimated pages that a crawler may read'),
  low: z.int().describe('Lower end of the 95 % interval'),
  high: z.int().describe('Upper end of the 95 % interval'),
  readShare: z.number().min(0).max(1).describe('Pages read, as a share of `pages`'),
};

const reason = z
  .enum(NO_ESTIMATE_REASONS)
  .nullable()
  .describe(
    'Why there is no estimate: fewer than 30 pages, one source lists all pages, the sources list different pages, or they list exactly the same pages',
  );

const found = {
  found: z.int().describe('Pages that the run found by any source'),
  read: z.int().describe('Pages that the run read'),
};

/** The estimated number of pages of a site and of its sections. */
export const SiteEstimate = z
  .object({
    ...interval,
    sections: z
      .array(
        z.object({
          section: z
            .string()
            .describe('First folder of the path, `/` for pages without one; empty: all other sections'),
          ...found,
          estimate: z.object(interval).nullable(),
          estimateReason: reason,
        }),
      )
      .describe('The largest sections, 50 at most'),
  })
  .describe(
    'Estimated from the overlap of links, sitemaps, feeds and the list (capture–recapture). Pages that none of them can reveal are not in it',
  )
  .meta({ id: 'SiteEstimate' });
export type SiteEstimate = z.output<typeof SiteEstimate>;

/** The estimate of a run, or why there is none. */
export const estimateFields = {
  estimate: SiteEstimate.nullable().describe(
    'null where the sources allow no estimate, for `estimateReason`; both are null for runs without a count of their sources',
  ),
  estimateReason: reason,
};

/** How much of its site a run read. */
export const RunCoverage = z.object({ ...found, ...estimateFields }).meta({ id: 'RunCoverage' });
export type RunCoverage = z.output<typeof RunCoverage>;
