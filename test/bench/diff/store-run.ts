import { facts } from '@tidemark/contracts';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { outgoing } from '@tidemark/service';
import { until } from '../../harness/until.ts';
import { type BenchPage, type BenchRun, pageOf } from '../archive/rows.ts';
import type { DiffGround } from './ground.ts';
import type { MadeSite } from './site.ts';

const AT_ONCE = 16;
/** Rows a message, as an outbox sends them while a crawl is under way. */
const ROWS_A_MESSAGE = 200;
const STORED_WITHIN_MS = 300_000;

/** What a run of the benchmark reads. */
export interface RunWish {
  readonly run: BenchRun;
  readonly pages: number;
  /** Which state of the site it reads. */
  readonly generation: number;
}

/** Stores a run as captures do: bodies to the blob store, rows told over the bus, until the archive has them all. */
export async function storeRun(ground: DiffGround, site: MadeSite, { run, pages, generation }: RunWish): Promise<void> {
  const known: RunPage[] = [];
  for (let from = 0; from < pages; from += ROWS_A_MESSAGE) {
    const batch: BenchPage[] = [];
    for (let at = from; at < Math.min(pages, from + ROWS_A_MESSAGE); at += AT_ONCE) {
      const numbers = Array.from(
        { length: Math.min(AT_ONCE, pages - at, from + ROWS_A_MESSAGE - at) },
        (_, i) => at + i,
      );
      batch.push(...(await Promise.all(numbers.map((page) => capture(ground, site, { run, page, generation })))));
    }
    known.push(...batch.map((page) => page.known));
    await ground.bus.publish(facts.runPagesRecorded.subject, [recordedOf(run, batch)]);
    await ground.bus.publish(
      facts.pageCaptured.subject,
      batch.map((page) => toldOf(run, page)),
    );
  }
  ground.peers.add(run, known);
  await until(`${pages} rows in the archive`, async () => (await rowsOf(ground, run)) === pages, {
    withinMs: STORED_WITHIN_MS,
  });
}

/** Has the archive list a run to its end and sketch its words, though its end is no event: diff would make its record. */
export async function listToTheEnd(ground: DiffGround, run: BenchRun): Promise<void> {
  await ground.pool.query(
    `UPDATE archive.runs SET status = 'done', ended_at = now(), due = now(), total = $2 WHERE id = $1`,
    [run.runId, await rowsOf(ground, run)],
  );
  await atRest(ground);
}

/** Waits until the archive has nothing more to do with any run. */
export async function atRest({ pool }: DiffGround): Promise<void> {
  const isAtRest = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ count: string }>(
      'SELECT count(*) AS count FROM archive.runs WHERE due IS NOT NULL',
    );
    return rows[0]?.count === '0';
  };
  await until('the archive to have nothing to do', isAtRest, { withinMs: STORED_WITHIN_MS });
}

const recordedOf = ({ workspaceId, projectId, runId }: BenchRun, batch: readonly BenchPage[]) =>
  outgoing(facts.runPagesRecorded, `run-pages:${runId}:${batch[0]?.known.number}`, {
    ...{ runId, workspaceId, projectId },
    pages: batch.map(({ known }) => known),
  });

const toldOf = ({ workspaceId, runId }: BenchRun, { row }: BenchPage) =>
  outgoing(facts.pageCaptured, `captured:${row.id}`, { workspaceId, jobId: runId, row });

async function rowsOf({ pool }: DiffGround, { workspaceId, runId }: BenchRun): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    'SELECT count(*) AS count FROM archive.pages WHERE workspace_id = $1 AND job_id = $2',
    [workspaceId, runId],
  );
  return Number(rows[0]?.count);
}

async function capture(
  { blobs }: DiffGround,
  site: MadeSite,
  { run, page, generation }: { run: BenchRun; page: number; generation: number },
): Promise<BenchPage> {
  const { bodies, compared, title, words } = site.reading(page, generation);
  return pageOf(run, page, {
    ...{ verdict: 'ok', errorCode: 'OK', httpStatus: 200, formats: ['markdown'], manner: 'plain' },
    ...{ title, words, content: await blobs.put(bodies) },
    contentHash: Buffer.from(compared.contentHash),
    comparedHash: Buffer.from(compared.comparedHash),
    blocksVersion: compared.blocksVersion,
    matched: compared.matched,
  });
}
