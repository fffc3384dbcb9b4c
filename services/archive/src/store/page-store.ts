import { PageRow } from '@tidemark/contracts/page/v1/page';
import type { PageCaptured } from '@tidemark/contracts/scrape/v1/events';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { keysOf } from './blob-keys.ts';

export interface NewestQuery {
  /** SHA-256 of the normalized URL. */
  readonly urlKey: Uint8Array;
  readonly captureKey: string;
  readonly formats: readonly string[];
  /** 0: no limit. */
  readonly maxAgeSeconds: number;
}

/** Stores the rows of captured pages of all jobs and runs. */
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
      row === undefined ? [] : [{ workspaceId, jobId, row, keys: keysOf(row) }],
    );
    await retryWhileDatabaseUnavailable(
      () =>
        this.#pool.query({
          name: 'record-pages',
          text: `
            INSERT INTO pages (id, workspace_id, job_id, url, verdict, http_status, row, crawled_at, url_key, capture_key, formats,
              content_key, screenshot_key, evidence_key)
            SELECT p.id, p.workspace_id, p.job_id, p.url, p.verdict, p.http_status, p.row, p.crawled_at, p.url_key, p.capture_key, p.formats::text[],
              p.content_key, p.screenshot_key, p.evidence_key
            FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::bytea[], $8::timestamptz[], $9::bytea[], $10::text[], $11::text[],
                $12::bigint[], $13::bigint[], $14::bigint[])
              AS p(id, workspace_id, job_id, url, verdict, http_status, row, crawled_at, url_key, capture_key, formats,
                content_key, screenshot_key, evidence_key)
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
            pages.map(({ row }) => row.urlKey),
            pages.map(({ row }) => row.captureKey),
            pages.map(({ row }) => `{${row.formats.join(',')}}`),
            pages.map(({ keys }) => keys.content),
            pages.map(({ keys }) => keys.screenshot),
            pages.map(({ keys }) => keys.evidence),
          ],
        }),
      20_000,
    );
  }

  /** Lists the pages of a job of the workspace after `cursor`, oldest first. */
  async list(workspaceId: string, jobId: string, cursor: string, limit: number): Promise<PageRow[]> {
    const pages = await this.#db.page.findMany({
      where: { workspaceId, jobId, id: { gt: cursor } },
      orderBy: { id: 'asc' },
      take: limit,
      select: { row: true },
    });
    return pages.map(({ row }) => PageRow.decode(row));
  }

  /** Returns the stored pages of a job with these ids, in the order of `ids`. */
  async pick(workspaceId: string, jobId: string, ids: readonly string[]): Promise<PageRow[]> {
    const pages = await this.#db.page.findMany({
      where: { workspaceId, jobId, id: { in: [...ids] } },
      select: { id: true, row: true },
    });
    const byId = new Map(pages.map(({ id, row }) => [id, row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row === undefined ? [] : [PageRow.decode(row)];
    });
  }

  /** Returns the newest good capture of a URL that has the required bodies. */
  async findNewest(workspaceId: string, query: NewestQuery): Promise<PageRow | undefined> {
    const page = await this.#db.page.findFirst({
      where: {
        workspaceId,
        urlKey: Buffer.from(query.urlKey),
        verdict: { in: ['ok', 'thin'] },
        captureKey: query.captureKey,
        formats: { hasEvery: [...query.formats] },
        ...(query.maxAgeSeconds === 0 ? {} : { crawledAt: { gte: new Date(Date.now() - query.maxAgeSeconds * 1000) } }),
      },
      orderBy: { crawledAt: 'desc' },
      select: { row: true },
    });
    return page === null ? undefined : PageRow.decode(page.row);
  }

  /** Returns the newest good capture of each of these URLs, in one statement. `captureKey` empty: any. */
  async findNewestOf(
    workspaceId: string,
    query: {
      readonly urlKeys: readonly Uint8Array[];
      readonly captureKey: string;
      readonly formats: readonly string[];
    },
  ): Promise<PageRow[]> {
    const { rows } = await this.#pool.query<{ row: Buffer }>({
      name: 'find-newest-of',
      text: `
        SELECT p.row FROM (SELECT DISTINCT url_key FROM unnest($2::bytea[]) AS k(url_key)) k CROSS JOIN LATERAL (
          SELECT row FROM pages
          WHERE workspace_id = $1 AND url_key = k.url_key AND verdict IN ('ok', 'thin') AND ($3 = '' OR capture_key = $3) AND formats @> $4::text[]
          ORDER BY crawled_at DESC LIMIT 1
        ) p`,
      values: [workspaceId, query.urlKeys.map((key) => Buffer.from(key)), query.captureKey, [...query.formats]],
    });
    return rows.map(({ row }) => PageRow.decode(row));
  }
}
