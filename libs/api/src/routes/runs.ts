import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { JOB_STATUSES } from '../schemas/job.ts';
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
    summary: 'The project’s runs, newest first',
    query: z.strictObject({
      v: z.enum(JOB_STATUSES).optional().describe('Only those of this status'),
      limit: limit(25, 100),
      cursor: Cursor,
    }),
    body: nothing,
    responses: { 200: listOf(RunSummary) },
  }),
  startRun: route({
    ...ofProject,
    id: 'startRun',
    method: 'post',
    path: '/projects/{id}/runs',
    scope: 'write',
    summary: 'Start a run',
    description: 'Answers 202 at once, and 409 while a run of the project is queued or running.',
    query: nothing,
    body: z
      .strictObject({ trigger: z.enum(['manual', 'api']).default('api').describe('What to note as its cause') })
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
    summary: 'One run, with its engines and its log; its pages are where `next` leads',
    query: nothing,
    body: nothing,
    responses: { 200: RunDetail },
  }),
  cancelRun: route({
    ...ofRun,
    id: 'cancelRun',
    method: 'post',
    path: '/projects/{id}/runs/{run}/cancel',
    scope: 'write',
    summary: 'Cancel a run',
    description:
      'Nothing more is fetched within two seconds; the pages it has stay. One that has ended stays as it is.',
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
    summary: 'One set of the run’s link graph',
    query: LinksQuery,
    body: nothing,
    responses: { 200: LinkSet },
  }),
} as const;
