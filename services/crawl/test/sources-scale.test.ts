import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { FakeScrapeWorkers, RunningService } from '@tidemark/testkit';
import { type CrawlServers, openCrawl, scopeOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

const URLS = 205_000;
const MOST = 200_000;

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  workers = await servers.workers(() => ({}));
}, 120_000);
afterAll(async () => {
  await workers.close();
  await servers.close();
});

it(`${URLS} URLs are evaluated up to ${MOST}, within the time limit of one request`, async () => {
  const project = projectClient(service);
  const { id } = await project.start({ scope: scopeOf({ useSitemap: false }) });
  await project.ended(id);
  await servers.servers.database.sql(
    `INSERT INTO crawl.frontier (run_no, url_key, url, host, rank, depth, found_via, status, number, verdict)
     SELECT r.no, sha256(i::text::bytea), 'https://site.test/section-' || i % 50 || '/page-' || i || '?v=' || i % 7, 'site.test', 1, 1,
       'link', 'done', i + 1, 'ok' FROM crawl.runs r, generate_series(1, $2::int) i WHERE r.id = $1`,
    [id, URLS],
  );
  const patterns = Array.from({ length: 25 }, (_, i) => `/section-${i}/*`);
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const response = await project.dryRun({
    excludePaths: patterns,
    includePaths: ['/section-*/*', '/'],
    maxPages: 1_000_000,
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = (user + system) / 1_000_000;
  const cpuMicros = ((user + system) / response.known).toFixed(0);
  process.stderr.write(
    `${response.known} URLs evaluated against ${patterns.length + 2} patterns in ${seconds.toFixed(1)} s, ${cpuMicros} µs of CPU each\n`,
  );
  expect(response.isCut).toBe(true);
  expect(response.known).toBeLessThanOrEqual(MOST);
  expect(response.known).toBeGreaterThan(MOST / 10);
  expect(Math.abs(response.inScope / response.known - 0.5)).toBeLessThan(0.05);
  expect(cpuSeconds).toBeLessThan(20);
}, 120_000);
