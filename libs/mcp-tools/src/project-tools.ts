import { routes } from '@tidemark/api';
import type { Body, Project, ProjectSummary } from '@tidemark/sdk';
import { z } from 'zod';
import { jobState } from './job-results.ts';
import { ConfigResult, JobResult, ProjectResult, ProjectsResult } from './outputs.ts';
import { Cursor, Limit, nextPart, ProjectId, settings } from './parameters.ts';
import { BODY_CHARS, INDEX_ROWS } from './shape-pages.ts';
import { type Tool, type ToolContext, tool } from './tool.ts';
import { waitForJob } from './wait-for-job.ts';

const created = routes.createProject.body.shape;
const kept = routes.keepCrawl.body.shape;

type Config<R extends 'POST /projects' | 'PATCH /projects/{id}'> = NonNullable<Body<R>['config']>;

/** Replaces long values of the configuration, such as lists of URLs, by their size. */
const shapeSettings = (config: Project['config']) =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const size = JSON.stringify(value)?.length ?? 0;
      return [key, size > BODY_CHARS ? { omitted: true, characters: size } : value];
    }),
  );

const shapeProject = ({ request_id: _, config, ...project }: Project) => ({
  project: { ...project, config: shapeSettings(config) },
});

const describeConfig = tool('describe_project_config', {
  kind: 'reads',
  description:
    'List every configuration key with its group, default and meaning, for create_project, update_project and config. With keys: these alone, with their JSON Schema.',
  input: z.strictObject({
    keys: z.array(z.string().max(100)).max(100).optional().describe('Such as fields, actions, schedule'),
  }),
  output: ConfigResult,
  async run({ keys: named }, { client, signal }) {
    const { config, formats, verdicts } = await client.call('GET /meta', { signal });
    const selected = Object.entries(config).filter(([key]) => named === undefined || named.includes(key));
    const keys = selected.map(([key, { schema, site: _site, ...entry }]) => ({
      key,
      ...entry,
      ...(named !== undefined ? { schema } : 'enum' in schema ? { values: schema['enum'] } : { type: schema['type'] }),
    }));
    return { keys, formats, verdicts };
  },
});

const listProjects = tool('list_projects', {
  kind: 'reads',
  description: 'List the projects of the workspace, without their configuration. Use get_project for one.',
  input: z.strictObject({
    q: z.string().min(1).max(200).optional().describe('Only projects whose name or seed contains this'),
    tag: routes.listProjects.query.shape.tag,
    limit: Limit(INDEX_ROWS),
    cursor: Cursor,
  }),
  output: ProjectsResult,
  async run(part, { client, signal }) {
    const { data, cursor } = await readProjects(part, { client, signal });
    const projects = data.map(({ id, name, seed, tags, schedule, health, lastRun, nextRunAt }) => ({
      id,
      name,
      seed,
      tags,
      schedule,
      health,
      nextRunAt,
      lastRun: lastRun === null ? null : { id: lastRun.id, status: lastRun.status, finishedAt: lastRun.finishedAt },
    }));
    return { projects, truncated: cursor !== null, next: nextPart('list_projects', part, cursor) };
  },
});

/** Requests of one search for projects: a workspace with more is searched with several calls. */
const PROJECT_READS = 10;

interface ProjectsPart {
  readonly q?: string | undefined;
  readonly tag?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface ProjectsRead {
  readonly data: readonly ProjectSummary[];
  readonly cursor: string | null;
}

/** Reads projects, or with `q` the next part of the list that has a match. */
async function readProjects(
  { q, tag, limit = INDEX_ROWS, cursor }: ProjectsPart,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<ProjectsRead> {
  const words = q?.toLowerCase();
  const matches = ({ name, seed }: ProjectSummary) =>
    words === undefined || `${name}\n${seed}`.toLowerCase().includes(words);
  let part: string | undefined = cursor;
  for (let reads = 0; ; reads += 1) {
    const query = {
      limit,
      ...(tag === undefined ? {} : { tag }),
      ...(part === undefined ? {} : { cursor: part }),
    };
    const read: ProjectsRead = await client.call('GET /projects', { query, signal });
    const data = read.data.filter(matches);
    if (data.length > 0 || read.cursor === null || reads === PROJECT_READS) return { data, cursor: read.cursor };
    part = read.cursor;
  }
}

const getProject = tool('get_project', {
  kind: 'reads',
  description: 'Read one project with its configuration and its last run.',
  input: z.strictObject({ project_id: ProjectId }),
  output: ProjectResult,
  run: async ({ project_id: id }, { client, signal }) =>
    shapeProject(await client.call('GET /projects/{id}', { path: { id }, signal })),
});

const createProject = tool('create_project', {
  kind: 'edits',
  description: 'Create a project that captures a site repeatedly. Nothing is fetched before start_run or the schedule.',
  input: z.strictObject({
    seed: created.seed,
    name: created.name,
    tags: created.tags,
    schedule: created.schedule,
    config: settings<Config<'POST /projects'>>(created.config, 'project'),
  }),
  output: ProjectResult,
  run: async (body, { client, signal }) => shapeProject(await client.call('POST /projects', { body, signal })),
});

const updateProject = tool('update_project', {
  kind: 'edits',
  isIdempotent: true,
  description: 'Change a project. A partial config is merged key by key; null resets a key to its default.',
  input: z.strictObject({
    project_id: ProjectId,
    name: created.name,
    tags: routes.patchProject.body.shape.tags,
    schedule: created.schedule,
    config: settings<Config<'PATCH /projects/{id}'>>(routes.patchProject.body.shape.config, 'project'),
  }),
  output: ProjectResult,
  run: async ({ project_id: id, ...body }, { client, signal }) =>
    shapeProject(await client.call('PATCH /projects/{id}', { path: { id }, body, signal })),
});

const keepCrawl = tool('keep_crawl_as_project', {
  kind: 'edits',
  description:
    'Turn a crawl of crawl_site into a project whose first run it is. A crawl is discarded after a day otherwise.',
  input: z.strictObject({
    crawl_id: routes.getCrawl.params.shape.id,
    name: kept.name,
    schedule: kept.schedule,
  }),
  output: ProjectResult,
  run: async ({ crawl_id: id, ...body }, { client, signal }) =>
    shapeProject(await client.call('POST /crawl/{id}/keep', { path: { id }, body, signal })),
});

const startRun = tool('start_run', {
  kind: 'captures',
  description:
    'Start a run of a project. With wait, returns its state after up to 50 s; poll it with get_job. Use recrawl_pages for a few pages.',
  input: z.strictObject({
    project_id: ProjectId,
    wait: z.boolean().default(false).describe('Wait for the end of the run, up to 50 s'),
  }),
  output: JobResult,
  async run({ project_id, wait }, context) {
    const { client, signal } = context;
    const started = await client.call('POST /projects/{id}/runs', { path: { id: project_id }, body: {}, signal });
    if (!wait) return jobState('run', started);
    const read = () =>
      client.call('GET /crawl/{id}', { path: { id: started.id }, query: { limit: 1, formats: 'none' }, signal });
    return jobState('run', await waitForJob(started, read, context));
  },
});

export const PROJECT_TOOLS: readonly Tool[] = [
  keepCrawl,
  describeConfig,
  listProjects,
  getProject,
  createProject,
  updateProject,
  startRun,
];
