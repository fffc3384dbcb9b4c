import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Discovery, DryRun, Project, RunEnvelope, Sources, SourcesPreview } from '@tidemark/api';
import { type ApiResponse, errorOf, settledCredits } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, readProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let workspace: Workspace;
let project: Project;
let run: RunEnvelope;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  const config = {
    feeds: [`${site.origin}/feed.xml`, `${site.origin}/no-feed.xml`],
    url_list: [`${site.origin}/slow`],
    exclude_paths: ['/marees'],
  };
  project = await makeProject(workspace.writer, { seed: `${site.origin}/`, config });
  run = await runToEnd(workspace.writer, project.id);
});
afterAll(async () => {
  site.close();
  await fleet.close();
});

function bodyOf<T>({ status, body, text }: ApiResponse, expected = 200): T {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status} ${text}`);
  return body as T;
}
const at = (path: string): string => `/projects/${project.id}${path}`;
const unspent = async (work: () => Promise<void>): Promise<void> => {
  const before = await settledCredits(workspace.reader);
  await work();
  expect(await workspace.reader.credits()).toEqual(before);
};

describe('a dry-run', () => {
  const dryRun = async (body: object): Promise<DryRun> => bodyOf(await workspace.reader.post(at('/dry-run'), body));

  test('reports the effect of a scope on the known URLs, and stores, fetches and charges nothing', () =>
    unspent(async () => {
      const asItIs = await dryRun({});
      expect(asItIs).toMatchObject({
        runId: run.id,
        newlyIn: { urls: 0 },
        newlyOut: { urls: 0 },
        cut: false,
      });
      expect(asItIs.inScope).toBe(run.progress.done);
      const narrower = await dryRun({ include_paths: ['/prices', '/'], config: { max_pages: 1, url_list: [] } });
      expect(narrower).toMatchObject({ inScope: 2, visited: 1 });
      expect(narrower.newlyOut.urls).toBe(run.progress.done - 2);
      expect(narrower.patterns.find(({ pattern }) => pattern === '/prices')).toMatchObject({
        field: 'include_paths',
        urls: 1,
        samples: [`${site.origin}/prices`],
      });
      expect(narrower.excluded.map(({ reason }) => reason)).toContain('matches no include_paths');
      expect((await readProject(workspace.reader, project.id)).configVersion).toBe(1);
    }));

  test('lists the URLs that a run left in its queue', async () => {
    const few = await makeProject(workspace.writer, { seed: `${site.origin}/`, config: { max_pages: 2 } });
    await runToEnd(workspace.writer, few.id);
    const left = bodyOf<DryRun>(
      await workspace.reader.post(`/projects/${few.id}/dry-run`, { exclude_paths: ['/gone'] }),
    );
    expect(left).toMatchObject({ visited: 2, newlyIn: { urls: left.inScope - 2 } });
    expect(left.known).toBeGreaterThan(left.inScope);
    expect(left.newlyIn.samples).toContain(`${site.origin}/marees`);
  });

  test('accepts only keys of the scope and rejects any other by name', async () => {
    const refused = errorOf(await workspace.reader.post(at('/dry-run'), { render_js: 'never' }));
    expect(refused).toMatchObject({ status: 422, fields: ['render_js'] });
  });
});

describe('the sources', () => {
  test('list where pages come from and the pages that the last run found through each', async () => {
    const sources = bodyOf<Sources>(await workspace.reader.get(at('/sources')));
    expect(sources).toMatchObject({
      runId: run.id,
      seed: `${site.origin}/`,
      sitemap: { used: true, mode: 'auto', outcome: 'read' },
      list: { urls: 1, data: [{ url: `${site.origin}/slow`, verdict: 'ok' }] },
      feeds: [
        { url: `${site.origin}/feed.xml`, outcome: 'read', urls: 1, error: null },
        { url: `${site.origin}/no-feed.xml`, outcome: 'failed', error: expect.any(String) },
      ],
    });
    expect(sources.patterns).toMatchObject([{ field: 'exclude_paths', pattern: '/marees' }]);
    const found = Object.fromEntries(sources.found.map(({ foundVia, pages }) => [foundVia, pages]));
    expect(found).toMatchObject({ feed: 1, list: 1 });
  });

  test('can be previewed before they are saved: feeds fetched, the list checked, patterns counted', () =>
    unspent(async () => {
      const body = {
        feeds: [`${site.origin}/feed.xml`, `${site.origin}/nothing`],
        url_list: [`${site.origin}/prices`, `${site.origin}/prices`, 'nonsense'],
        sitemap_include: ['*/sitemap*'],
        include_paths: ['/**'],
      };
      const preview = bodyOf<SourcesPreview>(await workspace.writer.post(at('/sources/preview'), body));
      expect(preview.feeds).toMatchObject([
        {
          url: `${site.origin}/feed.xml`,
          httpStatus: 200,
          entries: 1,
          samples: [`${site.origin}/news/1`],
          error: null,
        },
        { url: `${site.origin}/nothing`, entries: 0, error: expect.any(String) },
      ]);
      expect(preview.list).toMatchObject({ urls: 3, usable: 1, problems: [{}, { url: 'nonsense' }] });
      expect(preview.patterns.map(({ field }) => field)).toEqual(
        expect.arrayContaining(['include_paths', 'sitemap_include']),
      );
      expect(preview.estimatedPages).toBeGreaterThan(0);
      // The plan of tests has welcome credits and no price.
      const { estimatedCredits: credits, estimatedCost } = preview;
      expect(estimatedCost).toEqual({
        credits,
        allowance: 0,
        welcome: credits,
        purchased: 0,
        overage: 0,
        uncovered: 0,

        amountMinor: 0,
        currency: null,
      });
      expect((await readProject(workspace.reader, project.id)).configVersion).toBe(1);
    }));
});

describe('discovery', () => {
  const read = async (): Promise<Discovery> => bodyOf(await workspace.reader.get(at('/discovery')));

  test('is null before the first snapshot, then the sitemap tree, billed as a map', async () => {
    expect(await read()).toMatchObject({ discovery: null, job: null, kept: [] });
    for (const path of ['/discovery/entries', '/export?dataset=sitemap']) {
      const { status, body } = await workspace.reader.get(at(path));
      const error = expect.stringContaining('POST /v1/projects/{id}/discovery reads them');
      expect({ status, body }).toMatchObject({ status: 404, body: { code: 'not_found', error } });
    }
    const before = await settledCredits(workspace.reader);
    const started = await workspace.writer.post(at('/discovery'), {});
    expect(bodyOf<object>(started, 202)).toMatchObject({ kind: 'map', id: expect.stringMatching(/^job_/) });
    expect(started.headers.get('location')).toContain('/v1/map/job_');
    const done = async () => {
      const now = await read();
      return now.discovery !== null && now.job === null ? now : false;
    };
    const { discovery, kept } = await until('the first snapshot', done);
    expect(discovery).toMatchObject({ complete: true, totals: { files: 1, urls: 3 }, diff: null });
    expect(discovery?.files).toMatchObject([{ url: `${site.origin}/sitemap.xml`, verdict: 'read', urls: 3 }]);
    expect(kept.map(({ id }) => id)).toEqual([discovery?.id]);
    const isCharged = async () => (await workspace.reader.credits()).remaining === before.remaining - 1;
    await until('the file is charged', isCharged);
  });

  test('lists the URLs of a file or a prefix, in pages as in one response, and from any number of URLs on', async () => {
    const seen: string[] = [];
    for (
      let path: string | null = at(
        `/discovery/entries?limit=2&file=${encodeURIComponent(`${site.origin}/sitemap.xml`)}`,
      );
      path !== null;
    ) {
      const response: { data: { url: string }[]; next: string | null; total: number } = bodyOf(
        await workspace.reader.get(path),
      );
      expect(response.total).toBe(3);
      seen.push(...response.data.map(({ url }) => new URL(url).pathname));
      path = response.next?.replace(`${fleet.url}/v1`, '') ?? null;
    }
    expect(seen.sort()).toEqual(['/', '/hidden', '/prices']);
    const from = async (cursor: number) =>
      bodyOf<{ data: { url: string }[]; next: string | null; total: number }>(
        await workspace.reader.get(at(`/discovery/entries?limit=1&cursor=${cursor}`)),
      );
    const singly = [await from(0), await from(1), await from(2)].flatMap(({ data }) => data.map(({ url }) => url));
    expect(new Set(singly).size).toBe(3);
    expect(await from(7)).toMatchObject({ data: [], next: null, total: 3 });
    const some = bodyOf<object>(await workspace.reader.get(at('/discovery/entries?q=pri&prefix=/p')));
    expect(some).toMatchObject({ total: 1, data: [{ url: `${site.origin}/prices` }], next: null });
  });
});
