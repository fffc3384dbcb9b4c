import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChangeRecord, ConfigVersion, IgnoredChange, Project, RunEnvelope } from '@tidemark/api';
import { type ApiResponse, errorOf } from '../harness/api.ts';
import { recordOf } from '../harness/changes.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { NO_IGNORED } from '../harness/paths.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

const ADDRESS = '127.0.0.5';
const SERVICES = ['identity', 'billing', 'archive', 'scrape', 'map', 'crawl', 'projects', 'diff', 'gateway'] as const;
const FILLER = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(
  4,
);
const WORDS = 'amber birch cedar delta ember fjord grove heron iris juniper kelp lotus maple nettle olive pine'.split(
  ' ',
);

/**
 * Number of readings after which a page is edited: the first run is one, each recapture another. Infinity: it is edited
 * by the test.
 */
const EDITED_AFTER: Readonly<Record<string, number>> = {
  '/before': Number.POSITIVE_INFINITY,
  '/first-gap': 2,
  '/second-gap': 3,
  '/after': Number.POSITIVE_INFINITY,
  '/never': Number.POSITIVE_INFINITY,
};
const PATHS = Object.keys(EDITED_AFTER);

const reads = new Map<string, number>();
const edited = new Set<string>();

/** The word that an edit puts into a page; equal edits of many pages would be one entry. */
const EDITS = ['flooded', 'repainted', 'moved', 'closed', ''];

/** Each page but the home page has a text that one edit changes, and a line that differs on every visit. */
function html(path: string): string {
  const visit = reads.get(path) ?? 0;
  if (visit > (EDITED_AFTER[path] ?? Number.POSITIVE_INFINITY)) edited.add(path);
  const links = path === '/' ? PATHS.map((to) => `<p><a href="${to}">to ${to}</a></p>`).join('') : '';
  const saying = [visit * 3, visit * 5 + 1].map((at) => WORDS[(at + path.length) % WORDS.length]).join(' ');
  return (
    `<!doctype html><html lang="en"><head><title>Page ${path}</title></head><body><main><h1>Page ${path}</h1>` +
    `<p>The ${path.slice(1)} office is ${edited.has(path) ? EDITS[PATHS.indexOf(path)] : 'open'} today.</p>` +
    `<p>${FILLER}</p>${path === '/' ? links : `<div class="saying">${saying}</div>`}</main></body></html>`
  );
}

let fleet: OwnFleet;
let server: Server;
let origin: string;
let workspace: Workspace;
let project: Project;
let second: RunEnvelope;
let record: ChangeRecord;

beforeAll(async () => {
  fleet = await startFleet({
    services: SERVICES,
    env: { diff: { RECAPTURE_DELAY_SECONDS: '2', RECAPTURE_GAP_SECONDS: '1', RECORD_POLL_SECONDS: '0.2' } },
  });
  workspace = await fleet.workspaces.make();
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path !== '/' && !PATHS.includes(path)) return void response.writeHead(404).end();
    reads.set(path, (reads.get(path) ?? 0) + 1);
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html(path));
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  const bound = server.address();
  origin = `http://${ADDRESS}:${typeof bound === 'object' ? bound?.port : ''}`;
  const config = { use_sitemap: false, max_tier: 'http' };
  project = await makeProject(workspace.writer, { seed: `${origin}/`, config });
  await runToEnd(workspace.writer, project.id);
  edited.add('/before');
  const hasJob = async (): Promise<boolean> =>
    (await fleet.sql('SELECT 1 FROM diff.volatility_jobs WHERE project_id = $1', [project.id])).length > 0;
  await until('the recaptures to begin', async () => (await hasJob()) || (reads.get('/after') ?? 0) > 1);
  await until('the recaptures to end', async () => !(await hasJob()));
  edited.add('/after');
  second = await runToEnd(workspace.writer, project.id);
  record = await recordOf(workspace.reader, project.id, second.id);
}, 180_000);
afterAll(async () => {
  server?.close();
  server?.closeAllConnections();
  await fleet?.close();
});

function bodyOf<T>({ status, body, text }: ApiResponse, expected = 200): T {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status} ${text}`);
  return body as T;
}

interface IgnoredList {
  readonly runId: string | null;
  readonly data: readonly IgnoredChange[];
  readonly next: string | null;
}

const at = (path: string): string => `/projects/${project.id}${path}`;
const ignoredOf = async (query: string): Promise<IgnoredList> =>
  bodyOf<IgnoredList>(await workspace.reader.get(at(`/changes/ignored${query}`)));

/** Runs the project and returns the record. */
async function nextRecord(): Promise<ChangeRecord> {
  return recordOf(workspace.reader, project.id, (await runToEnd(workspace.writer, project.id)).id);
}

describe('the second record of a project', () => {
  test('was made after every page had been read four times', () => {
    expect(PATHS.map((path) => (reads.get(path) ?? 0) >= 5)).toEqual(PATHS.map(() => true));
  });

  test('has every edit since the first run: before, between and after the recaptures', () => {
    const edits = ['/before', '/first-gap', '/second-gap', '/after'];
    expect(record.entries.map(({ url }) => url).sort()).toEqual(edits.map((path) => origin + path).sort());
    for (const entry of record.entries)
      expect([entry.kind, entry.wordsAdded, entry.wordsRemoved]).toEqual(['modified', 1, 1]);
    expect(record.counts).toMatchObject({ modified: 4, same: 2 });
  });

  test('ignores what differs on every visit, and lists each with both texts and the reason', async () => {
    const { runId, data } = await ignoredOf(`?run_id=${second.id}`);
    expect(runId).toBe(second.id);
    expect(data).toHaveLength(record.counts?.['volatileBlocks'] ?? -1);
    expect(new Set(data.map(({ url }) => url))).toEqual(new Set(PATHS.map((path) => origin + path)));
    for (const { reason, before, after, since, changed, comparisons, ignore } of data)
      expect([reason, typeof before, typeof after, typeof since, changed, comparisons, ignore]).toEqual([
        'recaptures_differ',
        'string',
        'string',
        'string',
        2,
        2,
        null,
      ]);
  });
});

describe('the list of ignored changes', () => {
  test('is read page by page without a gap, and for one page', async () => {
    const { data: all } = await ignoredOf('');
    const listed: IgnoredChange[] = [];
    let path: string | undefined = at('/changes/ignored?limit=2');
    while (path !== undefined) {
      const { data, next }: IgnoredList = bodyOf<IgnoredList>(await workspace.reader.get(path));
      expect(data.length).toBeLessThanOrEqual(2);
      listed.push(...data);
      path = next === null ? undefined : next.slice(next.indexOf('/projects'));
    }
    expect(listed).toEqual(all);
    const url = `${origin}/never`;
    const { data } = await ignoredOf(`?url=${encodeURIComponent(url)}`);
    expect(data).toEqual(all.filter((one) => one.url === url));
  });
});

describe('a decision about an ignored change', () => {
  test('is refused without a decision, for an unknown id and for a key that may only read', async () => {
    const [change] = (await ignoredOf(`?run_id=${second.id}`)).data;
    const path = at(`/changes/ignored/${change?.id}`);
    expect(errorOf(await workspace.writer.post(path, {}))).toMatchObject({ status: 422 });
    expect(errorOf(await workspace.reader.post(path, { ignore: false }))).toMatchObject({ status: 403 });
    for (const id of [NO_IGNORED, 'ign_1'])
      expect(errorOf(await workspace.writer.post(at(`/changes/ignored/${id}`), { ignore: false }))).toMatchObject({
        status: 404,
      });
  });

  test('makes later records report the place, or ignore it again, and is a version of the configuration', async () => {
    const url = `${origin}/never`;
    const [change] = (await ignoredOf(`?run_id=${second.id}&url=${encodeURIComponent(url)}`)).data;
    const decide = async (ignore: boolean) =>
      bodyOf<IgnoredChange & { configVersion: number }>(
        await workspace.writer.post(at(`/changes/ignored/${change?.id}`), { ignore }),
      );
    expect(await decide(false)).toMatchObject({ id: change?.id, ignore: false, configVersion: 2 });
    expect(await decide(false)).toMatchObject({ configVersion: 2 });
    const reported = await nextRecord();
    expect(reported.entries.map((entry) => entry.url)).toContain(url);
    expect((await ignoredOf(`?url=${encodeURIComponent(url)}`)).data).toEqual([]);
    expect(await decide(true)).toMatchObject({ ignore: true, configVersion: 3 });
    const ignored = await nextRecord();
    expect(ignored.entries.map((entry) => entry.url)).not.toContain(url);
    expect((await ignoredOf(`?url=${encodeURIComponent(url)}`)).data).toMatchObject([
      { reason: 'overruled', ignore: true },
    ]);
    const versions = bodyOf<{ data: ConfigVersion[] }>(await workspace.reader.get(at('/config/versions'))).data;
    expect(versions.map(({ keys }) => keys).slice(0, 2)).toEqual([['volatile_overrides'], ['volatile_overrides']]);
  });
});
