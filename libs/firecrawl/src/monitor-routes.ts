import {
  asList,
  asObject,
  asText,
  type Change,
  ChangeRecord,
  PageRow,
  Project,
  RunEnvelope,
  RunSummary,
} from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import { type FirecrawlCall, type FirecrawlResponse, type FirecrawlRoute, ok } from './firecrawl-call.ts';
import { modelConnection } from './model-connection.ts';
import { monitorNames, toProjectBody, toProjectPatch } from './monitor-requests.ts';
import { isFirst, KINDS, type Readings, toCheck, toCheckPage, toFirstPage, toMonitor } from './monitor-responses.ts';
import { refuseValue } from './refusal.ts';
import type { RouteId } from './rest-call.ts';
import { entryOf, isObject, type Settings } from './translate.ts';

const DEFAULT_LIMIT = 25;
/** Entries whose readings are read at the same time. */
const READ_AT_ONCE = 10;
const MAX_LIMIT = 100;
/** Items that an offset can skip. */
const MAX_OFFSET = 1_000;

/** Completes the digest of a translated request with the connection of the workspace. @throws Refusal, AppError */
async function withDigest(request: FirecrawlCall, body: Settings): Promise<Settings> {
  const config = asObject(body['config']);
  const { change_digest: digest } = config;
  if (!isObject(digest)) return body;
  const connection_id = await modelConnection(request, 'goal');
  return { ...body, config: { ...config, change_digest: { ...digest, connection_id } } };
}

const readProject = async ({ call, id }: FirecrawlCall): Promise<Project> =>
  Project.parse((await call('getProject', { params: { id } })).body);

async function create(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const { call, body, idempotencyKey } = request;
  const project = await call('createProject', { body: await withDigest(request, toProjectBody(body)), idempotencyKey });
  return ok({ success: true, data: toMonitor(Project.parse(project.body)) });
}

async function update(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const { call, body, id } = request;
  const { seed } = await readProject(request);
  const sent = { params: { id }, body: await withDigest(request, toProjectPatch(body, seed)) };
  return ok({ success: true, data: toMonitor(Project.parse((await call('patchProject', sent)).body)) });
}

/** Returns a number of the query. @throws Refusal */
function countAt({ query }: FirecrawlCall, name: string, { fallback, max }: { fallback: number; max: number }): number {
  const text = query[name];
  if (text === undefined || text === '') return fallback;
  return /^\d{1,6}$/.test(text) && Number(text) <= max ? Number(text) : refuseValue(name, `a number up to ${max}`);
}

/** Returns the part of a list that `limit` and `offset` select. */
async function listed(request: FirecrawlCall, routeId: RouteId): Promise<unknown[]> {
  const { call, id } = request;
  const limit = countAt(request, 'limit', { fallback: DEFAULT_LIMIT, max: MAX_LIMIT });
  const offset = countAt(request, 'offset', { fallback: 0, max: MAX_OFFSET });
  const found: unknown[] = [];
  let cursor: string | null = '';
  while (cursor !== null && found.length < offset + limit) {
    const params = id === '' ? {} : { id };
    const query = { limit: String(MAX_LIMIT), ...(cursor === '' ? {} : { cursor }) };
    const body = asObject((await call(routeId, { params, query })).body);
    found.push(...asList(body['data']));
    cursor = asText(body['cursor']) || null;
  }
  return found.slice(offset, offset + limit);
}

async function list(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const ids = (await listed(request, 'listProjects')).map((each) => asText(asObject(each)['id']));
  const projects = await Promise.all(ids.map((id) => readProject({ ...request, id })));
  return ok({ success: true, data: projects.map(toMonitor) });
}

async function run({ call, id }: FirecrawlCall): Promise<FirecrawlResponse> {
  const started = RunEnvelope.parse((await call('startRun', { params: { id } })).body);
  return ok({ success: true, data: toCheck(id, started) });
}

async function listChecks(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const runs = (await listed(request, 'listRuns')).map((each) => RunSummary.parse(each));
  const data = await Promise.all(
    runs.map(async (one) =>
      toCheck(request.id, one, one.changes ? await withBaseline(request, one.id, one.changes) : undefined),
    ),
  );
  return ok({ success: true, data });
}

/** Completes the summary of a record. The list of runs does not state the baseline; only a record that compared nothing can have none. */
async function withBaseline(
  { call, id }: FirecrawlCall,
  runId: string,
  { status, counts }: NonNullable<RunSummary['changes']>,
) {
  const compared = ['added', 'modified', 'removed', 'same'].some((name) => (asObject(counts)[name] ?? 0) !== 0);
  if (status !== 'made' || compared) return { status, counts, baseline: '' };
  const query = { run_id: runId, limit: '1' };
  const { baseline } = ChangeRecord.parse((await call('getChanges', { params: { id }, query })).body);
  return { status, counts, baseline };
}

const Reading = PageRow.pick({ id: true, httpStatus: true });

/** Returns which readings an entry compares: those of its run and of the run before; of a removed page only the second. */
async function readingsOf(
  { call, id }: FirecrawlCall,
  { url, movedFrom, baselineRunId }: Change,
  { runId, baseline }: { readonly runId: string; readonly baseline: string | null },
): Promise<Readings> {
  const rowIn = async (run: string | null, page: string): Promise<Pick<PageRow, 'id' | 'httpStatus'> | undefined> => {
    if (run === null) return undefined;
    try {
      const query = { run_id: run, url: page, format: 'links' };
      return Reading.parse((await call('getPageContent', { params: { id }, query })).body);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  };
  const [now, before] = await Promise.all([rowIn(runId, url), rowIn(baselineRunId ?? baseline, movedFrom ?? url)]);
  return {
    previousScrapeId: before?.id ?? null,
    currentScrapeId: now?.id ?? null,
    statusCode: now?.httpStatus ?? null,
  };
}

/** Returns entries of the change record of a check. */
async function comparedPages(request: FirecrawlCall, query: Readonly<Record<string, string>>, createdAt: string) {
  const { call, id, check: runId } = request;
  const record = ChangeRecord.parse((await call('getChanges', { params: { id }, query })).body);
  const { entries, cursor, baseline } = record;
  const pages: Settings[] = [];
  for (let at = 0; at < entries.length; at += READ_AT_ONCE) {
    const part = entries.slice(at, at + READ_AT_ONCE).map(async (entry) => {
      return toCheckPage(entry, await readingsOf(request, entry, { runId, baseline }), createdAt);
    });
    pages.push(...(await Promise.all(part)));
  }
  return { pages, cursor };
}

/** Returns the pages of a first check: the rows of its run. A `status` selects among the rows of a part. */
async function firstPages(
  { call, id, check, cursor }: FirecrawlCall,
  { limit, status, createdAt }: { readonly limit: number; readonly status: string; readonly createdAt: string },
) {
  const query = { run_id: check, limit: String(limit), ...(cursor === '' ? {} : { cursor }) };
  const { body } = await call('listPages', { params: { id }, query });
  const pages = asList(asObject(body)['data']).map((row) => toFirstPage(PageRow.parse(row), createdAt));
  return {
    pages: status === '' ? pages : pages.filter((page) => page['status'] === status),
    cursor: asText(asObject(body)['cursor']) || null,
  };
}

/** Returns a check with the pages of its change record. */
async function readCheck(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const { call, id, check, cursor, query, baseUrl } = request;
  const ended = RunEnvelope.parse((await call('getRun', { params: { id, run: check } })).body);
  const limit = countAt(request, 'limit', { fallback: MAX_LIMIT, max: MAX_LIMIT });
  const { status = '' } = query;
  const kind =
    status === '' ? undefined : (entryOf(KINDS, status) ?? refuseValue('status', Object.keys(KINDS).join(', ')));
  const params = { id };
  const head = { run_id: check, limit: '1' };
  const record = ChangeRecord.parse((await call('getChanges', { params, query: head })).body);
  const createdAt = record.madeAt ?? ended.createdAt;
  const selected = {
    run_id: check,
    limit: String(limit),
    ...(kind === undefined ? {} : { kind }),
    ...(cursor === '' ? {} : { cursor }),
  };
  const part = isFirst(record)
    ? await firstPages(request, { limit, status, createdAt })
    : await comparedPages(request, selected, createdAt);
  const next = new URLSearchParams({ limit: String(limit), status, cursor: part.cursor ?? '' });
  return ok({
    success: true,
    data: {
      ...toCheck(id, ended, record),
      pages: part.pages,
      next: part.cursor === null ? null : `${baseUrl}/monitor/${id}/checks/${check}?${next}`,
    },
  });
}

const PART = ['limit', 'offset'] as const;

/** Routes of monitors, which only v2 has: a monitor is a project, a check is a run. */
export const monitorRoutes = (): FirecrawlRoute[] =>
  (
    [
      { method: 'post', path: '/monitor', names: monitorNames, respond: create },
      { method: 'get', path: '/monitor', query: PART, respond: list },
      {
        method: 'get',
        path: '/monitor/:id',
        respond: async (request) => ok({ success: true, data: toMonitor(await readProject(request)) }),
      },
      { method: 'patch', path: '/monitor/:id', names: monitorNames, respond: update },
      {
        method: 'delete',
        path: '/monitor/:id',
        respond: async ({ call, id }) => {
          await call('deleteProject', { params: { id } });
          return ok({ success: true });
        },
      },
      { method: 'post', path: '/monitor/:id/run', respond: run },
      { method: 'get', path: '/monitor/:id/checks', query: PART, respond: listChecks },
      {
        method: 'get',
        path: '/monitor/:id/checks/:check',
        query: ['limit', 'status', 'cursor'],
        respond: readCheck,
      },
    ] satisfies FirecrawlRoute[]
  ).map((route) => ({ ...route, version: 'v2' }));
