import { z } from 'zod';
import { ChangeDigestText, ChangeRecord } from '../schemas/change.ts';
import { JOB_STATUSES } from '../schemas/job.ts';
import { Time } from '../schemas/parts.ts';
import { RUN_TRIGGERS } from '../schemas/run.ts';
import { event } from './event.ts';

const changeId = z.string().describe('The change in the run’s record, as its entries name it');
const url = z.string().describe('The page');

const RunFinished = z
  .object({
    status: z.enum(JOB_STATUSES),
    trigger: z.enum(RUN_TRIGGERS),
    pages: z.int().describe('Pages that ended'),
    counts: ChangeRecord.shape.counts.nullable().describe('The record’s, by outcome; null where there is no record'),
    coverage: ChangeRecord.shape.coverage
      .unwrap()
      .describe('Whether the comparison is a verdict; reason `no_record`: none was made in time'),
    baseline: z.string().nullable().describe('The run it was compared with; null: there was none'),
    stop: z.string().nullable().describe('Why the run ended'),
    finishedAt: Time,
    digest: ChangeDigestText.nullable().describe('null where none is configured, or the model had no answer'),
    changes: z.string().describe('Path of the record'),
  })
  .meta({ id: 'RunFinishedData' });

const PageChanged = z
  .object({
    url,
    kind: z.enum(['added', 'removed', 'modified']),
    fields: z.array(z.string()).describe('Names of the fields that changed'),
    wordsAdded: z.int(),
    wordsRemoved: z.int(),
    section: z.string().describe('The heading over the edit; the title of a page that came or went'),
    volatile: z.boolean().describe('It changes by itself'),
    movedFrom: z.string().optional().describe('Where the page was before'),
    returned: z.literal(true).optional().describe('It was gone before'),
    changeId,
  })
  .meta({ id: 'PageChangedData' });

const PageBlocked = z
  .object({ url, before: z.string().describe('The verdict of the reading before'), verdict: z.string(), changeId })
  .meta({ id: 'PageBlockedData' });

const FieldCanonical = z
  .object({
    url,
    field: z.enum(['canonical', 'robots', 'title']),
    from: z.string().nullable(),
    to: z.string().nullable(),
    pages: z.int().describe('Pages that changed alike; 1: this one alone'),
    changeId,
  })
  .meta({ id: 'FieldCanonicalData' });

const PageLinks = z.object({ url, changeId }).meta({ id: 'PageLinksData' });

const CHANGE = 'run_01kf2q7m5de4g8rj0w3x9y1zab:12';
const PAGE = 'https://example.com/pricing';

/** What is told of a project's run and the changes it found. */
export const RUN_EVENTS = {
  'run.finished': event({
    says: 'A run has ended and its record is made. It comes before the other events of the run. A recrawl is told too. Without a record within 15 minutes it is told without counts.',
    data: RunFinished,
    example: {
      status: 'done',
      trigger: 'schedule',
      pages: 412,
      counts: {
        ...{ added: 3, removed: 1, modified: 9, same: 396, withheld: 0, unverified: 2, skipped: 1 },
        ...{ fields: 4, selectorBreaks: 0, volatileBlocks: 37 },
      },
      coverage: {
        ...{ verdict: true, complete: true, reasons: [], known: 409, read: 408, unread: 1, probed: 1 },
        ...{ baselineComplete: true, outOfScope: 0 },
      },
      baseline: 'run_01kevs6a1be5h9sk2x4z8y0wcd',
      stop: 'finished',
      finishedAt: '2026-05-04T06:12:41.208Z',
      digest: {
        summary: 'Prices of two plans rose, and a page on returns was added.',
        points: ['The Team plan costs 29 instead of 24', 'A page on returns is new'],
        significant: true,
      },
      changes: '/v1/projects/prj_01kf2q7m5de4g8rj0w3x9y1zab/changes?run_id=run_01kf2q7m5de4g8rj0w3x9y1zab',
    },
  }),
  'page.changed': event({
    says: 'A page was added, removed or modified. A modified page is told of only where its edit reaches `notify_min_words`.',
    data: PageChanged,
    example: {
      ...{ url: PAGE, kind: 'modified', fields: ['title'], wordsAdded: 6, wordsRemoved: 4, section: 'Plans' },
      ...{ volatile: false, changeId: CHANGE },
    },
  }),
  'page.blocked': event({
    says: 'A page that could be read before is refused now.',
    data: PageBlocked,
    example: { url: PAGE, before: 'ok', verdict: 'blocked: CAPTCHA', changeId: CHANGE },
  }),
  'field.canonical': event({
    says: 'The canonical address, the title or what robots are told has changed.',
    data: FieldCanonical,
    example: { url: PAGE, field: 'title', from: 'Prices', to: 'Plans and prices', pages: 1, changeId: CHANGE },
  }),
  'page.orphaned': event({
    says: 'No page of the site links to this one any more.',
    data: PageLinks,
    example: { url: PAGE, changeId: CHANGE },
  }),
  'page.linked': event({
    says: 'A page that nothing linked to is linked again.',
    data: PageLinks,
    example: { url: PAGE, changeId: CHANGE },
  }),
} as const;
