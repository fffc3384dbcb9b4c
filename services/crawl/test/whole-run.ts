import { expect } from '@jest/globals';
import { type CrawlServers, type clientIn, HOME } from './crawl-servers.ts';

/** A site of `size` pages; page n links to pages 2n and 2n + 1 and to the first. */
export const heap = (size: number) => (url: string) => {
  const at = url === `${HOME}/` ? 1 : Number(/\/p(\d+)$/.exec(url)?.[1] ?? 0);
  if (at < 1 || at > size) return undefined;
  const below = [at * 2, at * 2 + 1].filter((child) => child <= size);
  return { links: [`${HOME}/`, ...below.map((child) => `${HOME}/p${child}`)] };
};

/** Expects every page once, numbered without gaps and charged once, with the sum on the run. */
export async function expectWhole(
  { servers: { database } }: CrawlServers,
  client: ReturnType<typeof clientIn>,
  { id, size }: { readonly id: string; readonly size: number },
): Promise<void> {
  const run = await client.get(id);
  expect(run).toMatchObject({
    status: 'done',
    stop: 'finished',
    done: size,
    total: size,
    queued: 0,
    creditsUsed: size,
  });
  const pages = await client.pages(id);
  expect(pages.map(({ number }) => number)).toEqual(Array.from({ length: size }, (_, i) => i + 1));
  expect(new Set(pages.map(({ pageId }) => pageId)).size).toBe(size);
  const left = await database.sql<{ status: string; pages: number }>(
    `SELECT f.status, count(*)::int AS pages FROM crawl.frontier f JOIN crawl.runs r ON r.no = f.run_no WHERE r.id = $1 GROUP BY f.status`,
    [id],
  );
  expect(left).toEqual([{ status: 'done', pages: size }]);
}
