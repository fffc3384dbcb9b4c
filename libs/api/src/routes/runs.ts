import { JOB_STATUSES } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';
import { LinkSet, LinksQuery, RunDetail, RunEnvelope, RunSummary } from '../schemas/run.ts';

const ofProject = {
  tag: 'Runs',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
};
const ofRun = {
  tag: 'Runs',
  params: ofProject.params.extend({ run: z.string().describe('The run, such as run_01j…') }),
};

export const runRoutes = {
  listRuns: route({
    ...ofProject,
    id: 'listRuns',
    method: 'get',
    path: '/projects/{id}/runs',
    scope: 'read',
    summary: 'Runs of the project, newest first',
    query: z.strictObject({
      v: z.enum(JOB_STATUSES).optional().describe('Only runs with this status'),
      limit: limit(25, 100),
      cursor: Cursor,
    }),
    body: nothing,
    responses: { 200: listOf(RunSummary) },
  }),
  startRun: route({
    ...ofProject,
    id: 'startRun',
    spends: true,
    usesLogin: true,
    refusals: {
      conflict: 'A run of the project is queued or running.',
      tier_limit: 'No engine of this deployment can read pages under the options.',
    },
    method: 'post',
    path: '/projects/{id}/runs',
    scope: 'write',
    summary: 'Start a run',
    description: 'Returns 202 at once, or 409 while a run or a re-crawl of the project is queued or running.',
    query: nothing,
    body: z
      .strictObject({ trigger: z.enum(['manual', 'api']).default('api').describe('The trigger to record') })
      .meta({ id: 'RunRequest' }),
    responses: { 202: RunEnvelope },
    example: {},
  }),
  getRun: route({
    ...ofRun,
    id: 'getRun',
    method: 'get',
    path: '/projects/{id}/runs/{run}',
    scope: 'read',
    summary: 'One run with its engine breakdown and log; `next` is the path of its pages',
    query: nothing,
    body: nothing,
    responses: { 200: RunDetail },
  }),
  cancelRun: route({
    ...ofRun,
    id: 'cancelRun',
    exampleState: { status: 'cancelled', stop: 'cancelled' },
    method: 'post',
    path: '/projects/{id}/runs/{run}/cancel',
    scope: 'write',
    summary: 'Cancel a run',
    description:
      'Fetching stops within two seconds. Pages fetched so far stay available. A run that has ended is unchanged.',
    query: nothing,
    body: nothing,
    responses: { 200: RunEnvelope },
  }),
  listRunLinks: route({
    ...ofRun,
    id: 'listRunLinks',
    method: 'get',
    path: '/projects/{id}/runs/{run}/links',
    scope: 'read',
    summary: 'One set of pages from the link graph of the run',
    query: LinksQuery,
    body: nothing,
    responses: { 200: LinkSet },
  }),
} as const;
