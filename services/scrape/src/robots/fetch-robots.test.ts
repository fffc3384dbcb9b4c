import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createGot, createGuard, parseAllowList } from '@tidemark/egress';
import { MAX_ROBOTS_BYTES } from '@tidemark/robots';
import { makeFetchRobots } from './fetch-robots.ts';

const HOST = '127.0.0.3';
const sites: Server[] = [];
afterEach(() => {
  for (const site of sites.splice(0)) site.close().closeAllConnections();
});

/** Fetches robots.txt from a server with the given listener. */
async function fetched(listener: RequestListener) {
  const site = createServer(listener);
  sites.push(site);
  await new Promise<void>((done) => site.listen(0, HOST, done));
  const { port } = site.address() as AddressInfo;
  const fetchFile = makeFetchRobots(createGot(createGuard({ allow: parseAllowList(HOST) })), 'Tidemark');
  return fetchFile(`http://${HOST}:${port}/robots.txt`);
}

describe('makeFetchRobots', () => {
  it('follows five redirects and treats a sixth as a missing file', async () => {
    const chain: (most: number) => RequestListener = (most) => (request, response) => {
      const n = Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 0);
      if (n < most) response.writeHead(302, { location: `/hop/${n + 1}` }).end();
      else response.end('User-agent: *\nDisallow: /');
    };
    expect(await fetched(chain(5))).toEqual({ status: 200, body: 'User-agent: *\nDisallow: /' });
    expect(await fetched(chain(99))).toMatchObject({ status: 302, body: '' });
  });

  it('stops at 500 KiB, at the end of a line, however much is sent', async () => {
    const line = 'Disallow: /a/long/way/to/go\n';
    const { body } = await fetched((_, response) => {
      const more = (): void => {
        while (response.writable && response.write(line.repeat(1_000)));
        if (response.writable) response.once('drain', more);
      };
      more();
    });
    expect(body.length).toBeLessThanOrEqual(MAX_ROBOTS_BYTES);
    expect(body.endsWith('/go')).toBe(true);
  });

  it('rejects with FetchFailed if there is no response', async () => {
    await expect(fetched((request) => request.socket.destroy())).rejects.toMatchObject({ kind: 'reset' });
  });
});
