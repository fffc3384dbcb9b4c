import {
  ChangeDigestText,
  JOB_STATUSES,
  RecordCounts,
  RecordCoverage,
  RUN_TRIGGERS,
  Stop,
  Time,
} from '@tidemark/results';
import { z } from 'zod';
import { event } from './event.ts';

/** Kinds of changes that rules match. */
export const ALERT_KINDS = ['added', 'removed', 'modified', 'withheld', 'unverified', 'same', 'template'] as const;

const changeId = z.string().describe('Id of the change, as in the entries of the change record');
const url = z.string().describe('URL of the page');

const RunFinished = z
  .object({
    status: z.enum(JOB_STATUSES),
    trigger: z.enum(RUN_TRIGGERS),
    pages: z.int().describe('Completed pages'),
    counts: RecordCounts.nullable().describe('Counts of the change record by outcome; null without a record'),
    coverage: RecordCoverage.describe(
      'Whether the comparison is a verdict; the reason `no_record` means that the record was not ready in time',
    ),
    baseline: z.string().nullable().describe('The run it was compared with; null if there was none'),
    stop: Stop,
    error: z.string().nullable().describe('Why the run failed; null if it did not'),
    finishedAt: Time,
    digest: ChangeDigestText.nullable().describe('null if none is configured or the model did not respond'),
    changes: z.url().describe('URL of the change record'),
  })
  .meta({ id: 'RunFinishedData' });

const PageChanged = z
  .object({
    url,
    kind: z.enum(['added', 'removed', 'modified']),
    fields: z.array(z.string()).describe('Names of the fields that changed'),
    wordsAdded: z.int(),
    wordsRemoved: z.int(),
    section: z.string().describe('The heading above the edit; the title of an added or removed page'),
    volatile: z.boolean().describe('The content changes on every visit'),
    movedFrom: z.string().optional().describe('Previous URL of the page'),
    returned: z.literal(true).optional().describe('The page was removed earlier and is back'),
    changeId,
  })
  .meta({ id: 'PageChangedData' });

const PageBlocked = z
  .object({ url, before: z.string().describe('Verdict of the previous reading'), verdict: z.string(), changeId })
  .meta({ id: 'PageBlockedData' });

const FieldCanonical = z
  .object({
    url,
    field: z.enum(['canonical', 'robots', 'title']),
    from: z.string().nullable(),
    to: z.string().nullable(),
    pages: z.int().describe('Number of pages with the same change; 1 for this page alone'),
    changeId,
  })
  .meta({ id: 'FieldCanonicalData' });

const PageLinks = z.object({ url, changeId }).meta({ id: 'PageLinksData' });

const AlertMatched = z
  .object({
    alert: z.object({ id: z.string(), name: z.string() }).describe('The rule, as its project names it'),
    matches: z
      .array(
        z.object({
          changeId,
          runId: z.string().describe('The run whose record has the change'),
          url,
          title: z.string().nullable().describe('null: the page has none, or the change is of many pages'),
          kind: z.enum(ALERT_KINDS),
          wordsAdded: z.int(),
          wordsRemoved: z.int(),
          section: z.string().describe('The heading above the edit; the title of an added or removed page'),
          fields: z.array(z.string()).describe('Names of the fields that changed'),
        }),
      )
      .max(20),
    more: z.int().describe('Further matches, which the record marks'),
  })
  .meta({ id: 'AlertMatchedData' });

const CHANGE = 'run_01kf2q7m5de4g8rj0w3x9y1zab:12';
const PAGE = 'https://example.com/pricing';

/** Events of a project's run and of the changes it found. */
export const RUN_EVENTS = {
  'run.finished': event({
    description:
      'A run ended and its change record is ready. `status` is `error` if no page could be read; such a run, and a cancelled one, has no other events, and the next run is compared with the state before it. Sent before the other events of the run, for recrawls too. If the record is not ready within 15 minutes, the message has no counts.',
    data: RunFinished,
    example: {
      status: 'done',
      trigger: 'schedule',
      pages: 412,
      counts: {
        added: 3,
        removed: 1,
        modified: 9,
        same: 396,
        withheld: 0,
        unverified: 2,
        skipped: 1,
        machineRead: 2,
        fields: 4,
        selectorBreaks: 0,
        volatileBlocks: 37,
      },
      coverage: {
        verdict: true,
        complete: true,
        reasons: [],
        known: 409,
        read: 408,
        unread: 1,
        probed: 1,
        baselineComplete: true,
        outOfScope: 0,
      },
      baseline: 'run_01kevs6a1be5h9sk2x4z8y0wcd',
      stop: 'finished',
      error: null,
      finishedAt: '2026-05-04T06:12:41.208Z',
      digest: {
        summary: 'Prices of two plans rose, and a page on returns was added.',
        points: ['The Team plan costs 29 instead of 24', 'A page on returns is new'],
        significant: true,
      },
      changes:
        'https://api.example.com/v1/projects/prj_01kf2q7m5de4g8rj0w3x9y1zab/changes?run_id=run_01kf2q7m5de4g8rj0w3x9y1zab',
    },
  }),
  'page.changed': event({
    description:
      'A page was added, removed or modified. A modified page is reported only if the edit reaches `notify_min_words`.',
    data: PageChanged,
    example: {
      url: PAGE,
      kind: 'modified',
      fields: ['title'],
      wordsAdded: 6,
      wordsRemoved: 4,
      section: 'Plans',
      volatile: false,
      changeId: CHANGE,
    },
  }),
  'page.blocked': event({
    description: 'A page that was readable before is refused now.',
    data: PageBlocked,
    example: { url: PAGE, before: 'ok', verdict: 'blocked: CAPTCHA', changeId: CHANGE },
  }),
  'field.canonical': event({
    description: 'The canonical URL, the title or the robots directive changed.',
    data: FieldCanonical,
    example: { url: PAGE, field: 'title', from: 'Prices', to: 'Plans and prices', pages: 1, changeId: CHANGE },
  }),
  'page.orphaned': event({
    description: 'No page of the site links to this page any more.',
    data: PageLinks,
    example: { url: PAGE, changeId: CHANGE },
  }),
  'alert.matched': event({
    description:
      'Changes made the condition of a rule in `alerts` true. One message per rule and run, or per rule, day or week where matches are collected; quiet hours delay it.',
    data: AlertMatched,
    example: {
      alert: { id: 'price-below-100', name: 'Price below 100' },
      matches: [
        {
          changeId: CHANGE,
          runId: 'run_01kf2q7m5de4g8rj0w3x9y1zab',
          url: PAGE,
          title: 'Pricing',
          kind: 'modified',
          wordsAdded: 2,
          wordsRemoved: 2,
          section: 'Plans',
          fields: ['fields.price'],
        },
      ],
      more: 0,
    },
  }),
  'page.linked': event({
    description: 'A page without inbound links is linked again.',
    data: PageLinks,
    example: { url: PAGE, changeId: CHANGE },
  }),
} as const;
