import { prismaAdapter } from '@tidemark/service';
import type pg from 'pg';
import { PrismaClient } from '../../services/archive/src/generated/prisma/client.ts';
import { makeListBatch } from '../../services/archive/src/listing/list-run.ts';
import { PageQueries } from '../../services/archive/src/store/page-queries.ts';
import { PageStore } from '../../services/archive/src/store/page-store.ts';
import { RecordedPageStore } from '../../services/archive/src/store/recorded-page-store.ts';
import { RunPageStore } from '../../services/archive/src/store/run-page-store.ts';
import { RunStore } from '../../services/archive/src/store/run-store.ts';
import type { BenchPage, BenchRun } from './rows.ts';

/** Rows per batch, as the archive's consumer receives them during a crawl. */
const ROWS_A_BATCH = 200;

/** Opens the archive's write path: rows as they arrive, then the list of the finished run. */
export function openWriter(pool: pg.Pool) {
  const store = new PageStore(pool, new PrismaClient({ adapter: prismaAdapter(pool, 'archive') }));
  const runs = new RunStore(pool);
  const queries = new PageQueries(pool);
  const recorded = new RecordedPageStore(pool);
  const listBatch = makeListBatch({ recorded, runs, pages: new RunPageStore(pool), now: () => new Date() });

  async function record({ workspaceId, runId }: BenchRun, pages: readonly BenchPage[]): Promise<void> {
    for (let from = 0; from < pages.length; from += ROWS_A_BATCH) {
      const batch = pages.slice(from, from + ROWS_A_BATCH);
      await store.record(batch.map(({ row }) => ({ workspaceId, jobId: runId, row })));
    }
  }

  async function list({ workspaceId, projectId, runId }: BenchRun, pages: readonly BenchPage[]): Promise<void> {
    for (let from = 0; from < pages.length; from += ROWS_A_BATCH) {
      const batch = pages.slice(from, from + ROWS_A_BATCH).map(({ known }) => known);
      await recorded.record([{ runId, workspaceId, projectId, pages: batch }]);
    }
    const taken = await runs.find(workspaceId, runId);
    if (taken === undefined) throw new Error('the run does not exist');
    let at = { ...taken, status: 'done', total: pages.length };
    for (;;) {
      const step = await listBatch(at);
      if (step === undefined || step.next === 'waits') throw new Error('a run could not be listed');
      at = { ...step.run, status: 'done', total: pages.length };
      if (step.next === 'end') break;
    }
    await runs.settle(at.no, await queries.summarize(at));
    await recorded.drop(runId);
  }
  return { record, list };
}
