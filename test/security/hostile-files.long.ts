import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CrawlEnvelope, MapEnvelope, PageRow } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { measureMemory } from '../harness/memory.ts';
import { startRecorder } from '../harness/recorder.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HostileFile, type HostileSite, hostileFiles, hostileRobots, serveFiles } from './attack/hostile-files.ts';
import { plan } from './attack/settings.ts';

const fleet = sharedFleet();
const recorder = await startRecorder();
/** Addresses in the files lead to the recorder, which must see no connection. */
const files: readonly HostileFile[] = hostileFiles().map(({ content, ...file }) => ({
  ...file,
  content:
    content[0] === 0x1f
      ? content
      : Buffer.from(
          content.toString('latin1').replaceAll(/(?:localhost|127\.0\.0\.1)(?::\d+)?/g, `127.0.0.1:${recorder.port}`),
          'latin1',
        ),
}));
let workspace: Workspace;
let site: HostileSite;

beforeAll(async () => {
  workspace = await fleet.workspaces.make(plan);
  site = await serveFiles(files);
});
afterAll(async () => {
  site.close();
  recorder.close();
  await fleet.close();
});

describe('a hostile file', () => {
  test('is read as a sitemap to its end or refused, and none of its entities is followed', async () => {
    const odd: string[] = [];
    for (const [at, { name }] of files.entries()) {
      const startedAtMs = performance.now();
      const { status, body } = await workspace.writer.post('/map', {
        url: `${site.origin}/${at}`,
        sitemapMode: 'auto',
        timeout: 20,
      });
      const { totals } = (body ?? {}) as Partial<MapEnvelope>;
      const seconds = (performance.now() - startedAtMs) / 1_000;
      if (status !== 200 || totals === undefined || seconds > 22)
        odd.push(`${name}: ${status} after ${seconds.toFixed(1)} s`);
    }
    expect(odd).toEqual([]);
    expect(recorder.connections()).toBe(0);
  }, 600_000);

  test('is read as a page with a verdict, and its clean HTML holds nothing that runs', async () => {
    const odd: string[] = [];
    for (const [at, { name }] of files.entries()) {
      const config = { max_tier: 'http', respect_robots: false, timeout_seconds: 10 };
      const { page } = await workspace.writer.capture(`${site.origin}/${at}`, {
        formats: 'markdown,cleanHtml,links',
        config,
      });
      const row: PageRow = page;
      if (
        /<(?:script|iframe|object|embed)\b|<\w[^<>"']*\son\w+\s*=|(?:href|src)="\s*(?:javascript|vbscript):/i.test(
          row.cleanHtml ?? '',
        )
      )
        odd.push(`${name}: ${(row.cleanHtml ?? '').slice(0, 300)}`);
      if (row.markdown?.includes('root:x:0') === true) odd.push(`${name}: a file of this machine is in the page`);
    }
    expect(odd).toEqual([]);
    expect(recorder.connections()).toBe(0);
  }, 600_000);

  test('is read as a feed of a project without a connection to anything it names', async () => {
    const { status, body } = await workspace.writer.post('/projects', {
      seed: `${site.origin}/`,
      config: { max_pages: 1 },
    });
    expect(status).toBe(201);
    const { id } = body as { id: string };
    const feeds = files.map((_, at) => `${site.origin}/${at}`);
    for (let at = 0; at < feeds.length; at += 10) {
      const response = await workspace.writer.post(`/projects/${id}/sources/preview`, {
        feeds: feeds.slice(at, at + 10),
      });
      expect({ status: response.status, text: response.text.slice(0, 300) }).toMatchObject({ status: 200 });
    }
    expect(recorder.connections()).toBe(0);
  }, 600_000);
});

test('a crawl ends under any robots.txt of a site', async () => {
  for (const content of hostileRobots()) {
    // robots.txt is kept for each origin: a port of its own for each file.
    const ruled = await serveFiles([], content);
    try {
      const { body } = await workspace.writer.post('/crawl', { url: `${ruled.origin}/`, limit: 2, delay: 0 });
      const { id } = body as { id: string };
      await until('the crawl to end', async () => {
        const { status } = (await workspace.reader.get(`/crawl/${id}?formats=none`)).body as CrawlEnvelope;
        return status === 'done' || status === 'error';
      });
    } finally {
      ruled.close();
    }
  }
}, 600_000);

test('the fleet is whole after all of them, each process within its memory', async () => {
  expect((await workspace.reader.get('/me')).status).toBe(200);
  for (const { name, heapMb } of await measureMemory(fleet.dataDir))
    expect([name, (heapMb ?? 0) < 256]).toEqual([name, true]);
}, 60_000);
