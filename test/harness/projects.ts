import type { PageRow, Project, RunEnvelope, RunSummary } from '@tidemark/api';
import type { Api, ApiResponse } from './api.ts';
import { until } from './until.ts';

function bodyOf<T>({ status, body, text }: ApiResponse, expected: number): T {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status} ${text}`);
  return body as T;
}

/** Creates a project. @throws Error where it is refused */
export const makeProject = async (api: Api, order: Readonly<Record<string, unknown>>): Promise<Project> =>
  bodyOf<Project>(await api.post('/projects', order), 201);

export const readProject = async (api: Api, id: string): Promise<Project> =>
  bodyOf<Project>(await api.get(`/projects/${id}`), 200);

export const startRun = async (api: Api, id: string): Promise<RunEnvelope> =>
  bodyOf<RunEnvelope>(await api.post(`/projects/${id}/runs`, {}), 202);

export const readRun = async (api: Api, { projectId, id }: Pick<RunEnvelope, 'projectId' | 'id'>) =>
  bodyOf<RunEnvelope>(await api.get(`/projects/${projectId}/runs/${id}`), 200);

export interface RunList {
  readonly data: RunSummary[];
  readonly next: string | null;
  readonly cursor: string | null;
}

export const listRuns = async (api: Api, id: string, query = ''): Promise<RunList> =>
  bodyOf<RunList>(await api.get(`/projects/${id}/runs${query}`), 200);

export interface RunPages {
  readonly data: PageRow[];
  readonly next: string | null;
  readonly cursor: string | null;
  readonly runId: string | null;
}

export const listPages = async (api: Api, id: string, query = ''): Promise<RunPages> =>
  bodyOf<RunPages>(await api.get(`/projects/${id}/pages${query}`), 200);

/** Starts a run and waits until it has ended and its pages can be read. */
export async function runToEnd(api: Api, id: string): Promise<RunEnvelope> {
  const run = await startRun(api, id);
  return await until('the run to end and its pages to be readable', async () => {
    const now = await readRun(api, run);
    if (now.status === 'error') throw new Error(`the run ended with ${now.error}`);
    const { next } = await listPages(api, id, `?run_id=${run.id}&limit=1000`);
    if (now.status === 'done' && next === null) return now;
    throw new Error(`the list ends: ${next === null}, the run is ${JSON.stringify(now)}`);
  });
}
