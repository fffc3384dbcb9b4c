import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Discovery, DiscoveryEntries, ENTRY_SETS } from '../schemas/discovery.ts';
import { MapEnvelope } from '../schemas/map.ts';
import { limit } from '../schemas/parts.ts';
import { UnsavedConfig } from '../schemas/project-config.ts';
import { DryRun, Sources, SourcesPreview } from '../schemas/sources.ts';

const ofProject = {
  tag: 'Sources',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
};
const asks = { ...ofProject, method: 'get', scope: 'read', query: nothing, body: nothing } as const;

export const sourceRoutes = {
  dryRun: route({
    ...ofProject,
    id: 'dryRun',
    method: 'post',
    path: '/projects/{id}/dry-run',
    scope: 'read',
    summary: 'What the scope would do to the addresses already known',
    description:
      'Judges the pages of the last full run and what it left in its queue by the saved configuration, with the unsaved changes of the body merged into it. Nothing is kept, fetched or spent.',
    query: nothing,
    body: UnsavedConfig,
    responses: { 200: DryRun },
    example: { include_paths: ['/blog/*'], max_pages: 500 },
  }),
  getSources: route({
    ...asks,
    id: 'getSources',
    path: '/projects/{id}/sources',
    summary: 'Where the project’s pages come from, and what its last full run found through each',
    responses: { 200: Sources },
  }),
  previewSources: route({
    ...ofProject,
    id: 'previewSources',
    method: 'post',
    path: '/projects/{id}/sources/preview',
    scope: 'write',
    summary: 'What sources would give',
    description:
      'Each pattern counted over the stored sitemap tree and the addresses of the last full run, each feed read now, the address list checked, and what a run would cost. Nothing is queued or kept; free. It needs the scope `write` because it reaches the site.',
    query: nothing,
    body: UnsavedConfig,
    responses: { 200: SourcesPreview },
    example: { feeds: ['https://example.com/feed.xml'], sitemap_include: ['*/blog-*'] },
  }),
  getDiscovery: route({
    ...asks,
    id: 'getDiscovery',
    path: '/projects/{id}/discovery',
    summary: 'The stored sitemap tree of the site, and what has changed in it',
    responses: { 200: Discovery },
  }),
  startDiscovery: route({
    ...ofProject,
    id: 'startDiscovery',
    method: 'post',
    path: '/projects/{id}/discovery',
    scope: 'write',
    summary: 'Take a new snapshot of the sitemap tree',
    description:
      'A map of the site, billed as one: 1 credit for each file read. Where one is under way already, it is answered with that one. A site that declares nothing, in no sitemap and no feed, makes no snapshot.',
    query: nothing,
    body: nothing,
    responses: { 202: MapEnvelope },
    example: {},
  }),
  listDiscoveryEntries: route({
    ...asks,
    id: 'listDiscoveryEntries',
    path: '/projects/{id}/discovery/entries',
    summary: 'Addresses that one file of the tree, or all of it, declares',
    query: z.strictObject({
      file: z
        .string()
        .max(4_096)
        .default('')
        .describe('The sitemap file; the whole tree by default, each address once'),
      prefix: z.string().max(2_048).default('').describe('Only addresses whose path begins so'),
      snapshot_id: z.string().max(100).default('').describe('The newest by default'),
      q: z.string().max(500).default('').describe('Only addresses that hold this text'),
      set: z
        .enum(ENTRY_SETS)
        .optional()
        .describe('Instead: what came, went or was dated anew since the snapshot before'),
      cursor: z.coerce.number().int().min(0).max(100_000_000).default(0).describe('`cursor` of the last answer'),
      limit: limit(50, 1_000),
    }),
    responses: { 200: DiscoveryEntries },
  }),
} as const;
