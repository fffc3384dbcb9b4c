import { ProjectConfig, ProjectConfigPatch } from '@tidemark/project-config';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Cursor, limit, listOf, SiteUrl } from '../schemas/parts.ts';
import {
  ApplyGroups,
  PROJECT_HEALTHS,
  Project,
  ProjectId,
  ProjectIds,
  ProjectName,
  ProjectReference,
  ProjectSummary,
  ProjectTag,
  ProjectTags,
  projectSettings,
} from '../schemas/project.ts';
import { RunSummary } from '../schemas/run.ts';

const around = { creditsUsed: z.int(), request_id: z.string() };

const one = { tag: 'Projects', params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }) };
const all = { tag: 'Projects', params: nothing };

/** One project of a batch. */
export const BatchSeed = z
  .union(
    [
      z.string().max(4_096),
      z.strictObject({
        url: z.string().max(4_096),
        name: ProjectName.optional(),
        idempotency_key: z
          .string()
          .min(1)
          .max(255)
          .regex(/^[\x20-\x7e]*$/, 'expected printable ASCII characters')
          .optional()
          .describe('Valid for 24 hours: a repeated item gets the project that the first one created'),
      }),
    ],
    { error: 'expected a URL, or an object with `url`, `name` and `idempotency_key`' },
  )
  .meta({ id: 'BatchSeed' });
export type BatchSeed = z.output<typeof BatchSeed>;

export const projectRoutes = {
  listProjects: route({
    ...all,
    id: 'listProjects',
    method: 'get',
    path: '/projects',
    scope: 'read',
    summary: 'Projects of the workspace, newest first, without configuration',
    query: z.strictObject({
      v: z.enum(PROJECT_HEALTHS).optional().describe('Only projects with this health'),
      tag: ProjectTag.optional().describe('Only projects with this tag'),
      limit: limit(0, 1_000, 0).describe('Number of projects to return, 0 to 1000; 0 returns all'),
      cursor: Cursor,
    }),
    body: nothing,
    responses: { 200: listOf(ProjectSummary) },
  }),
  createProject: route({
    ...all,
    id: 'createProject',
    usesLogin: true,
    exampleState: { health: 'never', lastRun: null },
    refusals: {
      plan_limit: 'The workspace has as many projects as it may.',
      forbidden: 'The key is restricted to projects.',
      conflict: 'Another project has the reference.',
    },
    method: 'post',
    path: '/projects',
    scope: 'write',
    summary: 'Create a project',
    description: 'Nothing is fetched before the first run, which POST /projects/{id}/runs or the schedule starts.',
    query: nothing,
    body: z
      .strictObject({
        seed: SiteUrl,
        name: ProjectName.optional(),
        reference: ProjectReference.optional(),
        tags: ProjectTags.optional(),
        ...projectSettings,
        config: ProjectConfig.optional(),
      })
      .meta({ id: 'NewProject' }),
    idempotent: true,
    responses: { 201: Project },
    example: { seed: 'https://example.com/', schedule: 'weekly', config: { max_pages: 100 } },
  }),
  createProjects: route({
    ...all,
    id: 'createProjects',
    refusals: {
      plan_limit: 'The workspace has as many projects as it may.',
      forbidden: 'The key is restricted to projects.',
    },
    method: 'post',
    path: '/projects/batch',
    scope: 'write',
    summary: 'Create several projects',
    description:
      'One project per seed, with the configuration, schedule and retention of the template. URL lists, feeds and patterns belong to one site and are not copied. Seeds that cannot become projects are listed with the reason. The status is 201 even if no project was created.',
    query: nothing,
    body: z
      .strictObject({
        seeds: z.array(BatchSeed).min(1).max(1_000),
        template_project_id: ProjectId.optional(),
        tags: ProjectTags.optional().describe('Of every project; the tags of the template are not copied'),
        ...projectSettings,
      })
      .meta({ id: 'NewProjects' }),
    responses: {
      201: z
        .object({
          data: z.array(ProjectSummary),
          refused: z.array(z.object({ seed: z.string(), code: z.string(), reason: z.string() })),
          ...around,
        })
        .meta({ id: 'CreatedProjects' }),
    },
    example: { seeds: ['https://example.com/', 'https://example.org/'], schedule: 'daily' },
  }),
  getProject: route({
    ...one,
    id: 'getProject',
    method: 'get',
    path: '/projects/{id}',
    scope: 'read',
    summary: 'A project',
    query: nothing,
    body: nothing,
    responses: { 200: Project },
  }),
  patchProject: route({
    ...one,
    id: 'patchProject',
    usesLogin: true,
    refusals: {
      conflict: 'Another project has the reference, or `seed` is of another site than the pages that the project has.',
    },
    method: 'patch',
    path: '/projects/{id}',
    scope: 'write',
    summary: 'Change a project',
    description:
      'Fields that are not given stay unchanged. `config` is merged key by key; null resets a key to its default. An identical configuration leaves its version unchanged.',
    query: nothing,
    body: z
      .strictObject({
        seed: SiteUrl.optional().describe('Of the same site, once a run has read pages'),
        name: ProjectName.optional(),
        reference: ProjectReference.nullable().optional(),
        tags: ProjectTags.optional().describe('All tags of the project; an empty list removes them'),
        ...projectSettings,
        config: ProjectConfigPatch.optional(),
      })
      .meta({ id: 'ProjectPatch' }),
    responses: { 200: Project },
    example: { schedule: 'daily', config: { exclude_paths: ['/tag/**'], max_depth: null } },
  }),
  deleteProject: route({
    ...one,
    id: 'deleteProject',
    method: 'delete',
    path: '/projects/{id}',
    scope: 'admin',
    summary: 'Delete a project, its runs and its pages',
    query: nothing,
    body: nothing,
    responses: { 204: undefined },
  }),
  applyConfig: route({
    ...one,
    id: 'applyConfig',
    method: 'post',
    path: '/projects/{id}/config/apply',
    scope: 'write',
    summary: 'Copy the configuration to other projects',
    description: 'All targets or, if one of them is not found, none. A target that already matches keeps its version.',
    query: nothing,
    body: z.strictObject({ project_ids: ProjectIds, groups: ApplyGroups }).meta({ id: 'ConfigCopy' }),
    responses: {
      200: z
        .object({
          data: z.array(
            z.object({
              id: z.string(),
              configVersion: z.int(),
              changed: z.boolean().describe('Whether the configuration differed before'),
            }),
          ),
          ...around,
        })
        .meta({ id: 'AppliedConfig' }),
    },
    example: { project_ids: ['prj_01j5xq2w8se6fa7t0a6q1n3k2m'], groups: ['fetch', 'content'] },
  }),
  startRuns: route({
    ...all,
    id: 'startRuns',
    method: 'post',
    path: '/projects/run',
    scope: 'write',
    summary: 'Start runs of several projects',
    description:
      'Of the projects in `project_ids`, or of those with a tag; the request has exactly one of the two. A project whose run cannot start does not affect the others; `refused` lists it with the reason. The status is 202 even if no run was started.',
    query: nothing,
    body: z
      .strictObject({
        project_ids: ProjectIds.optional(),
        tag: ProjectTag.optional().describe('Projects with this tag, 1,000 at most'),
      })
      .refine(({ project_ids, tag }) => (project_ids === undefined) !== (tag === undefined), {
        error: 'expected either project_ids or tag',
      })
      .meta({ id: 'RunsRequest' }),
    responses: {
      202: z
        .object({
          data: z.array(
            z.object({
              projectId: z.string(),
              run: RunSummary.nullable(),
              code: z.string().nullable().describe('Why no run was started; the same code as for a single project'),
              error: z.string().nullable(),
            }),
          ),
          refused: z
            .array(z.object({ projectId: z.string(), code: z.string(), reason: z.string() }))
            .describe('The projects of `data` without a run'),
          ...around,
        })
        .meta({ id: 'StartedRuns' }),
    },
    example: { project_ids: ['prj_01j5xq2w8se6fa7t0a6q1n3k2m'] },
  }),
} as const;
