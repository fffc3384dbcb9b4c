import { type Caller, facts } from '@tidemark/contracts';
import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import type { RunPage } from '@tidemark/contracts/crawl/v1/crawl';
import { outgoing } from '@tidemark/service';
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
    await servers.bus.publish(
      facts.pageCaptured.subject,
      batch.map((page) => eventOf(run, page)),
    );
  }
  servers.peers.add(run, known);
  await until(`${pages} rows in the archive`, async () => (await rowsOf(servers, run)) === pages, {
    withinMs: STORED_WITHIN_MS,
  });
}

/** Makes the archive list a finished run and sketch its words, by querying it, and waits for the end of that work. */
export async function listToTheEnd(servers: DiffServers, { workspaceId, projectId, runId }: BenchRun): Promise<void> {
  const request = { run: { runId, projectId }, q: '', verdict: '', flag: '', after: 0, limit: 1, bodies: [] };
  const caller: Caller = { workspaceId, keyId: '', scope: 'read', projects: [] };
  await servers.peers.archive().call(Archive.queryPages, request, { requestId: 'bench', caller });
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

const eventOf = ({ workspaceId, runId }: BenchRun, { row }: BenchPage) =>
  outgoing(facts.pageCaptured, `captured:${row.id}`, { workspaceId, jobId: runId, row });

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
    ...{ verdict: 'ok', errorCode: 'OK', httpStatus: 200, formats: ['markdown'], contentVariantKey: 'plain' },
    ...{ title, words, content: await blobs.put(bodies) },
    contentHash: Buffer.from(compared.contentHash),
    comparedHash: Buffer.from(compared.comparedHash),
    blocksVersion: compared.blocksVersion,
    matched: compared.matched,
  });
}
