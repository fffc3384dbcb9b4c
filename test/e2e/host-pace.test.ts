import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { MapEnvelope } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { HOSTS } from '../web/server.ts';

const CONCURRENCY = 4;
const RESPONSE_MS = 60;
const DELAY_MS = 400;

const fleet = sharedFleet();

/** Starts of requests for sitemaps and pages, and how many were in flight at most, by path prefix. */
interface Seen {
  readonly startsMs: number[];
  readonly paths: Set<string>;
  most: number;
}

/** A site of a sitemap index with `files` files, and pages below /page/. Responses take `RESPONSE_MS`. */
async function startSite(host: string, robots: string, files: number) {
  const seen: Seen = { startsMs: [], paths: new Set(), most: 0 };
  let inFlight = 0;
  const origin = () => `http://${host}:${port()}`;
  const port = () => {
    const bound = server.address();
    return typeof bound === 'object' ? bound?.port : '';
  };
  const entries = (path: (at: number) => string, name: 'url' | 'sitemap') =>
    Array.from({ length: files }, (_, at) => `<${name}><loc>${origin()}${path(at)}</loc></${name}>`).join('');
  const bodyOf = (url: string): string => {
    if (url === '/sitemap.xml') return `<sitemapindex>${entries((at) => `/file-${at}.xml`, 'sitemap')}</sitemapindex>`;
    if (url.endsWith('.xml')) return `<urlset>${entries((at) => `${url}/${at}`, 'url')}</urlset>`;
    return `<html><head><title>${url}</title></head><body><p>${'words of a page '.repeat(60)}</p></body></html>`;
  };
  const respond = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    if (url === '/robots.txt') return void response.end(`${robots}Sitemap: ${origin()}/sitemap.xml\n`);
    seen.startsMs.push(performance.now());
    seen.paths.add(url);
    inFlight += 1;
    seen.most = Math.max(seen.most, inFlight);
    setTimeout(() => {
      inFlight -= 1;
      response.setHeader('content-type', url.endsWith('.xml') ? 'application/xml' : 'text/html');
      response.end(bodyOf(url));
    }, RESPONSE_MS);
  };
  const server = createServer(respond);
  await new Promise<void>((done) => server.listen(0, host, done));
  return { seen, origin: origin(), close: () => [server.close(), server.closeAllConnections()] };
}

/** Maps a site and captures a batch of its pages at the same time. */
async function mapAndBatch(site: Awaited<ReturnType<typeof startSite>>, pages: number): Promise<void> {
  const workspace = await fleet.workspaces.make();
  const urls = Array.from({ length: pages }, (_, at) => `${site.origin}/page/${at}`);
  const batch = await workspace.writer.scrape({ urls, config: { concurrency: CONCURRENCY } });
  const started = await workspace.writer.post('/map', { url: `${site.origin}/` });
  const { id } = MapEnvelope.parse(started.body);
  await until('the batch ends', async () => (await workspace.reader.job(batch.job.id)).status === 'done');
  await until('the map ends', async () => {
    const map = MapEnvelope.parse((await workspace.reader.get(`/map/${id}`)).body);
    return map.status === 'done';
  });
}

const sites: { close(): unknown }[] = [];
afterAll(async () => {
  for (const site of sites) site.close();
  await fleet.close();
});

test('a map and a batch of one host at the same time never exceed its concurrency', async () => {
  const site = await startSite(HOSTS.open, 'User-agent: *\nAllow: /\n', 24);
  sites.push(site);
  await mapAndBatch(site, 24);
  expect([...site.seen.paths].filter((path) => path.startsWith('/file-'))).toHaveLength(24);
  expect([...site.seen.paths].filter((path) => path.startsWith('/page/'))).toHaveLength(24);
  expect(site.seen.most).toBe(CONCURRENCY);
});

test('a map and a batch of one host at the same time keep its crawl delay', async () => {
  const site = await startSite(HOSTS.open, `User-agent: *\nCrawl-delay: ${DELAY_MS / 1_000}\n`, 4);
  sites.push(site);
  await mapAndBatch(site, 5);
  const { startsMs } = site.seen;
  expect(startsMs.length).toBeGreaterThanOrEqual(10);
  const [firstMs = 0] = startsMs;
  // A busy machine receives a request later than it was permitted, which shortens the gap to the next one: each is compared with the beginning.
  const tooEarly = startsMs.filter((startMs, at) => startMs - firstMs < DELAY_MS * at - DELAY_MS / 2);
  expect(tooEarly).toEqual([]);
});
