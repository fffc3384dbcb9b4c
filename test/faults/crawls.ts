import type { CrawlEnvelope, PageRow } from '@tidemark/api';
import type { Api } from '../harness/api.ts';
import type { OwnFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';

/** Starts a crawl. @returns its id @throws Error where it is refused */
export async function startCrawl(api: Api, order: Readonly<Record<string, unknown>>): Promise<string> {
  const { status, text } = await api.post('/crawl', order);
  if (status !== 202) throw new Error(`expected a crawl, got ${status} ${text}`);
  const crawl: CrawlEnvelope = JSON.parse(text);
  return crawl.id;
}

/** Returns a crawl. @throws Error if it cannot be read */
export async function readCrawl(api: Api, id: string, query = 'formats=none&limit=1'): Promise<CrawlEnvelope> {
  const { status, text } = await api.get(`/crawl/${id}?${query}`);
  if (status !== 200) throw new Error(`GET /crawl/${id} answered ${status} ${text}`);
  const crawl: CrawlEnvelope = JSON.parse(text);
  return crawl;
}

/** Returns the number of pages of a crawl that have ended, from its row: polling the services would add load. */
export async function doneOf({ sql }: OwnFleet, id: string): Promise<number> {
  const [row] = await sql<{ done: number }>('SELECT done FROM crawl.runs WHERE id = $1', [id]);
  return row?.done ?? 0;
}

/** Waits until so many pages of a crawl have ended. */
export const untilDone = (fleet: OwnFleet, id: string, pages: number, withinMs = 60_000): Promise<number | undefined> =>
  until(
    `${pages} pages of the crawl`,
    async () => {
      const done = await doneOf(fleet, id);
      return done >= pages ? done : undefined;
    },
    { withinMs },
  );

/** Waits until a crawl has ended. */
export const untilEnded = ({ sql }: OwnFleet, id: string, withinMs: number): Promise<boolean> =>
  until(
    `the end of ${id}`,
    async () => {
      const [row] = await sql<{ done: number; queued: number; in_flight: number; ended: boolean }>(
        `SELECT done, queued, in_flight, status NOT IN ('queued', 'running') AS ended FROM crawl.runs WHERE id = $1`,
        [id],
      );
      if (row?.ended !== true) throw new Error(JSON.stringify(row));
      return true;
    },
    { withinMs },
  );

/** Returns every row of a crawl. */
export async function everyRow(api: Api, id: string, query: string): Promise<PageRow[]> {
  const rows: PageRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const slice: CrawlEnvelope = await readCrawl(api, id, `${query}&cursor=${cursor}`);
    rows.push(...slice.data);
    cursor = slice.next === null ? null : slice.cursor;
  }
  return rows;
}
