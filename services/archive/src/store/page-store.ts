import { PageRow } from '@tidemark/contracts/page/v1/page';
import type { PageCaptured } from '@tidemark/contracts/scrape/v1/events';
import { whileDatabaseAway } from '@tidemark/service';
import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.ts';

/** Page rows of every job and run. */
export class PageStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;

  constructor(pool: pg.Pool, db: PrismaClient) {
    this.#pool = pool;
    this.#db = db;
  }

  /** Stores captured pages, many in one statement. Safe to repeat: a capture is stored once. */
  async record(captured: readonly PageCaptured[]): Promise<void> {
    const pages = captured.flatMap(({ workspaceId, jobId, row }) =>
      row === undefined ? [] : [{ workspaceId, jobId, row }],
    );
    await whileDatabaseAway(
      () =>
        this.#pool.query({
          name: 'record-pages',
          text: `
            INSERT INTO pages (id, workspace_id, job_id, url, verdict, http_status, row, crawled_at)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::bytea[], $8::timestamptz[])
            ON CONFLICT (id) DO NOTHING`,
          values: [
            pages.map(({ row }) => row.id),
            pages.map(({ workspaceId }) => workspaceId),
            pages.map(({ jobId }) => jobId),
            pages.map(({ row }) => row.url),
            pages.map(({ row }) => row.verdict),
            pages.map(({ row }) => row.httpStatus),
            pages.map(({ row }) => Buffer.from(PageRow.encode(row).finish())),
            pages.map(({ row }) => row.crawledAt ?? new Date()),
          ],
        }),
      20_000,
    );
  }

  /** Pages of one job of the workspace, oldest first, from after `cursor`. */
  async list(workspaceId: string, jobId: string, cursor: string, limit: number): Promise<PageRow[]> {
    const pages = await this.#db.page.findMany({
      where: { workspaceId, jobId, id: { gt: cursor } },
      orderBy: { id: 'asc' },
      take: limit,
      select: { row: true },
    });
    return pages.map(({ row }) => PageRow.decode(row));
  }
}
