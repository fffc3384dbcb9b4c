import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { NewSavedView, SavedView, SavedViews, ViewName } from '../schemas/saved-view.ts';

const around = {
  tag: 'Sessions',
  params: nothing,
  query: nothing,
  scope: 'read',
  session: { only: true, allows: ['unverified'] },
} as const;
const params = z.strictObject({ id: z.string().describe('The saved view, such as viw_01j…') });

/** Pages of the console with their filters. They belong to one member of a workspace; other members do not see them. */
export const savedViewRoutes = {
  listSavedViews: route({
    ...around,
    id: 'listSavedViews',
    method: 'get',
    path: '/auth/views',
    summary: 'Saved views of the signed-in person in the workspace, by name; at most 100',
    body: nothing,
    responses: { 200: SavedViews },
  }),
  createSavedView: route({
    ...around,
    id: 'createSavedView',
    refusals: { conflict: 'The person has 100 saved views in the workspace.' },
    method: 'post',
    path: '/auth/views',
    summary: 'Save a view',
    description:
      'A view is a page of the console with its filters. It is deleted when the person leaves the workspace.',
    body: NewSavedView,
    responses: { 201: SavedView },
    example: { name: 'Blocked pages', path: '/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m/pages?q=verdict%3Ablocked' },
  }),
  patchSavedView: route({
    ...around,
    id: 'patchSavedView',
    params,
    method: 'patch',
    path: '/auth/views/{id}',
    summary: 'Rename a saved view',
    body: z.strictObject({ name: ViewName }).meta({ id: 'SavedViewPatch' }),
    responses: { 200: SavedView },
    example: { name: 'Refused pages' },
  }),
  deleteSavedView: route({
    ...around,
    id: 'deleteSavedView',
    params,
    method: 'delete',
    path: '/auth/views/{id}',
    summary: 'Delete a saved view',
    body: nothing,
    responses: { 204: undefined },
  }),
} as const;
