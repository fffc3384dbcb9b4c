import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Project, RunEnvelope } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listPages, listRuns, makeProject, readProject, readRun, runToEnd, startRun } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
/** A separate address on the fleet's allow-list. */
const ADDRESS = '127.0.0.6';
const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(6);
let server: Server;
let origin = '';
let workspace: Workspace;
/** Responses of /item pages wait while the gate is closed. */
let gate = Promise.withResolvers<void>();

const page = (title: string, links: readonly string[]): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${WORDS}</p>` +
  `${links.map((link) => `<a href="${link}">to ${link}</a>`).join(' ')}</main></body></html>`;
const ITEMS = Array.from({ length: 8 }, (_, i) => `/item-${i}`);
const pages: Readonly<Record<string, string>> = {
  '/': page('Home', [...ITEMS, '/gone']),
  '/hidden': page('Hidden', ['/']),
  ...Object.fromEntries(ITEMS.map((item) => [item, page(item, ['/'])])),
};

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  gate.resolve();
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.end(`Sitemap: ${origin}/sitemap.xml\n`);
    if (path === '/sitemap.xml') {
      const urls = ['/', '/hidden'].map((each) => `<url><loc>${origin}${each}</loc></url>`);
      return void response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`);
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const html = pages[path];
    if (html === undefined) return void response.writeHead(404).end(page('Not found', []));
    void (path.startsWith('/item') ? gate.promise : Promise.resolve()).then(() => response.end(html));
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  origin = `http://${ADDRESS}:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  gate.resolve();
  server.closeAllConnections();
  server.close();
  await fleet.close();
});

const make = (order: object = {}): Promise<Project> => makeProject(workspace.writer, { seed: `${origin}/`, ...order });
const paths = (rows: readonly { url: string }[]): string[] => rows.map(({ url }) => new URL(url).pathname).sort();

/** Returns a run that cannot end before the gate opens. */
async function underWay(work: (run: RunEnvelope, project: Project) => Promise<void>): Promise<void> {
  gate = Promise.withResolvers<void>();
  try {
    const project = await make();
    const run = await startRun(workspace.writer, project.id);
    await until('the run is under way', async () => (await readRun(workspace.reader, run)).status === 'running');
    await work(run, project);
  } finally {
    gate.resolve();
  }
}

describe('a person of an installation without a mail host', () => {
  test('signs up, creates a project and runs it, with an address that is shown as not verified', async () => {
    const person = await fleet.people.signUp();
    expect((await person.get('/auth/session')).body).toMatchObject({ blocked: null, user: { emailVerified: false } });
    const project = await makeProject(person, { seed: `${origin}/` });
    expect(await runToEnd(person, project.id)).toMatchObject({ status: 'done' });
  });
});

describe('a run of a project', () => {
  let project: Project;
  let run: RunEnvelope;
  beforeAll(async () => {
    project = await make();
    run = await runToEnd(workspace.writer, project.id);
  });

  test('captures the site and reports results and cost', () => {
    expect(run).toMatchObject({
      kind: 'run',
      projectId: project.id,
      trigger: 'api',
      status: 'done',
      stop: 'finished',
      progress: { done: 11, queued: 0 },
      counts: { ok: 10, blocked: 1 },
      error: null,
    });
    expect(run.creditsUsed).toBe(11);
  });

  test('is shown by its project once it has ended', async () => {
    const finished = await until('the project to show its run', async () => {
      const now = await readProject(workspace.reader, project.id);
      return now.lastRun === null ? false : now;
    });
    expect(finished).toMatchObject({
      health: 'ok',
      lastRun: { id: run.id, status: 'done', stop: 'finished', pages: 11, creditsUsed: run.creditsUsed },
    });
  });

  test('lists its pages once each, in pages as in one response', async () => {
    const whole = await listPages(workspace.reader, project.id, '?limit=1000');
    expect(whole).toMatchObject({ next: null, runId: run.id });
    expect(paths(whole.data)).toEqual(['/', '/gone', '/hidden', ...ITEMS].sort());
    const seen: string[] = [];
    for (let query: string | undefined = '?limit=4'; query !== undefined; ) {
      const { data, next } = await listPages(workspace.reader, project.id, query);
      seen.push(...paths(data));
      query = next === null ? undefined : new URL(next).search;
    }
    expect(seen.sort()).toEqual(paths(whole.data));
    const sorted: string[] = [];
    for (let query: string | undefined = '?sort=-url&limit=4'; query !== undefined; ) {
      const { data, next } = await listPages(workspace.reader, project.id, query);
      sorted.push(...data.map(({ url }) => url));
      query = next === null ? undefined : new URL(next).search;
    }
    expect(sorted).toEqual(
      whole.data
        .map(({ url }) => url)
        .sort()
        .reverse(),
    );
    const other = await listPages(workspace.reader, project.id, '?sort=url&limit=4');
    const mixed = await workspace.reader.get(`/projects/${project.id}/pages?sort=-url&cursor=${other.cursor}`);
    expect(mixed.status).toBe(422);
    const led = await workspace.reader.get(
      new URL(run.next ?? '').pathname.replace('/v1', '') + new URL(run.next ?? '').search,
    );
    expect(led.body).toMatchObject({ runId: run.id, data: { length: 11 } });
  });

  test('filters its pages by verdict and by the sets of the link graph', async () => {
    // The flags of the link graph follow the end of the run: until then a filtered list has a next page.
    const of = (query: string) =>
      until(`the list of ${query} to be final`, async () => {
        const { data, next } = await listPages(workspace.reader, project.id, query);
        return next === null && paths(data);
      });
    expect(await of('?v=blocked')).toEqual(['/gone']);
    expect(await of('?v=ok&limit=1000')).toHaveLength(10);
    expect(await of('?v=ok&flag=dead_end')).toEqual([]);
    for (const [flag, kind] of [
      ['orphan', 'orphans'],
      ['unlisted', 'unlisted'],
      ['dead_end', 'dead_ends'],
    ]) {
      const { body } = await workspace.reader.get(`/projects/${project.id}/runs/${run.id}/links?kind=${kind}`);
      expect([flag, await of(`?flag=${flag}`)]).toEqual([flag, paths((body as { data: { url: string }[] }).data)]);
    }
    expect(await of('?flag=orphan')).toEqual(['/hidden']);
    expect(await of('?flag=dead_end')).toEqual(['/gone']);
  });

  test('uses the configuration of the project', async () => {
    const few = await make({ config: { max_pages: 3, use_sitemap: false } });
    expect(await runToEnd(workspace.writer, few.id)).toMatchObject({ stop: 'page_limit', progress: { done: 3 } });
  });

  test('is listed newest first, and the project shows the latest finished one', async () => {
    const later = await runToEnd(workspace.writer, project.id);
    const { data, next } = await listRuns(workspace.reader, project.id, '?v=done');
    expect([data.map(({ id }) => id), next]).toEqual([[later.id, run.id], null]);
    const first = await listRuns(workspace.reader, project.id, '?limit=1');
    const second = await listRuns(workspace.reader, project.id, new URL(first.next ?? '').search);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([later.id, run.id]);
    expect((await listPages(workspace.reader, project.id)).runId).toBe(later.id);
    expect((await listPages(workspace.reader, project.id, `?run_id=${run.id}`)).runId).toBe(run.id);
  });
});

describe('a project that has never run', () => {
  test('has no runs and no pages', async () => {
    const { id } = await make();
    expect(await listRuns(workspace.reader, id)).toMatchObject({ data: [], next: null });
    expect(await listPages(workspace.reader, id)).toMatchObject({ data: [], next: null, runId: null });
  });
});

describe('a run in progress', () => {
  test('another run is rejected with 409, alone or among several, and other projects are started', async () => {
    await underWay(async (run, project) => {
      const refused = errorOf(await workspace.writer.post(`/projects/${project.id}/runs`, {}));
      expect(refused).toMatchObject({ status: 409, code: 'conflict' });
      const other = await make({ config: { max_pages: 1 } });
      const { status, body } = await workspace.writer.post('/projects/run', { project_ids: [project.id, other.id] });
      expect(status).toBe(202);
      expect(body).toMatchObject({
        data: [
          { projectId: project.id, run: null, code: 'conflict' },
          { projectId: other.id, run: { projectId: other.id, trigger: 'api' }, code: null, error: null },
        ],
        refused: [{ projectId: project.id, code: 'conflict', reason: expect.stringMatching(/queued or running/) }],
      });
      expect((await listRuns(workspace.reader, project.id)).data.map(({ id }) => id)).toEqual([run.id]);
    });
  });

  test('the run can be cancelled: it never becomes done, its pages stay, and another can start', async () => {
    await underWay(async (run, project) => {
      const { status } = await workspace.writer.post(`/projects/${project.id}/runs/${run.id}/cancel`, {});
      expect(status).toBe(200);
      await until(
        'the cancellation of the run',
        async () => (await readRun(workspace.reader, run)).status === 'cancelled',
      );
      gate.resolve();
      const next = await until('another starts', async () => {
        const response = await workspace.writer.post(`/projects/${project.id}/runs`, { trigger: 'manual' });
        return response.status === 202 ? (response.body as RunEnvelope) : false;
      });
      expect(next.trigger).toBe('manual');
      expect(await readRun(workspace.reader, run)).toMatchObject({ status: 'cancelled', stop: 'cancelled' });
      expect((await listPages(workspace.reader, project.id, `?run_id=${run.id}`)).runId).toBe(run.id);
    });
  });
});

describe('a project that is deleted', () => {
  test('returns 204, then 404, and its runs and pages are deleted', async () => {
    const project = await make({ config: { max_pages: 2 } });
    const run = await runToEnd(workspace.writer, project.id);
    expect(errorOf(await workspace.writer.delete(`/projects/${project.id}`))).toMatchObject({ status: 403 });
    expect((await workspace.admin.delete(`/projects/${project.id}`)).status).toBe(204);
    for (const path of ['', '/runs', `/runs/${run.id}`, '/pages'])
      expect(errorOf(await workspace.reader.get(`/projects/${project.id}${path}`))).toMatchObject({ status: 404 });
    expect((await workspace.admin.delete(`/projects/${project.id}`)).status).toBe(404);
    expect((await workspace.reader.get('/projects')).text).not.toContain(project.id);
    await until(
      'the deletion of its runs',
      async () => (await workspace.reader.get(`/crawl/${run.id}`)).status === 404,
    );
    // The archive deletes discarded pages once a minute; they are not readable before that.
    const noted = 'SELECT job_id FROM archive.discarded_runs WHERE job_id = $1';
    await until('the rejection of its pages', async () => (await fleet.sql(noted, [run.id])).length > 0);
  }, 90_000);
});
