import { events } from '@tidemark/contracts';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { outgoingEvent } from '@tidemark/service';
import { until } from '../../test/harness/until.ts';
import { type BenchPage, type BenchRun, pageOf } from '../archive/rows.ts';
import type { DiffServers } from './servers.ts';
import type { MadeSite } from './site.ts';

const CONCURRENCY = 16;
/** Rows per message, as an outbox sends them during a crawl. */
const ROWS_A_MESSAGE = 200;
const STORED_WITHIN_MS = 300_000;

/** Pages that a run of the benchmark reads. */
export interface StoredRunOptions {
  readonly run: BenchRun;
  readonly pages: number;
  /** Generation of the site. */
  readonly generation: number;
}

/** Stores a run as captures do: bodies to the blob store, rows over the bus. Resolves when the archive has them all. */
export async function storeRun(
  servers: DiffServers,
  site: MadeSite,
  { run, pages, generation }: StoredRunOptions,
): Promise<void> {
  const known: RunPage[] = [];
  for (let from = 0; from < pages; from += ROWS_A_MESSAGE) {
    const batch: BenchPage[] = [];
    for (let at = from; at < Math.min(pages, from + ROWS_A_MESSAGE); at += CONCURRENCY) {
      const numbers = Array.from(
        { length: Math.min(CONCURRENCY, pages - at, from + ROWS_A_MESSAGE - at) },
        (_, i) => at + i,
      );
      batch.push(...(await Promise.all(numbers.map((page) => capture(servers, site, { run, page, generation })))));
    }
    known.push(...batch.map((page) => page.known));
    await servers.bus.publish(events.runPagesRecorded.subject, [recordedOf(run, batch)]);
    await servers.bus.publish(
      events.pageCaptured.subject,
      batch.map((page) => eventOf(run, page)),
    );
  }
  servers.peers.add(run, known);
  await until(`${pages} rows in the archive`, async () => (await rowsOf(servers, run)) === pages, {
    withinMs: STORED_WITHIN_MS,
  });
}

/** Makes the archive list a run to its end and sketch its words without an event, on which diff would build a record. */
export async function listToTheEnd(servers: DiffServers, run: BenchRun): Promise<void> {
  await servers.pool.query(
    `UPDATE archive.runs SET status = 'done', ended_at = now(), due = now(), total = $2 WHERE id = $1`,
    [run.runId, await rowsOf(servers, run)],
  );
  await atRest(servers);
}

/** Waits until the archive has no background work left. */
export async function atRest({ pool }: DiffServers): Promise<void> {
  const isAtRest = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ count: string }>(
      'SELECT count(*) AS count FROM archive.runs WHERE due IS NOT NULL',
    );
    return rows[0]?.count === '0';
  };
  await until('the archive to be idle', isAtRest, { withinMs: STORED_WITHIN_MS });
}

const recordedOf = ({ workspaceId, projectId, runId }: BenchRun, batch: readonly BenchPage[]) =>
  outgoingEvent(events.runPagesRecorded, `run-pages:${runId}:${batch[0]?.known.number}`, {
    runId,
    workspaceId,
    projectId,
    pages: batch.map(({ known }) => known),
  });

const eventOf = ({ workspaceId, runId }: BenchRun, { row }: BenchPage) =>
  outgoingEvent(events.pageCaptured, `captured:${row.id}`, { workspaceId, jobId: runId, row });

async function rowsOf({ pool }: DiffServers, { workspaceId, runId }: BenchRun): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    'SELECT count(*) AS count FROM archive.pages WHERE workspace_id = $1 AND job_id = $2',
    [workspaceId, runId],
  );
  return Number(rows[0]?.count);
}

async function capture(
  { blobs }: DiffServers,
  site: MadeSite,
  { run, page, generation }: { run: BenchRun; page: number; generation: number },
): Promise<BenchPage> {
  const { bodies, compared, title, words } = site.reading(page, generation);
  return pageOf(run, page, {
    verdict: 'ok',
    errorCode: 'OK',
    httpStatus: 200,
    formats: ['markdown'],
    contentVariantKey: 'plain',

    title,
    words,
    content: await blobs.put(bodies),
    contentHash: Buffer.from(compared.contentHash),
    comparedHash: Buffer.from(compared.comparedHash),
    blocksVersion: compared.blocksVersion,
    matched: compared.matched,
  });
}
