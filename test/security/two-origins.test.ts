import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { JobEnvelope } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const headers = { 'X-Key': 'secret-key', Authorization: 'Bearer secret-token', Referer: 'https://secret.example/a' };
const SECRET = /secret/;

let workspace: Workspace;
let site: Server;
let other: Server;
let seen: { readonly at: 'site' | 'other'; readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];

const originOf = (server: Server): string => {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
};

async function listen(at: 'site' | 'other', address: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    seen.push({ at, path, headers: request.headers });
    // The first site sends its visitors, robots.txt and sitemap to the other one.
    if (at === 'site' && path !== '/') return response.writeHead(302, { location: `${originOf(other)}${path}` }).end();
    const bodies: Record<string, [type: string, body: string]> = {
      '/robots.txt': ['text/plain', 'User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n'],
      '/sitemap.xml': ['application/xml', `<urlset><url><loc>${originOf(site)}/listed</loc></url></urlset>`],
    };
    const [type, body] = bodies[path] ?? ['text/html', `<title>Two origins</title><a href="/linked">next</a>${TEXT}`];
    return response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  server.unref();
  return server;
}

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  [site, other] = await Promise.all([listen('site', '127.0.0.2'), listen('other', '127.0.0.5')]);
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  for (const server of [site, other]) {
    server.closeAllConnections();
    server.close();
  }
  await fleet.close();
});

const arrived = (at: 'site' | 'other') => seen.filter((one) => one.at === at);
const leaked = () =>
  arrived('other').filter((one) => one.headers.referer !== undefined || SECRET.test(JSON.stringify(one.headers)));

describe('custom headers, cookies and the Referer of a capture do not reach another origin', () => {
  test.each(['never', 'always'])('by a redirect of the page or of robots.txt, with render_js %s', async (render_js) => {
    const config = { headers, cookies: { sid: 'secret-cookie' }, render_js };
    const { page } = await workspace.writer.capture(`${originOf(site)}/page-${render_js}`, { config });
    expect(page).toMatchObject({ verdict: 'ok', url: `${originOf(other)}/page-${render_js}` });
    const first = arrived('site').find(({ path }) => path.startsWith('/page-'));
    expect(first?.headers).toMatchObject({ 'x-key': 'secret-key', referer: headers.Referer });
    expect(arrived('other').map(({ path }) => path)).toContain(`/page-${render_js}`);
    expect(leaked()).toEqual([]);
  });

  test('by a crawl, its robots.txt, its sitemap and the pages that they list', async () => {
    const response = await workspace.writer.post('/crawl', {
      url: `${originOf(site)}/`,
      limit: 3,
      config: { headers },
    });
    const { id } = JobEnvelope.parse(response.body);
    await until('the crawl to end', async () => {
      const { body } = await workspace.writer.get(`/crawl/${id}`);
      if ((body as { status: string }).status !== 'done') throw new Error(JSON.stringify(body));
      return true;
    });
    expect(arrived('other').map(({ path }) => path)).toEqual(expect.arrayContaining(['/robots.txt', '/sitemap.xml']));
    expect(leaked()).toEqual([]);
  });
});
