import { asList, asObject, asText, ChangeRecord, Project, RunEnvelope, RunSummary } from '@tidemark/api';
import { type FirecrawlAnswer, type FirecrawlCall, type FirecrawlRoute, ok } from './firecrawl-call.ts';
import { modelConnection } from './model-connection.ts';
import { KINDS, toCheck, toCheckPage, toMonitor } from './monitor-answers.ts';
import { monitorNames, toProjectBody, toProjectPatch } from './monitor-requests.ts';
import { refuseValue } from './refusal.ts';
import type { RouteId } from './rest-call.ts';
import { entryOf, isObject, type Settings } from './translate.ts';

const DEFAULT_LIMIT = 25;
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

async function create(request: FirecrawlCall): Promise<FirecrawlAnswer> {
  const { call, body, idempotencyKey } = request;
  const project = await call('createProject', { body: await withDigest(request, toProjectBody(body)), idempotencyKey });
  return ok({ success: true, data: toMonitor(Project.parse(project.body)) });
}

async function update(request: FirecrawlCall): Promise<FirecrawlAnswer> {
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

async function list(request: FirecrawlCall): Promise<FirecrawlAnswer> {
  const ids = (await listed(request, 'listProjects')).map((each) => asText(asObject(each)['id']));
  const projects = await Promise.all(ids.map((id) => readProject({ ...request, id })));
  return ok({ success: true, data: projects.map(toMonitor) });
}

async function run({ call, id }: FirecrawlCall): Promise<FirecrawlAnswer> {
  const started = RunEnvelope.parse((await call('startRun', { params: { id } })).body);
  return ok({ success: true, data: toCheck(id, started) });
}

async function listChecks(request: FirecrawlCall): Promise<FirecrawlAnswer> {
  const runs = (await listed(request, 'listRuns')).map((each) => RunSummary.parse(each));
  return ok({ success: true, data: runs.map((one) => toCheck(request.id, one, one.changes ?? undefined)) });
}

/** Returns a check with the pages of its change record. */
async function readCheck(request: FirecrawlCall): Promise<FirecrawlAnswer> {
  const { call, id, check, cursor, query, baseUrl } = request;
  const ended = RunEnvelope.parse((await call('getRun', { params: { id, run: check } })).body);
  const limit = countAt(request, 'limit', { fallback: MAX_LIMIT, max: MAX_LIMIT });
  const { status = '' } = query;
  const kind =
    status === '' ? undefined : (entryOf(KINDS, status) ?? refuseValue('status', Object.keys(KINDS).join(', ')));
  const sent = { run_id: check, limit: String(limit), ...(kind === undefined ? {} : { kind }) };
  const selected = cursor === '' ? sent : { ...sent, cursor };
  const record = ChangeRecord.parse((await call('getChanges', { params: { id }, query: selected })).body);
  const createdAt = record.madeAt ?? ended.createdAt;
  const next = new URLSearchParams({ limit: String(limit), status, cursor: record.cursor ?? '' });
  return ok({
    success: true,
    data: {
      ...toCheck(id, ended, record),
      pages: record.entries.map((entry) => toCheckPage(entry, createdAt)),
      next: record.cursor === null ? null : `${baseUrl}/monitor/${id}/checks/${check}?${next}`,
    },
  });
}

const PART = ['limit', 'offset'] as const;

/** Routes of monitors, which only v2 has: a monitor is a project, a check is a run. */
export const monitorRoutes = (): FirecrawlRoute[] =>
  (
    [
      { method: 'post', path: '/monitor', names: monitorNames, answer: create },
      { method: 'get', path: '/monitor', query: PART, answer: list },
      {
        method: 'get',
        path: '/monitor/:id',
        answer: async (request) => ok({ success: true, data: toMonitor(await readProject(request)) }),
      },
      { method: 'patch', path: '/monitor/:id', names: monitorNames, answer: update },
      {
        method: 'delete',
        path: '/monitor/:id',
        answer: async ({ call, id }) => {
          await call('deleteProject', { params: { id } });
          return ok({ success: true });
        },
      },
      { method: 'post', path: '/monitor/:id/run', answer: run },
      { method: 'get', path: '/monitor/:id/checks', query: PART, answer: listChecks },
      {
        method: 'get',
        path: '/monitor/:id/checks/:check',
        query: ['limit', 'status', 'cursor'],
        answer: readCheck,
      },
    ] satisfies FirecrawlRoute[]
  ).map((route) => ({ ...route, version: 'v2' }));
