import { z } from 'zod';
import { nothing, route } from '../route.ts';
import {
  Destination,
  DestinationPatch,
  DestinationResponse,
  NewDestination,
  NewProjectDestination,
  ProjectDestinationPatch,
  ShapedRows,
  ShapeFunctions,
  ShapePreview,
  StartedSyncs,
  Sync,
  SyncResponse,
} from '../schemas/destination.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';

const tag = 'Destinations';
const Id = z.string().describe('The destination, such as dst_01j…');
const one = z.strictObject({ id: Id });
const ofProject = z.strictObject({ id: z.string().describe('The project, such as prj_01j…') });
const oneOfProject = ofProject.extend({ dest: Id });
const ofSync = z.strictObject({ id: z.string().describe('The sync, such as syn_01j…') });
const page = z.strictObject({ cursor: Cursor, limit: limit(100, 1_000) });
const Destinations = listOf(Destination).meta({ id: 'Destinations' });
const Syncs = listOf(Sync).meta({ id: 'Syncs' });

const refusals = { plan_limit: 'The workspace has as many destinations as it may.' } as const;
const syncRefusals = { validation: 'The destination is paused (400).', conflict: 'The run has not ended.' } as const;
const CREATE =
  'The server is not called; POST /connections/{id}/test calls it. Faults of a shape name its column. A key that is restricted to projects cannot use connections.';
const PATCH = 'Fields that are not given stay unchanged. What has been written stays where it is.';
const DELETE = 'Deletes the destination and its syncs; a running sync is stopped. What has been written stays.';
const SYNC =
  'Returns at once; see GET /syncs/{id} for the result. A full run that is older than the newest one in the destination is skipped, except in the mode append.';
const example = {
  name: 'Warehouse',
  connection_id: 'con_01m821pf4qesg9awzd71rjnj04',
  table: 'site_pages',
  mode: 'mirror',
};

/** Destinations of the workspace. */
const shared = {
  listDestinations: route({
    id: 'listDestinations',
    method: 'get',
    path: '/destinations',
    tag,
    scope: 'read',
    summary: 'Destinations of the workspace, newest first',
    description:
      'A key that is restricted to projects sees those with the scope `projects` whose projects are all in its list.',

    params: nothing,
    query: page,
    body: nothing,
    responses: { 200: Destinations },
  }),
  createDestination: route({
    feature: 'destinations',

    id: 'createDestination',
    method: 'post',
    path: '/destinations',
    tag,
    scope: 'admin',
    refusals,

    summary: 'Create a destination for every project or for some',
    description: CREATE,

    params: nothing,
    query: nothing,
    body: NewDestination,
    responses: { 201: DestinationResponse },
    example,
  }),
  getDestination: route({
    id: 'getDestination',
    method: 'get',
    path: '/destinations/{id}',
    tag,
    scope: 'read',
    summary: 'A destination and its newest sync',

    params: one,
    query: nothing,
    body: nothing,
    responses: { 200: DestinationResponse },
  }),
  patchDestination: route({
    id: 'patchDestination',
    method: 'patch',
    path: '/destinations/{id}',
    tag,
    scope: 'admin',

    summary: 'Change, pause or resume a destination',
    description: PATCH,

    params: one,
    query: nothing,
    body: DestinationPatch,
    responses: { 200: DestinationResponse },
    example: { status: 'active' },
  }),
  deleteDestination: route({
    id: 'deleteDestination',
    method: 'delete',
    path: '/destinations/{id}',
    tag,
    scope: 'admin',

    summary: 'Delete a destination',
    description: DELETE,

    params: one,
    query: nothing,
    body: nothing,
    responses: { 204: undefined },
  }),
  listSyncs: route({
    id: 'listSyncs',
    method: 'get',
    path: '/destinations/{id}/syncs',
    tag,
    scope: 'read',
    summary: 'Syncs of a destination, newest first; kept for 90 days',

    params: one,
    query: page,
    body: nothing,
    responses: { 200: Syncs },
  }),
  startSync: route({
    feature: 'destinations',

    id: 'startSync',
    method: 'post',
    path: '/destinations/{id}/sync',
    tag,
    scope: 'write',
    refusals: syncRefusals,
    summary: 'Write a run, or the newest run of each project, to a destination',

    description: SYNC,
    params: one,
    query: nothing,
    body: z
      .strictObject({
        project_id: z.string().max(100).optional().describe('Write this project only, such as prj_01j…'),
        run_id: z.string().max(100).optional().describe('Write this run of the project, such as run_01j…'),
      })
      .meta({ id: 'SyncRequest' }),
    responses: { 202: StartedSyncs },
    example: { project_id: 'prj_01m821ntmkesg9awx9hrg5ayxg' },
  }),
} as const;

/** Destinations of a project. */
const own = {
  listProjectDestinations: route({
    id: 'listProjectDestinations',
    method: 'get',
    path: '/projects/{id}/destinations',
    tag,
    scope: 'read',
    summary: 'Destinations of a project, newest first',

    params: ofProject,
    query: page,
    body: nothing,
    responses: { 200: Destinations },
  }),
  createProjectDestination: route({
    feature: 'destinations',

    id: 'createProjectDestination',
    method: 'post',
    path: '/projects/{id}/destinations',
    tag,
    scope: 'admin',

    refusals,
    summary: 'Create a destination of a project',
    description: CREATE,
    params: ofProject,

    query: nothing,
    body: NewProjectDestination,
    responses: { 201: DestinationResponse },
    example,
  }),
  patchProjectDestination: route({
    id: 'patchProjectDestination',
    method: 'patch',
    path: '/projects/{id}/destinations/{dest}',
    tag,

    scope: 'admin',
    summary: 'Change, pause or resume a destination of a project',
    description: PATCH,

    params: oneOfProject,
    query: nothing,
    body: ProjectDestinationPatch,

    responses: { 200: DestinationResponse },
    example: { status: 'active' },
  }),
  deleteProjectDestination: route({
    id: 'deleteProjectDestination',
    method: 'delete',
    path: '/projects/{id}/destinations/{dest}',
    tag,

    scope: 'admin',
    summary: 'Delete a destination of a project',
    description: DELETE,

    params: oneOfProject,
    query: nothing,
    body: nothing,
    responses: { 204: undefined },
  }),
  listProjectSyncs: route({
    id: 'listProjectSyncs',
    method: 'get',
    path: '/projects/{id}/destinations/{dest}/syncs',
    tag,
    scope: 'read',
    summary: 'Syncs of a destination of a project, newest first; kept for 90 days',

    params: oneOfProject,
    query: page,
    body: nothing,
    responses: { 200: Syncs },
  }),
  startProjectSync: route({
    feature: 'destinations',

    id: 'startProjectSync',
    method: 'post',
    path: '/projects/{id}/destinations/{dest}/sync',
    tag,
    scope: 'write',

    refusals: syncRefusals,
    summary: 'Write a run of the project, by default the newest, to a destination',

    description: SYNC,
    params: oneOfProject,
    query: nothing,
    body: z
      .strictObject({ run_id: z.string().max(100).optional().describe('The run, such as run_01j…') })
      .meta({ id: 'ProjectSyncRequest' }),

    responses: { 202: StartedSyncs },
    example: {},
  }),
} as const;

export const destinationRoutes = {
  previewShape: route({
    id: 'previewShape',
    method: 'post',
    path: '/destinations/preview',
    tag,
    scope: 'read',
    summary: 'Rows of the newest run of a project as a shape writes them',
    description:
      'Nothing is written. Cells that can not be computed are null and are counted; faults of the shape name their column.',

    params: nothing,
    query: nothing,
    body: ShapePreview,
    responses: { 200: ShapedRows },
    refusals: { conflict: 'The change record of the run is being made.' },
    example: {
      project_id: 'prj_01m821ntmkesg9awx9hrg5ayxg',
      shape: { columns: [{ name: 'address', expr: 'url', type: 'text' }], where: 'words > 100' },
    },
  }),
  listShapeFunctions: route({
    id: 'listShapeFunctions',
    method: 'get',
    path: '/destinations/shape-functions',
    tag,
    scope: 'read',
    summary: 'Functions and operators of the expressions of shapes',
    description:
      'Expressions are CEL (https://cel.dev) over the columns of a dataset by their names in GET /exports. Patterns are RE2.',

    params: nothing,
    query: nothing,
    body: nothing,
    responses: { 200: ShapeFunctions },
  }),
  ...shared,
  ...own,
  getSync: route({
    id: 'getSync',
    method: 'get',
    path: '/syncs/{id}',
    tag,
    scope: 'read',
    summary: 'A sync: its counts, warnings, attempts and error',

    params: ofSync,
    query: nothing,
    body: nothing,
    responses: { 200: SyncResponse },
  }),
  streamSync: route({
    id: 'streamSync',
    method: 'get',
    path: '/syncs/{id}/events',
    tag,
    scope: 'read',
    summary: 'Progress of a sync as server-sent events',
    description:
      'Events: `progress` with status, rows and attempts, and finally `done`; or `closed` with `code` and `error` if the stream ends before the sync. A key can have 50 open streams; another gets 429.',

    params: ofSync,
    query: nothing,
    body: nothing,
    produces: 'text/event-stream',
    responses: { 200: undefined },
  }),
} as const;
