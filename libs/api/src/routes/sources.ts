import { UnsavedConfig } from '@tidemark/project-config';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Discovery, DiscoveryEntries, ENTRY_SETS } from '../schemas/discovery.ts';
import { MapEnvelope } from '../schemas/map.ts';
import { limit } from '../schemas/parts.ts';
import { DryRun, Sources, SourcesPreview } from '../schemas/sources.ts';

const ofProject = {
  tag: 'Sources',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
};
const readRoute = { ...ofProject, method: 'get', scope: 'read', query: nothing, body: nothing } as const;

export const sourceRoutes = {
  dryRun: route({
    ...ofProject,
    id: 'dryRun',
    method: 'post',
    path: '/projects/{id}/dry-run',
    scope: 'read',
    summary: 'Effect of the scope on the URLs already known',
    description:
      'Applies the saved configuration, merged with the unsaved changes in the body, to the pages of the last full run and to its remaining queue. Nothing is stored, fetched or charged.',
    query: nothing,
    body: UnsavedConfig,
    responses: { 200: DryRun },
    example: { include_paths: ['/blog/**'], max_pages: 500 },
  }),
  getSources: route({
    ...readRoute,
    id: 'getSources',
    path: '/projects/{id}/sources',
    summary: 'Sources of the project, with what the last full run found through each',
    responses: { 200: Sources },
  }),
  previewSources: route({
    ...ofProject,
    id: 'previewSources',
    method: 'post',
    path: '/projects/{id}/sources/preview',
    scope: 'write',
    summary: 'Preview of changed sources',
    description:
      'Counts each pattern over the stored sitemap tree and the URLs of the last full run, reads each feed now, checks the URL list and estimates the cost of a run. It ends within 15 seconds, whatever the hosts of the feeds do: feeds are read for 8 seconds at most, one that was not read by then has an `error` and the entries read so far, and `cut` states that URLs were left out. Nothing is queued or stored. Free. Requires the scope `write` because it sends requests to the site.',
    query: nothing,
    body: UnsavedConfig,
    responses: { 200: SourcesPreview },
    example: { feeds: ['https://example.com/feed.xml'], sitemap_include: ['*/blog-*'] },
  }),
  getDiscovery: route({
    ...readRoute,
    id: 'getDiscovery',
    path: '/projects/{id}/discovery',
    summary: 'The stored sitemap tree of the site and its changes',
    responses: { 200: Discovery },
  }),
  startDiscovery: route({
    ...ofProject,
    id: 'startDiscovery',
    spends: true,
    method: 'post',
    path: '/projects/{id}/discovery',
    scope: 'write',
    summary: 'Create a snapshot of the sitemap tree',
    description:
      'Runs a map of the site, billed as a map: 1 credit per file read. If one is already running, it is returned. A site without sitemaps and feeds yields no snapshot.',
    query: nothing,
    body: nothing,
    responses: { 202: MapEnvelope },
    example: {},
  }),
  listDiscoveryEntries: route({
    ...readRoute,
    id: 'listDiscoveryEntries',
    path: '/projects/{id}/discovery/entries',
    summary: 'URLs declared by one file of the tree or by the whole tree',
    query: z.strictObject({
      file: z
        .string()
        .max(4_096)
        .default('')
        .describe('URL of the sitemap file; by default the whole tree, each URL once'),
      prefix: z.string().max(2_048).default('').describe('Only URLs whose path starts with this prefix'),
      snapshot_id: z.string().max(100).default('').describe('By default the newest snapshot'),
      q: z.string().max(500).default('').describe('Only URLs that contain this text'),
      set: z
        .enum(ENTRY_SETS)
        .optional()
        .describe('Only URLs that were added, removed or updated since the previous snapshot'),
      cursor: z.coerce
        .number()
        .int()
        .min(0)
        .max(2_147_483_647)
        .default(0)
        .describe(
          'Number of matching URLs to skip: `cursor` of the previous response, or any other number. Behind the last URL the list is empty. Name `snapshot_id` too, as `next` does, so that a newer snapshot does not move the URLs',
        ),
      limit: limit(50, 1_000),
    }),
    responses: { 200: DiscoveryEntries },
  }),
} as const;
