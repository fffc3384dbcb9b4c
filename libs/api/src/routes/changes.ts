import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { CHANGE_FILTERS, Change, ChangeRecord, IgnoredChange, MarkupChanges, PageChanges } from '../schemas/change.ts';
import { Cursor, flag, limit, listOf, PageUrl } from '../schemas/parts.ts';
import { ProjectTag } from '../schemas/project.ts';
import { ScreenshotChanges } from '../schemas/screenshot-changes.ts';

const ofProject = {
  tag: 'Changes',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
};
const FILTERS =
  'Only entries of this kind; changed: added, removed, modified and template; doubtful: withheld and unverified';
const readRoute = { ...ofProject, method: 'get', scope: 'read', body: nothing } as const;

const RunId = z
  .string()
  .max(100)
  .optional()
  .describe(
    'By default the newest full run that is done and read pages, from the moment at which it is done; a failed, a cancelled and a re-crawl run only if it is named',
  );
const twoReadings = z.strictObject({
  url: PageUrl.describe('Matched under either scheme, with or without a trailing slash'),
  run_id: z.string().max(100).optional().describe('Run of the later reading; by default the latest finished full run'),
  from: z
    .string()
    .max(100)
    .optional()
    .describe('Run of the earlier reading; by default the last good reading before the later one'),
});

export const changeRoutes = {
  listChanges: route({
    tag: 'Changes',
    id: 'listChanges',
    method: 'get',
    path: '/changes',
    scope: 'read',
    summary: 'The changes of many projects, newest first',
    description:
      'Of all projects that the key may read, or of those with a tag: the entries of their records, the newest record first, and those of a record in its order. Records of failed and cancelled runs are left out: the next run finds their changes again. To read what is new, pass `until` of the last response as `since`: entries of its last two minutes are returned again, with the same ids, so that none is missed.',
    params: nothing,
    query: z.strictObject({
      tag: ProjectTag.optional().describe('Only projects with this tag'),
      since: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('Only records that were made at this time or later, such as 2026-11-01T00:00:00Z'),
      kind: z.enum(CHANGE_FILTERS).default('changed').describe(FILTERS),
      unreviewed: flag('Only entries that are not reviewed'),
      cursor: Cursor,
      limit: limit(100, 1_000),
    }),
    body: nothing,
    responses: {
      200: listOf(
        Change.extend({
          projectId: z.string(),
          madeAt: Time.describe('When the record of the entry was made'),
        }).meta({ id: 'ListedChange' }),
      )
        .extend({ until: Time.describe('`since` of the request that reads what is new after this response') })
        .meta({ id: 'ChangeList' }),
    },
  }),
  getChanges: route({
    ...readRoute,
    id: 'getChanges',
    path: '/projects/{id}/changes',
    summary: 'The change record of a run',
    description:
      'Every page known before or read now has exactly one outcome, and the counts add up. A missing page is reported as removed only if the coverage of the run allows it; otherwise it is withheld or unverified, with the reason. The record of a run is made within seconds after its end: until then `status` is `making`, `counts` is null and `entries` is empty. The record of an earlier run is returned only if `run_id` names it.',
    query: z.strictObject({
      run_id: RunId,
      kind: z.enum(CHANGE_FILTERS).optional().describe(FILTERS),
      unreviewed: flag('Only entries that are not reviewed'),
      cursor: Cursor,
      limit: limit(100, 1_000),
    }),
    responses: { 200: ChangeRecord },
  }),
  reviewChange: route({
    ...ofProject,
    id: 'reviewChange',
    method: 'post',
    path: '/projects/{id}/changes/{change}/review',
    scope: 'write',
    summary: 'Mark a change as reviewed, or remove the mark',
    description: 'The mark also applies to the same change of the same page in later records.',
    params: ofProject.params.extend({ change: z.string().max(64).describe('The entry, such as chg_…') }),
    query: nothing,
    body: z.strictObject({ reviewed: z.boolean().default(true) }).meta({ id: 'ReviewRequest' }),
    responses: { 200: Change.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({ id: 'ReviewedChange' }) },
    example: { reviewed: true },
  }),
  reviewChanges: route({
    ...ofProject,
    id: 'reviewChanges',
    method: 'post',
    path: '/projects/{id}/changes/review',
    scope: 'write',
    summary: 'Mark many changes of a record as reviewed, or remove the marks',
    description:
      'The entries of one record: all of them, those of one kind, or those listed in `change_ids`. The marks also apply to the same changes of the same pages in later records. Ids that are no entries of the record are ignored; `matched` counts the others.',
    query: nothing,
    body: z
      .strictObject({
        run_id: RunId,
        kind: z.enum(CHANGE_FILTERS).optional().describe(FILTERS),
        change_ids: z
          .array(z.string().regex(/^chg_[a-z2-9]{26}$/, 'expected the id of a change, such as chg_01j…'))
          .min(1)
          .max(1_000)
          .optional()
          .describe('Only these entries'),
        reviewed: z.boolean().default(true),
      })
      .meta({ id: 'ReviewsRequest' }),
    responses: {
      200: z
        .object({
          runId: z.string().nullable().describe('The run of the record; null if the project has no record'),
          matched: z.int().describe('Number of entries that the request names'),
          changed: z.int().describe('Number of marks that were set or removed'),
          creditsUsed: z.int(),
          request_id: z.string(),
        })
        .meta({ id: 'ReviewedChanges' }),
    },
    example: { kind: 'modified', reviewed: true },
  }),
  listIgnoredChanges: route({
    ...readRoute,
    id: 'listIgnoredChanges',
    path: '/projects/{id}/changes/ignored',
    summary: 'The ignored changes of a run',
    description:
      'What differs but is no change of the page, because it changes without an edit: each with both texts, the reason, since when and how often. The list has as many items as `counts.volatileBlocks` of the change record.',
    query: z.strictObject({
      run_id: RunId,
      url: PageUrl.optional().describe(
        'Only those of this page. Matched under either scheme, with or without a trailing slash',
      ),
      cursor: Cursor,
      limit: limit(100, 1_000),
    }),
    responses: {
      200: listOf(IgnoredChange)
        .extend({ runId: z.string().nullable().describe('The run of the record; null if the project has no record') })
        .meta({ id: 'IgnoredChanges' }),
    },
  }),
  overruleIgnoredChange: route({
    ...ofProject,
    id: 'overruleIgnoredChange',
    method: 'post',
    path: '/projects/{id}/changes/ignored/{ignored}',
    scope: 'write',
    summary: 'Decide for good whether changes of a place are reported or ignored',
    description:
      'Saves the decision in `volatile_overrides` of the configuration, as a new version of it. It applies to the block on all pages of its template, from the next run on; records that exist do not change. A repeated decision makes no new version. Prices and headings are reported in any case, and so are link targets in the main part.',
    params: ofProject.params.extend({ ignored: z.string().max(64).describe('The ignored change, such as ign_…') }),
    query: nothing,
    body: z
      .strictObject({
        ignore: z.boolean().describe('false: this was a change, report the next ones; true: ignore them'),
      })
      .meta({ id: 'OverruleRequest' }),
    responses: {
      200: IgnoredChange.extend({
        configVersion: z.int().describe('Version of the configuration that has the decision'),
        creditsUsed: z.int(),
        request_id: z.string(),
      }).meta({ id: 'OverruledChange' }),
    },
    example: { ignore: false },
  }),
  comparePage: route({
    ...readRoute,
    id: 'comparePage',
    path: '/projects/{id}/changes/page',
    summary: 'Word-level diff of two stored readings of a page',
    description:
      'Any two readings of the page, each by its run or by a time: of a time, the last good reading that is not later. `from` alone compares with the newest reading. `to` together with `run_id` is refused with 400.',
    refusals: { before_history: 'No good reading of the page is stored at or before `from` or `to`.' },
    query: twoReadings.extend({
      from: twoReadings.shape.from.describe(
        'Run or time of the earlier reading; by default the last good reading before the later one',
      ),
      to: z
        .string()
        .max(100)
        .optional()
        .describe('Run or time of the later reading; by default the latest finished full run'),
      unchanged: flag('Also list the blocks that did not change, so that `blocks` is the whole page in reading order'),
    }),
    responses: { 200: PageChanges },
  }),
  compareMarkup: route({
    ...readRoute,
    id: 'compareMarkup',
    path: '/projects/{id}/changes/markup',
    summary: 'Markup diff of two stored readings of a page',
    description:
      'Requires the stored html of both readings (`config.store_html`). Attribute order, white space, nonces, build names and similar noise are ignored.',
    query: twoReadings,
    responses: { 200: MarkupChanges },
  }),
  compareScreenshots: route({
    ...readRoute,
    id: 'compareScreenshots',
    path: '/projects/{id}/changes/screenshot',
    summary: 'Visual diff of the screenshots of two stored readings of a page',
    description:
      'Requires the screenshots of both readings (`config.screenshot`). With `side` the response is an image: the JPEG of the earlier or the later reading, or a PNG of the later one, dimmed, with the changed areas framed and the changed pixels marked.',
    query: twoReadings.extend({
      side: z.enum(['before', 'after', 'diff']).optional().describe('Return an image instead of JSON'),
    }),
    alsoProduces: ['image/jpeg', 'image/png'],
    responses: { 200: ScreenshotChanges },
  }),
  changesFeed: route({
    ...readRoute,
    id: 'changesFeed',
    path: '/projects/{id}/changes.atom',
    summary: 'The newest changes as an Atom feed',
    query: z.strictObject({ limit: limit(50, 200) }),
    responses: { 200: z.string() },
    produces: 'application/atom+xml',
  }),
} as const;
