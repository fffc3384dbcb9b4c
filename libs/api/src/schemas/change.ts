import { ChangeDigestText, COUNTED, RecordCounts, RecordCoverage, Time } from '@tidemark/results';
import { z } from 'zod';
import { estimateFields } from './site-estimate.ts';

/** Kinds of entries in a change record. */
export const CHANGE_KINDS = ['added', 'removed', 'modified', 'withheld', 'unverified', 'same', 'template'] as const;
/** What the list of entries is filtered by: a kind, or several that belong together. */
export const CHANGE_FILTERS = [...CHANGE_KINDS, 'changed', 'doubtful'] as const;
export const RECORD_STATUSES = ['making', 'made', 'failed'] as const;

const Words = z
  .array(z.object({ op: z.enum(['=', '+', '-']), text: z.string() }))
  .describe(
    'Words of an edited block in order; without the `-` items they are the current text, without the `+` items the previous text',
  );

const Block = z
  .object({
    op: z
      .enum(['added', 'removed', 'edited', 'relinked', 'moved', 'replaced'])
      .describe('relinked: only link targets differ; replaced: not compared word by word'),
    section: z.string().describe('The nearest heading above; empty if there is none'),
    landmark: z.string().describe('main, header, nav, aside, footer or other; empty if the markup has no landmark'),
    before: z.string().nullable(),
    after: z.string().nullable(),
    words: Words,
    links: z
      .array(z.object({ text: z.string(), from: z.string().nullable(), to: z.string().nullable() }))
      .describe(
        'Link targets that differ, with the text of the link. Parameters of tracking, sessions, signatures and caches are left out',
      ),
    volatile: z.boolean().describe('The block changes on every visit and is excluded from the counts'),
    numericOnly: z.boolean().describe('Only digits differ'),
  })
  .meta({ id: 'ChangedBlock' });

const Field = z
  .object({
    name: z.string().describe('title, description, canonical, robots, status, an extracted field, …'),
    from: z.string().nullable(),
    to: z.string().nullable(),
    volatile: z.boolean().describe('The value changes on every visit and is excluded from the counts'),
  })
  .meta({ id: 'ChangedField' });

/** One entry of a change record. */
export const Change = z
  .object({
    id: z.string(),
    runId: z.string(),
    url: z.string(),
    title: z
      .string()
      .nullable()
      .describe(
        'Title of the page, of a removed page its last one; null if it has none, for an edit on many pages, and in records made before titles were stored',
      ),
    kind: z
      .enum(CHANGE_KINDS)
      .describe(
        'withheld: there is evidence, but a run was incomplete; unverified: the page could not be read or compared; same: only its inbound links changed; template: the same edit on many pages',
      ),
    reason: z.string().nullable().describe('Why a page is withheld or unverified'),
    explanation: z.string().nullable().describe('The reason in a sentence, with what happens next'),
    section: z.string().describe('The heading above the edit; the title of an added or removed page'),
    volatile: z.boolean(),
    wordsAdded: z.int(),
    wordsRemoved: z.int(),
    blocks: z
      .array(Block)
      .describe(
        'The changed blocks; of an added or removed page its first blocks, the others are in `changes/page`; of an unverified page the blocks that differ, where another engine, language, device, login or reader version may be the cause',
      ),
    fields: z.array(Field),
    movedFrom: z.string().nullable().describe('Previous URL of the page'),
    returned: z.boolean().describe('The page was removed earlier and is back'),
    numericOnly: z.boolean(),
    reordered: z.boolean(),
    degraded: z
      .boolean()
      .describe('The comparison ran out of time; replaced blocks are reported without their inner differences'),
    truncated: z.boolean().describe('The entry does not contain all differences'),
    templateRefs: z.array(z.string()).describe('Entries of kind template that contain the remaining differences'),
    template: z
      .object({
        pages: z.int(),
        urls: z.array(z.string()).describe('The first of these URLs'),
        isRedesign: z.boolean(),
      })
      .nullable(),
    baselineRunId: z
      .string()
      .nullable()
      .describe('The run it was compared with, if it differs from the baseline of the record'),
    verdicts: z.object({ before: z.string(), now: z.string() }).meta({ example: { before: 'ok', now: 'ok' } }),
    links: z.enum(['orphaned', 'linked']).nullable(),
    firstSeenAt: Time,
    reviewed: z.boolean(),
    reviewedBy: z.string().nullable().describe('The key or person that reviewed it'),
    reviewedAt: Time.nullable(),
    alerts: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .describe('The rules of `config.alerts` that it matches, by their names at that time'),
  })
  .meta({ id: 'Change' });
export type Change = z.output<typeof Change>;

/** Why a change is ignored. */
export const IGNORED_REASONS = [
  'volatile_selector',
  'self_updating',
  'rotating_links',
  'recaptures_differ',
  'changed_in_three_comparisons',
  'overruled',
] as const;
export type IgnoredReason = (typeof IGNORED_REASONS)[number];

/** An ignored change of a record. */
export const IgnoredChange = z
  .object({
    id: z.string(),
    runId: z.string(),
    url: z.string(),
    op: z.enum(['added', 'removed', 'edited', 'relinked', 'moved', 'replaced']),
    section: z.string().describe('The nearest heading above; empty if there is none'),
    landmark: z.string().describe('As in a changed block'),
    field: z
      .string()
      .nullable()
      .describe('The list of the head: hreflang, json-ld or og:image; null if it is a block of the page'),
    before: z.string().nullable().describe('At most 5,000 characters; null: the earlier reading does not have it'),
    after: z.string().nullable().describe('At most 5,000 characters; null: the later reading does not have it'),
    truncated: z.boolean().describe('Only the beginnings of the texts are listed'),
    reason: z
      .enum(IGNORED_REASONS)
      .describe(
        'volatile_selector: a selector of `volatile_selectors` matches; self_updating: only ages, counters, timestamps or the current date differ; rotating_links: only random parts of link targets differ; recaptures_differ: it differed when the page was fetched again a few seconds later; changed_in_three_comparisons: it changed in three comparisons of runs in a row; overruled: `volatile_overrides` ignores it',
      ),
    explanation: z.string().describe('The reason in a sentence'),
    place: z
      .string()
      .describe('Identifies the position of the block, on pages of the same template, in `volatile_overrides`'),
    since: Time.nullable().describe('When the reason was proven, or when the place was first seen to change'),
    comparisons: z.int().describe('Comparisons that included the place, one of repeated fetches included'),
    changed: z.int().describe('The comparisons in which it changed'),
    ignore: z
      .boolean()
      .nullable()
      .describe(
        'The decision in the configuration: false: always reported; true: always ignored; null: none, as learned',
      ),
  })
  .meta({ id: 'IgnoredChange' });
export type IgnoredChange = z.output<typeof IgnoredChange>;

/** The change record of a run. */
export const ChangeRecord = z
  .object({
    runId: z
      .string()
      .nullable()
      .describe('The run of the record; null if no full run is done yet, or the named run has not ended'),
    status: z
      .enum(RECORD_STATUSES)
      .nullable()
      .describe('making: the run has ended and its record is being built; null: as for `runId`'),
    error: z.string().nullable(),
    baseline: z
      .string()
      .nullable()
      .describe('The last full run before it that read pages, with which it was compared; null if there was none'),
    madeAt: Time.nullable(),
    counts: RecordCounts.nullable()
      .describe(
        'Number of pages per outcome; each page has exactly one outcome. volatileBlocks: ignored changes, listed by `changes/ignored`. machineRead: feeds, sitemaps and other files for machines, which are no content changes. null until `status` is `made`',
      )
      .meta({ example: Object.fromEntries(COUNTED.map((name) => [name, name === 'same' ? 41 : 1])) }),
    coverage: RecordCoverage.extend(estimateFields).nullable(),
    moved: z.int().describe('Pages that moved; they are included in `modified`'),
    selectorBreaks: z.array(
      z.object({
        setting: z.string(),
        selector: z.string(),
        template: z.string().describe('The group of pages with the same template'),
        shareBefore: z.number().describe('Share of pages with a match, 0 to 1'),
        shareNow: z.number(),
      }),
    ),
    digest: ChangeDigestText.nullable().describe(
      'Summary by a language model, if `config.change_digest` is set and something changed',
    ),
    entries: z.array(Change),
    next: z.string().nullable(),
    cursor: z.string().nullable(),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'ChangeRecord' });
export type ChangeRecord = z.output<typeof ChangeRecord>;

const readings = {
  url: z.string(),
  before: z.object({ runId: z.string(), pageId: z.string() }),
  after: z.object({ runId: z.string(), pageId: z.string() }),
};
/** A block of a comparison that lists unchanged blocks too. */
const ComparedBlock = Block.extend({
  op: z
    .enum([...Block.shape.op.options, 'same'])
    .describe('As in a change; same: not changed, listed with `unchanged` only'),
}).meta({ id: 'ComparedBlock' });

const around = { creditsUsed: z.int(), request_id: z.string() };

/** Word-level diff of two readings of a page. */
export const PageChanges = z
  .object({
    ...readings,
    before: readings.before.nullable().describe('null: the page was added, and every block is listed as added'),
    after: readings.after.nullable().describe('null: the page was removed, and every block is listed as removed'),
    blocks: z
      .array(ComparedBlock)
      .describe('The changed blocks, in the order of the later reading; with `unchanged` all blocks of the page'),
    fields: z.array(Field),
    wordsAdded: z.int(),
    wordsRemoved: z.int(),
    reordered: z.boolean(),
    degraded: z.boolean(),
    html: z.string().describe('The diff as an html fragment: escaped text in `ins` and `del`, without scripts'),
    ...around,
  })
  .meta({ id: 'PageChanges' });
export type PageChanges = z.output<typeof PageChanges>;

/** Markup diff of two readings of a page. */
export const MarkupChanges = z
  .object({
    ...readings,
    changes: z.array(
      z.object({
        op: z.enum(['insert', 'remove', 'move', 'attr', 'text']),
        selector: z.string(),
        fromSelector: z.string().nullable().describe('Previous position of a moved element'),
        section: z.string().nullable(),
        attribute: z.string().nullable(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      }),
    ),
    noiseSuppressed: z
      .record(z.string(), z.int())
      .describe('Number of suppressed differences, such as nonces and build names, by rule'),
    selectors: z
      .array(
        z.object({
          setting: z.string(),
          selector: z.string(),
          suggestion: z.string().nullable(),
          confidence: z.number().describe('0 to 1'),
          pagesChecked: z.int(),
          region: z.string().describe('Text of the element that the suggestion matches'),
        }),
      )
      .describe(
        'For selectors that broke with this run: a replacement that matches the same place. Nothing is changed automatically',
      ),
    degraded: z.enum(['too_large', 'out_of_time']).nullable(),
    truncated: z.boolean(),
    ...around,
  })
  .meta({ id: 'MarkupChanges' });
export type MarkupChanges = z.output<typeof MarkupChanges>;
