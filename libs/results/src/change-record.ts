import { z } from 'zod';

/** Meaning of each reason for which a record is no verdict on the whole site; returned by GET /meta. */
export const COVERAGE_REASON_MEANINGS: Readonly<Record<string, string>> = {
  no_baseline: 'there is no earlier run to compare with',
  listed_only: 'only listed pages were read',
  stop_limit: 'the run ended at its page limit',
  stop_cancelled: 'the run was cancelled',
  stop_budget: 'the run ran out of credits',
  stop_time: 'the run ran out of time',
  stop_error: 'the run failed with an internal error',
  nothing_read: 'no page could be read',
  seed_failed: 'the home page could not be read',
  sitemap_unreadable: 'the sitemap could not be read',
  robots_unreadable: 'robots.txt could not be read',
  login_expired: 'the saved login has expired',
  scope_changed: 'the settings of which pages are visited were changed',
  blocked_share: 'the site refused many of its pages',
  mass_removal: 'more pages appear to be removed than is plausible at once',
  host_fingerprint_changed: 'pages that differed before all have the same content',
  selectors_withheld:
    'selectors of several projects broke with a release of Tidemark, so that their breaks are left out',
  no_record: 'the change record was not ready in time',
};

/** Returns a coverage reason in words. */
export const coverageReasonText = (reason: string): string =>
  COVERAGE_REASON_MEANINGS[reason] ?? reason.replaceAll('_', ' ');

/** What a record counts. */
export const COUNTED = [
  'added',
  'removed',
  'modified',
  'same',
  'withheld',
  'unverified',
  'skipped',
  'machineRead',
  'fields',
  'selectorBreaks',
  'volatileBlocks',
] as const;

/** Number of pages per outcome. */
export const RecordCounts = z
  .object(Object.fromEntries(COUNTED.map((name) => [name, z.int()])))
  .meta({ example: Object.fromEntries(COUNTED.map((name) => [name, name === 'same' ? 41 : 1])) });

/** A language model's summary of a change record. */
export const ChangeDigestText = z
  .object({
    summary: z.string(),
    points: z.array(z.string()).max(5),
    significant: z.boolean().describe('Whether a person should review the changes'),
  })
  .meta({ id: 'ChangeDigestText' });
export type ChangeDigestText = z.output<typeof ChangeDigestText>;

/** What a comparison covered. */
export const RecordCoverage = z.object({
  verdict: z.boolean().describe('Whether the comparison is a verdict on the whole site'),
  complete: z.boolean(),
  reasons: z.array(z.string()).describe('Why the comparison is not a verdict; see `coverageReasons` of GET /meta'),
  known: z.int().describe('Pages known, with those that this run found; `read` never exceeds it'),
  read: z.int(),
  unread: z.int().describe('Pages that were refused or gave no response, and known pages that the run did not reach'),
  probed: z.int().describe('Pages missed by the run that were fetched once more, free of charge'),
  baselineComplete: z.boolean(),
  outOfScope: z.int(),
});
