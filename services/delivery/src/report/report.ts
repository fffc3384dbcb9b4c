import { z } from 'zod';

/** Pages listed; the others are counted. */
export const PAGES_SHOWN = 10;

const ReportPage = z.object({
  /** added, removed, modified; many: the same change on many pages. */
  kind: z.enum(['added', 'removed', 'modified', 'many']),
  url: z.string(),
  /** Empty: none; absent in reports that were stored before titles were. */
  title: z.string().default(''),
  /** What changed: `12 words added, 3 removed`. */
  summary: z.string(),
  /** The nearest heading; empty: none. */
  section: z.string(),
  /** The first edit; empty: there is none to show. */
  excerpt: z.string(),
});
export type ReportPage = z.output<typeof ReportPage>;

/** Content of a mail, chat message or notice. Every text in it is plain and bounded. */
export const Report = z.object({
  kind: z.enum(['run', 'monitor']),
  mood: z.enum(['changed', 'failing', 'recovered']),
  /** The project's name, or its host. */
  project: z.string(),
  title: z.string(),
  /** Sentences. */
  lines: z.array(z.string()),
  counts: z.array(z.object({ name: z.string(), count: z.number() })),
  pages: z.array(ReportPage),
  /** Changed pages that are not among `pages`. */
  more: z.number(),
  digest: z.object({ summary: z.string(), points: z.array(z.string()), significant: z.boolean() }).nullable(),
  /** Address of the run in the console; empty: none. */
  link: z.string(),
});
export type Report = z.output<typeof Report>;

const REPORTED_COUNTS = ['added', 'removed', 'modified', 'fields', 'selectorBreaks'];

/**
 * Whether a record has something to report. A change that many pages share counts none of them as modified, and is reported.
 */
export function isReportable(
  { counts }: { readonly counts: Readonly<Record<string, number>> },
  entries: readonly { readonly kind: string; readonly volatile: boolean }[],
): boolean {
  return (
    REPORTED_COUNTS.some((name) => (counts[name] ?? 0) > 0) ||
    entries.some(({ kind, volatile }) => kind === 'template' && !volatile)
  );
}
