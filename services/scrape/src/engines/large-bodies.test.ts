import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { until } from '@tidemark/testkit';
import { LargeBodies } from './large-bodies.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A site whose pages have 4 MB, or 10 KB under /small. */
async function openSite(): Promise<string> {
  const server = createServer((request, response) => {
    response.end(Buffer.alloc(request.url === '/small' ? 10_000 : 4 * 1_048_576));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  return `http://127.0.0.2:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
}

describe('LargeBodies', () => {
  it('lets a fetch receive a large body only when an earlier one is not used any more, and never delays small ones', async () => {
    const site = await openSite();
    const client = createHttpClient(createGuard({ allow: parseAllowList('127.0.0.2') }));
    ends.push(() => client.close());
    const bodies = new LargeBodies(1, 0);
    const never = new AbortController().signal;
    const fetched: string[] = [];
    const fetchOne = async (path: string, timeoutMs = 20_000) => {
      const permit = bodies.permitOf('wsp_1', never);
      const { body } = await client.fetch(`${site}${path}`, { admitLarge: permit.acquire, timeoutMs });
      fetched.push(`${path} ${body.length}`);
      return permit;
    };
    const first = await fetchOne('/first');
    const second = fetchOne('/second');
    const small = await fetchOne('/small');
    expect([fetched, bodies.held]).toEqual([['/first 4194304', '/small 10000'], 1]);
    first.release();
    (await second).release();
    small.release();
    expect([fetched.at(-1), bodies.held]).toEqual(['/second 4194304', 0]);
  });

  it('does not count the wait towards the timeout of the fetch', async () => {
    const site = await openSite();
    const client = createHttpClient(createGuard({ allow: parseAllowList('127.0.0.2') }));
    ends.push(() => client.close());
    const admitted = Promise.withResolvers<void>();
    let isWaiting = false;
    const admitLarge = () => {
      isWaiting = true;
      return admitted.promise;
    };
    const fetching = client.fetch(`${site}/page`, { admitLarge, timeoutMs: 2_000 });
    await until('the body waits', () => isWaiting);
    setTimeout(admitted.resolve, 3_000);
    expect((await fetching).body.length).toBe(4 * 1_048_576);
  });

  it('frees the place of a fetch that failed while it waited', async () => {
    const bodies = new LargeBodies(1, 0);
    const stopped = new AbortController();
    const holding = bodies.permitOf('wsp_1', new AbortController().signal);
    await holding.acquire();
    const waiting = bodies.permitOf('wsp_1', stopped.signal);
    const acquired = waiting.acquire();
    stopped.abort();
    await expect(acquired).rejects.toMatchObject({ code: 'unavailable' });
    waiting.release();
    holding.release();
    expect(bodies.held).toBe(0);
  });
});
