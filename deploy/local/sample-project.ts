import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Edition } from '../sample-site/server.ts';
import type { Credentials } from './credentials.ts';
import { asObject, readJson, writeJson } from './json-file.ts';
import type { Stack } from './stack-types.ts';

const NAME = 'Sample site';
const POLL_EVERY_MS = 250;
const RUN_WITHIN_MS = 120_000;
const CALL_WITHIN_MS = 30_000;

/** A project of the sample site, and its run over each of the two editions. */
export interface SampleProject {
  readonly project: string;
  readonly runs: readonly string[];
}

type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Record<string, unknown>>;

/**
 * Creates a project of the sample site and runs it once over each edition, so that a first change record exists.
 * Happens once per data folder; an interrupted start continues. The site serves its newest edition afterwards.
 * @returns the project, and whether this start created it
 */
export async function ensureSampleProject(
  stack: Pick<Stack, 'dataDir' | 'sampleSite'>,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<SampleProject & { readonly isNew: boolean }> {
  const file = join(stack.dataDir, 'sample-project.json');
  const call = callerOf(credentials, signal);
  const known = readJson(file);
  const runs = Array.isArray(known['runs']) ? known['runs'].map(String) : [];
  const isNew = runs.length < 2;
  const project = typeof known['project'] === 'string' ? known['project'] : await makeProject(call, stack);
  writeJson(file, { project, runs });
  for (const edition of [1, 2] as const satisfies readonly Edition[]) {
    if (runs.length >= edition) continue;
    stack.sampleSite.show(edition);
    runs.push(await runToEnd(call, project, signal));
    writeJson(file, { project, runs });
  }
  stack.sampleSite.show(2);
  return { project, runs, isNew };
}

async function makeProject(call: Call, { sampleSite }: Pick<Stack, 'sampleSite'>): Promise<string> {
  const seed = `${sampleSite.url}/`;
  // An earlier start may have ended right after it had made it.
  const { data } = await call('GET', '/projects');
  const made = (Array.isArray(data) ? data.map(asObject) : []).find(
    (one) => one['seed'] === seed && one['name'] === NAME,
  );
  if (typeof made?.['id'] === 'string') return made['id'];
  const { id } = await call('POST', '/projects', { seed, name: NAME, config: { store_html: 'always' } });
  return String(id);
}

/** Runs the project and waits for the end; uses the run in progress if there is one. */
async function runToEnd(call: Call, project: string, signal: AbortSignal): Promise<string> {
  const { data } = await call('GET', `/projects/${project}/runs?limit=1&v=running`);
  const underWay = asObject(Array.isArray(data) ? data[0] : undefined)['id'];
  const id = typeof underWay === 'string' ? underWay : String((await call('POST', `/projects/${project}/runs`))['id']);
  const until = performance.now() + RUN_WITHIN_MS;
  for (;;) {
    const { status } = await call('GET', `/projects/${project}/runs/${id}`);
    if (status === 'done') return id;
    if (status !== 'queued' && status !== 'running') throw new Error(`run ${id} of the sample site ended as ${status}`);
    if (performance.now() > until) throw new Error(`run ${id} of the sample site has not ended in time`);
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
}

/** @throws Error with the status and the body of the response */
function callerOf({ url, key }: Credentials, stopping: AbortSignal): Call {
  return async (method, path, body) => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      body: method === 'POST' ? JSON.stringify(body ?? {}) : null,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(CALL_WITHIN_MS)]),
    });
    const text = await response.text();
    if (response.ok) return asObject(JSON.parse(text));
    throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  };
}
