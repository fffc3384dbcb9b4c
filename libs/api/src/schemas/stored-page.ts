import { Selector } from '@tidemark/project-config';
import { Time } from '@tidemark/results';
import { z } from 'zod';
import { PageRow } from './page.ts';
import { listOf, PageUrl } from './parts.ts';

const around = { creditsUsed: z.int(), request_id: z.string() };
const runId = z
  .string()
  .nullable()
  .describe(
    'The run; without `run_id` the newest full run that is done and read pages. null if no run has read pages yet',
  );

/** Pages of a run. */
/** A row with the fields that a request selects: without `fields` and `omit`, all. Documented as the whole row. */
const SelectedRow: z.ZodType<Partial<PageRow>> = PageRow;

export const RunPages = listOf(SelectedRow)
  .extend({
    runId,
    total: z
      .int()
      .nullable()
      .describe('Number of matches so far; given in the first page of a list, null in the others'),
  })
  .meta({ id: 'RunPages' });

/** Kinds of blocks of a page. */
export const BLOCK_KINDS = ['paragraph', 'heading', 'item', 'row', 'code', 'image', 'media', 'control'] as const;

export const SEARCH_MODES = ['content', 'selector'] as const;

const MissingBodiesNote = z
  .string()
  .nullable()
  .describe('Why pages without a stored body are left out, and the setting that stores it; null if there are none');

const excerpts = z.array(
  z.object({
    text: z.string(),
    marks: z
      .array(z.object({ from: z.int(), to: z.int() }))
      .describe('Start and end of each match in the text, in UTF-16 code units'),
  }),
);

/** Consecutive versions of a page that contain the words of a search. */
const FoundInterval = z
  .object({
    firstSeen: Time.describe('First time a reading contained the words'),
    lastSeen: Time.describe('Last time a reading contained them'),
    goneSeen: Time.nullable().describe('First later reading without them; null: the newest reading contains them'),
    runId: z.string().describe('The run of the first stored reading with them'),
    pageId: z.string().describe('That reading'),
    matches: z.int().describe('Number of matches of the newest version of the interval'),
    excerpts,
  })
  .meta({ id: 'FoundInterval' });

/** Pages of a run, or of a project in any version, that match a search. */
export const FoundPages = z
  .object({
    data: z.array(
      PageRow.extend({
        matches: z.int().describe('Number of matches on the page'),
        excerpts: excerpts.describe('Excerpts around some matches, or the text of matched elements'),
        intervals: z
          .array(FoundInterval)
          .nullable()
          .describe('Intervals in which the page contained the words, newest first; null if one run is searched'),
      }).meta({ id: 'FoundPage' }),
    ),
    next: z
      .string()
      .nullable()
      .describe('Sent as `cursor` with the same request, it returns the next page; null at the end'),
    cursor: z.string().nullable().describe('Same as `next`'),
    runId,
    scanned: z.int().describe('Number of pages scanned for this response; across versions, of versions'),
    withoutBody: z
      .int()
      .describe(
        'Number of pages of the run without a stored body of this kind; across versions, of scanned versions without one. They are not searched',
      ),
    total: z.int().nullable().describe('Number of pages of the run; null across versions'),
    completeSince: Time.nullable().describe(
      'Across versions: every later reading is stored; null: no reading of the project was deleted, or one run is searched',
    ),
    note: MissingBodiesNote,
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
        same: z.boolean().describe('Whether its content is byte-identical to the previous version'),
        price: z.number().nullable().describe('Price of the product of the page; null if none was found'),
        currency: z.string().nullable().describe('Currency of the price, as in ISO 4217'),
        inStock: z.boolean().nullable().describe('Whether the product can be had; null if the page does not state it'),
        fields: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe('The extracted fields; null without `version_fields`, for older versions, and if there are none'),
      }),
    )
    .describe('Other readings of the URL in the project, newest first'),
  olderVersions: z.boolean().describe('Whether there are older versions than those listed'),
  ...around,
}).meta({ id: 'StoredPage' });
export type StoredPage = z.output<typeof StoredPage>;

const firstTime =
  'First time the text was seen: before the first stored reading if earlier ones with the same text were deleted';

/** Versions of a page: intervals in which the text of its content was the same. */
export const PageVersions = listOf(
  z
    .object({
      runId: z.string().describe('The run of the first stored reading with the text'),
      pageId: z.string().describe('That reading'),
      firstSeen: Time.describe(firstTime),
      lastSeen: Time.describe('Time of the last reading with the text'),
      lastRunId: z.string().describe('The run of that reading'),
      readings: z.int().describe('Number of readings with the text, including deleted ones'),
      verdict: z.string(),
      words: z.int(),
      wordsAdded: z
        .int()
        .nullable()
        .describe(
          'Words of the content that the version before lacks; null if none is stored or it was not read as text',
        ),
      wordsRemoved: z.int().nullable().describe('Words of the version before that this one lacks; null as above'),
      language: z.string().nullable(),
      hasHtml: z.boolean().describe('Whether the html of its last reading is stored'),
      sameAs: z.string().nullable().describe('The run of the newest earlier version with the same text; null: none'),
    })
    .meta({ id: 'PageVersion' }),
)
  .extend({
    unread: z
      .array(
        z
          .object({ from: Time, to: Time, verdict: z.string(), readings: z.int() })
          .describe('Consecutive readings that did not return the page; the verdict is that of the first'),
      )
      .describe('Between the listed versions, newest first'),
    completeSince: Time.nullable().describe(
      'Readings of the project up to this time were deleted by retention; null: none were',
    ),
  })
  .meta({ id: 'PageVersions' });
export type PageVersions = z.output<typeof PageVersions>;

const BlamedTime = z
  .object({
    at: Time,
    runId: z.string().nullable().describe('The run of the first stored reading of the version; null: it was deleted'),
    atLeast: z
      .boolean()
      .describe('Whether it may be earlier: older readings were deleted before the history of the page was computed'),
  })
  .meta({ id: 'BlamedTime' });

/** The content of a version of a page, with the time at which each block and each word appeared. */
export const PageBlame = z
  .object({
    version: BlamedTime.describe('The version that the blocks are of'),
    blocks: z
      .array(
        z
          .object({
            text: z.string(),
            kind: z.enum(BLOCK_KINDS),
            section: z.string().nullable().describe('The heading above'),
            landmark: z.string().nullable(),
            origin: BlamedTime.describe('When the block first appeared; moves and edits keep it'),
            lastEdit: BlamedTime.describe('When its text last changed'),
            edits: z.int().describe('How often its text changed'),
            moves: z.int().describe('How often it moved'),
            returned: z
              .object({ leftAt: BlamedTime, at: BlamedTime })
              .nullable()
              .describe('When the text was missing, if it left and came back'),
            approximate: z.boolean().describe('Whether a comparison was too large to follow every word'),
            words: z
              .array(z.object({ text: z.string(), version: z.int() }))
              .nullable()
              .describe(
                'The text in runs of words, each with the index in `versions` at which it appeared; null without `words`',
              ),
          })
          .meta({ id: 'BlamedBlock' }),
      )
      .describe('The blocks of the content in reading order'),
    versions: z.array(BlamedTime).describe('The versions that were compared, oldest first'),
    completeSince: Time.nullable().describe(
      'Readings of the project up to this time were deleted by retention; null: none were',
    ),
    ...around,
  })
  .meta({ id: 'PageBlame' });
export type PageBlame = z.output<typeof PageBlame>;

export const RemovedPart = z
  .object({
    reason: z.string().describe('Such as banner, navigation, exclude_selectors, base64 image'),
    selector: z.string().describe('CSS path of the element'),
    words: z.int(),
    text: z.string().describe('Start of the text'),
  })
  .meta({ id: 'RemovedPart' });

const preview = {
  url: z.string(),
  runId: z.string(),
  words: z.int().describe('Number of kept words'),
  keptShare: z.number().describe('Share of the visible words that is kept, 0 to 1'),
  removed: z.array(RemovedPart),
};

/** What the content filters remove from a stored page. */
export const RemovedParts = z.object({ ...preview, ...around }).meta({ id: 'RemovedParts' });

/** Result of the content filters on a stored page. */
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
    selectors: z.array(Selector.describe('CSS, or XPath if it starts with / or an opening parenthesis')).min(1).max(50),
    page: PageUrl.optional().describe('URL of one page; by default all pages with stored html'),
  })
  .meta({ id: 'SelectorsRequest' });

/** Matches of selectors on the pages of the last full run. */
export const SelectorMatches = z
  .object({
    data: z.array(
      z.object({
        selector: z.string(),
        error: z.string().nullable().describe('Why the selector is invalid'),
        matches: z.int(),
        pages: z.int().describe('Number of pages with a match'),
        samples: z.array(z.object({ url: z.string(), matches: z.int(), texts: z.array(z.string()) })),
      }),
    ),
    runId,
    scanned: z.int().describe('Number of pages evaluated, at most 100, starting with the home page'),
    withoutBody: z.int().describe('Number of pages without stored html; they are not evaluated'),
    failed: z.int().describe('Number of pages whose stored html could not be evaluated'),
    note: MissingBodiesNote,
    ...around,
  })
  .meta({ id: 'SelectorMatches' });
export type SelectorMatches = z.output<typeof SelectorMatches>;
