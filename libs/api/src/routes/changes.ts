import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { CHANGE_KINDS, Change, ChangeRecord, MarkupChanges, PageChanges } from '../schemas/change.ts';
import { Cursor, limit } from '../schemas/parts.ts';
import { ScreenshotChanges } from '../schemas/screenshot-changes.ts';

const ofProject = {
  tag: 'Changes',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
};
const reads = { ...ofProject, method: 'get', scope: 'read', body: nothing } as const;

const RunId = z.string().max(100).optional().describe('The newest full run with a record by default');
const twoReadings = z.strictObject({
  url: z.string().min(1).max(2_048).describe('Matched under either scheme, with or without a trailing slash'),
  run_id: z.string().max(100).optional().describe('The later reading’s run; the latest finished full run by default'),
  from: z
    .string()
    .max(100)
    .optional()
    .describe('The earlier reading’s run; by default the last good reading before it'),
});

export const changeRoutes = {
  getChanges: route({
    ...reads,
    id: 'getChanges',
    path: '/projects/{id}/changes',
    summary: 'What changed with a run, and what cannot be known',
    description:
      'Every page known before or read now has one outcome, and the counts add up. Absence is told as removal only where the run saw enough to say so; otherwise it is withheld or unverified, with the reason.',
    query: z.strictObject({
      run_id: RunId,
      kind: z.enum(CHANGE_KINDS).optional().describe('Only entries of this kind'),
      unreviewed: z.stringbool().default(false).describe('Only entries nobody has reviewed'),
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
    summary: 'Mark a change as reviewed, or take the mark away',
    description: 'The mark holds for the same change of the same page in later records.',
    params: ofProject.params.extend({ change: z.string().max(64).describe('The entry, such as chg_…') }),
    query: nothing,
    body: z.strictObject({ reviewed: z.boolean().default(true) }).meta({ id: 'ReviewRequest' }),
    responses: { 200: Change.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({ id: 'ReviewedChange' }) },
    example: { reviewed: true },
  }),
  comparePage: route({
    ...reads,
    id: 'comparePage',
    path: '/projects/{id}/changes/page',
    summary: 'Two stored readings of a page, word by word',
    query: twoReadings,
    responses: { 200: PageChanges },
  }),
  compareMarkup: route({
    ...reads,
    id: 'compareMarkup',
    path: '/projects/{id}/changes/markup',
    summary: 'The markup of two stored readings of a page',
    description:
      'Needs the html of both (`config.store_html`). Order of attributes, white space, nonces, build names and their like are no changes.',
    query: twoReadings,
    responses: { 200: MarkupChanges },
  }),
  compareScreenshots: route({
    ...reads,
    id: 'compareScreenshots',
    path: '/projects/{id}/changes/screenshot',
    summary: 'The screenshots of two stored readings of a page, and where they differ',
    description:
      'Needs the screenshots of both (`config.screenshot`). With `side` the answer is the picture itself: the JPEG of the earlier or the later reading, or a PNG of the later one, paler, with the changed areas framed and the changed pixels marked.',
    query: twoReadings.extend({
      side: z.enum(['before', 'after', 'diff']).optional().describe('Answer with a picture instead of JSON'),
    }),
    responses: { 200: ScreenshotChanges },
  }),
  changesFeed: route({
    ...reads,
    id: 'changesFeed',
    path: '/projects/{id}/changes.atom',
    summary: 'The newest changes as a feed any reader can follow',
    query: z.strictObject({ limit: limit(50, 200) }),
    responses: { 200: z.string() },
    produces: 'application/atom+xml',
  }),
} as const;
