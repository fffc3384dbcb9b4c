import { z } from 'zod';
import { Selector } from './config-values.ts';
import { PageRow } from './page.ts';
import { listOf, Time } from './parts.ts';

const around = { creditsUsed: z.int(), request_id: z.string() };
const runId = z.string().nullable().describe('The run; null where none has finished yet');

/** Pages of a run. */
export const RunPages = listOf(PageRow)
  .extend({
    runId,
    total: z
      .int()
      .nullable()
      .describe('All that match so far; told with the first answer of a list, null with the others'),
  })
  .meta({ id: 'RunPages' });

export const SEARCH_MODES = ['content', 'selector'] as const;

/** Pages of a run that say something, or contain it. */
export const FoundPages = z
  .object({
    data: z.array(
      PageRow.extend({
        matches: z.int().describe('How often the page says it, or what the selector names is there'),
        excerpts: z
          .array(
            z.object({
              text: z.string(),
              marks: z
                .array(z.object({ from: z.int(), to: z.int() }))
                .describe('Where in the text what was searched for begins and ends, in UTF-16 code units'),
            }),
          )
          .describe('A few places of the page, or the text of what the selector names'),
      }).meta({ id: 'FoundPage' }),
    ),
    next: z.string().nullable().describe('Sent as `cursor` with the same request, it goes on; null at the end'),
    cursor: z.string().nullable().describe('The same'),
    runId,
    scanned: z.int().describe('Pages looked at for this answer'),
    withoutBody: z.int().describe('Pages of the run without a stored body of this kind: nothing is said of them'),
    total: z.int().describe('Pages of the run'),
    ...around,
  })
  .meta({ id: 'FoundPages' });
export type FoundPages = z.output<typeof FoundPages>;

/** A page in full, with its readings over time. */
export const StoredPage = PageRow.extend({
  runId: z.string(),
  versions: z
    .array(
      z.object({
        runId: z.string(),
        pageId: z.string(),
        crawledAt: Time,
        verdict: z.string(),
        httpStatus: z.int().nullable(),
        words: z.int(),
        same: z.boolean().describe('Whether its content is that of the version before it, byte for byte'),
      }),
    )
    .describe('Other readings of the address in the project, newest first'),
  olderVersions: z.boolean().describe('Whether there are older ones than those told'),
  ...around,
}).meta({ id: 'StoredPage' });
export type StoredPage = z.output<typeof StoredPage>;

export const RemovedPart = z
  .object({
    reason: z.string().describe('Such as banner, navigation, exclude_selectors, base64 image'),
    selector: z.string().describe('Where in the page it was'),
    words: z.int(),
    text: z.string().describe('How it begins'),
  })
  .meta({ id: 'RemovedPart' });

const preview = {
  url: z.string(),
  runId: z.string(),
  words: z.int().describe('Of what is kept'),
  keptShare: z.number().describe('Share of the page’s visible words that is kept, 0 to 1'),
  removed: z.array(RemovedPart),
};

/** What the content filters take out of a stored page. */
export const RemovedParts = z.object({ ...preview, ...around }).meta({ id: 'RemovedParts' });

/** What the content filters make of a stored page. */
export const ContentPreview = z
  .object({
    ...preview,
    title: z.string().nullable(),
    language: z.string().nullable(),
    markdown: z.string(),
    text: z.string(),
    fields: z.record(z.string(), z.unknown()),
    notes: z.array(z.string()),
    ...around,
  })
  .meta({ id: 'ContentPreview' });

export const SelectorsBody = z
  .strictObject({
    selectors: z
      .array(Selector.describe('CSS, or XPath where it begins with / or an opening parenthesis'))
      .min(1)
      .max(50),
    page: z.string().min(1).max(2_048).optional().describe('The address of one page; all that have html by default'),
  })
  .meta({ id: 'SelectorsRequest' });

/** What selectors name on the pages of the last full run. */
export const SelectorMatches = z
  .object({
    data: z.array(
      z.object({
        selector: z.string(),
        error: z.string().nullable().describe('Why it cannot be used'),
        matches: z.int(),
        pages: z.int().describe('Pages it matches something on'),
        samples: z.array(z.object({ url: z.string(), matches: z.int(), texts: z.array(z.string()) })),
      }),
    ),
    runId,
    scanned: z.int().describe('Pages whose stored html was looked at; a hundred at most, the home page first'),
    withoutBody: z.int().describe('Pages met without stored html: nothing is said of them'),
    failed: z.int().describe('Pages whose stored html could not be looked at'),
    ...around,
  })
  .meta({ id: 'SelectorMatches' });
export type SelectorMatches = z.output<typeof SelectorMatches>;
