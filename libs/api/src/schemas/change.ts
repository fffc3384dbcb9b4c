import { z } from 'zod';
import { Time } from './parts.ts';

/** What became of a page, or of many at once. */
export const CHANGE_KINDS = ['added', 'removed', 'modified', 'withheld', 'unverified', 'same', 'template'] as const;
export const RECORD_STATUSES = ['making', 'made', 'failed'] as const;

const Words = z
  .array(z.object({ op: z.enum(['=', '+', '-']), text: z.string() }))
  .describe(
    'The words of an edited block in their order: without `-` they are what it says now, without `+` what it said',
  );

const Block = z
  .object({
    op: z.enum(['added', 'removed', 'edited', 'moved', 'replaced']),
    section: z.string().describe('The nearest heading above; empty: none'),
    landmark: z.string().describe('main, header, nav, aside, footer, other; empty: the page does not say'),
    before: z.string().nullable(),
    after: z.string().nullable(),
    words: Words,
    volatile: z.boolean().describe('It changes by itself, at every visit: it is in no count'),
    numericOnly: z.boolean().describe('Nothing but digits differs'),
  })
  .meta({ id: 'ChangedBlock' });

const Field = z
  .object({
    name: z.string().describe('title, description, canonical, robots, status, an extracted field, …'),
    from: z.string().nullable(),
    to: z.string().nullable(),
  })
  .meta({ id: 'ChangedField' });

/** One change of a record. */
export const Change = z
  .object({
    id: z.string(),
    runId: z.string(),
    url: z.string(),
    kind: z
      .enum(CHANGE_KINDS)
      .describe(
        'withheld: there are signs, and a run was incomplete; unverified: the page could not be read or compared; same: only who links there changed; template: one edit on many pages',
      ),
    reason: z.string().nullable().describe('Why a page is withheld or unverified'),
    section: z.string().describe('The heading over the edit; the title of a page that came or went'),
    volatile: z.boolean(),
    wordsAdded: z.int(),
    wordsRemoved: z.int(),
    blocks: z.array(Block),
    fields: z.array(Field),
    movedFrom: z.string().nullable().describe('Where the page was before'),
    returned: z.boolean().describe('It was gone before'),
    numericOnly: z.boolean(),
    reordered: z.boolean(),
    degraded: z.boolean().describe('The comparison ran out of time: what was replaced is told, not where inside'),
    truncated: z.boolean().describe('There was more than is told here'),
    templateRefs: z.array(z.string()).describe('Changes of kind template that tell the rest of what differs'),
    template: z
      .object({
        pages: z.int(),
        urls: z.array(z.string()).describe('The first of them'),
        isRedesign: z.boolean(),
      })
      .nullable(),
    baselineRunId: z
      .string()
      .nullable()
      .describe('The run it was compared with, where it is not the record’s baseline'),
    verdicts: z.object({ before: z.string(), now: z.string() }).meta({ example: { before: 'ok', now: 'ok' } }),
    links: z.enum(['orphaned', 'linked']).nullable(),
    firstSeenAt: Time,
    reviewed: z.boolean(),
    reviewedBy: z.string().nullable().describe('The key that reviewed it'),
    reviewedAt: Time.nullable(),
  })
  .meta({ id: 'Change' });
export type Change = z.output<typeof Change>;

export const COUNTED = [
  'added',
  'removed',
  'modified',
  'same',
  'withheld',
  'unverified',
  'skipped',
  'fields',
  'selectorBreaks',
  'volatileBlocks',
] as const;

/** What a model made of a record. */
export const ChangeDigestText = z
  .object({
    summary: z.string(),
    points: z.array(z.string()).max(5),
    significant: z.boolean().describe('Whether a person should look'),
  })
  .meta({ id: 'ChangeDigestText' });
export type ChangeDigestText = z.output<typeof ChangeDigestText>;

/** The record of a run. */
export const ChangeRecord = z
  .object({
    runId: z.string().nullable().describe('null where no full run has a record yet'),
    status: z.enum(RECORD_STATUSES).nullable().describe('making: the run has ended, its record is on the way'),
    error: z.string().nullable(),
    baseline: z.string().nullable().describe('The run it was compared with; null: there was none'),
    madeAt: Time.nullable(),
    counts: z
      .object(Object.fromEntries(COUNTED.map((name) => [name, z.int()])))
      .describe('Each page has one outcome')
      .meta({ example: Object.fromEntries(COUNTED.map((name) => [name, name === 'same' ? 41 : 1])) }),
    coverage: z
      .object({
        verdict: z.boolean().describe('Whether the comparison is a verdict on the whole site'),
        complete: z.boolean(),
        reasons: z.array(z.string()).describe('Why it is none'),
        known: z.int(),
        read: z.int(),
        unread: z.int(),
        probed: z.int().describe('Pages the run missed that were looked at once more, free of charge'),
        baselineComplete: z.boolean(),
        outOfScope: z.int(),
      })
      .nullable(),
    moved: z.int().describe('Pages that moved: they are among the modified ones'),
    selectorBreaks: z.array(
      z.object({
        setting: z.string(),
        selector: z.string(),
        template: z.string().describe('The part of the site'),
        shareBefore: z.number().describe('Share of the pages it matched on, 0 to 1'),
        shareNow: z.number(),
      }),
    ),
    digest: ChangeDigestText.nullable().describe(
      'A model’s summary, where `config.change_digest` asks for one and something changed',
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
const around = { creditsUsed: z.int(), request_id: z.string() };

/** Two readings of a page, word by word. */
export const PageChanges = z
  .object({
    ...readings,
    blocks: z.array(Block),
    fields: z.array(Field),
    wordsAdded: z.int(),
    wordsRemoved: z.int(),
    reordered: z.boolean(),
    degraded: z.boolean(),
    html: z.string().describe('The same as a fragment of html: escaped text, `ins` and `del`, nothing that runs'),
    ...around,
  })
  .meta({ id: 'PageChanges' });
export type PageChanges = z.output<typeof PageChanges>;

/** The markup of two readings of a page. */
export const MarkupChanges = z
  .object({
    ...readings,
    changes: z.array(
      z.object({
        op: z.enum(['insert', 'remove', 'move', 'attr', 'text']),
        selector: z.string(),
        fromSelector: z.string().nullable().describe('Of what has moved: where it stood before'),
        section: z.string().nullable(),
        attribute: z.string().nullable(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      }),
    ),
    noiseSuppressed: z
      .record(z.string(), z.int())
      .describe('Differences no person made, such as nonces and build names, by the rule that kept them silent'),
    selectors: z
      .array(
        z.object({
          setting: z.string(),
          selector: z.string(),
          suggestion: z.string().nullable(),
          confidence: z.number().describe('0 to 1'),
          pagesChecked: z.int(),
          region: z.string().describe('What the suggestion names, as plain text'),
        }),
      )
      .describe('For selectors that broke with this run: what names the same place now. Nothing is changed by itself'),
    degraded: z.enum(['too_large', 'out_of_time']).nullable(),
    truncated: z.boolean(),
    ...around,
  })
  .meta({ id: 'MarkupChanges' });
export type MarkupChanges = z.output<typeof MarkupChanges>;
