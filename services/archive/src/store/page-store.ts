import { PageRow } from '@tidemark/contracts/page/v1/page';
import type { PageCaptured } from '@tidemark/contracts/scrape/v1/events';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { keysOf } from './blob-keys.ts';
import { schema } from './tables.ts';

export interface NewestQuery {
  /** SHA-256 of the normalized URL. */
  readonly urlKey: Uint8Array;
  readonly captureKey: string;
  readonly formats: readonly string[];
  /** Undefined: no limit. */
  readonly maxAgeSeconds?: number | undefined;
}

/** Captured pages: the values at each position of the lists. */
interface PageLists {
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly jobIds: readonly string[];
  readonly urls: readonly string[];
  readonly verdicts: readonly string[];
  readonly httpStatuses: readonly number[];
  readonly rows: readonly Buffer[];
  readonly crawledAt: readonly Date[];
  readonly urlKeys: readonly Uint8Array[];
  readonly captureKeys: readonly string[];
  /** Texts of arrays. */
  readonly formats: readonly string[];
  readonly contentKeys: readonly string[];
  readonly screenshotKeys: readonly string[];
  readonly evidenceKeys: readonly string[];
}

const RECORD = schema.prepareText(
  'record-pages',
  {},
  (page: Params<PageLists>) => sql`
    INSERT INTO pages (id, workspace_id, job_id, url, verdict, http_status, row, crawled_at, url_key, capture_key, formats,
      content_key, screenshot_key, evidence_key)
    SELECT p.id, p.workspace_id, p.job_id, p.url, p.verdict, p.http_status, p.row, p.crawled_at, p.url_key, p.capture_key, p.formats::text[],
      p.content_key, p.screenshot_key, p.evidence_key
    FROM unnest(
      ${page.ids}::text[], ${page.workspaceIds}::text[], ${page.jobIds}::text[], ${page.urls}::text[], ${page.verdicts}::text[],
      ${page.httpStatuses}::int[], ${page.rows}::bytea[], ${page.crawledAt}::timestamptz[], ${page.urlKeys}::bytea[],
      ${page.captureKeys}::text[], ${page.formats}::text[], ${page.contentKeys}::bigint[], ${page.screenshotKeys}::bigint[],
      ${page.evidenceKeys}::bigint[])
      AS p(id, workspace_id, job_id, url, verdict, http_status, row, crawled_at, url_key, capture_key, formats,
        content_key, screenshot_key, evidence_key)
    ON CONFLICT (id) DO NOTHING`,
);

interface NewestOfValues {
  readonly workspaceId: string;
  readonly urlKeys: readonly Buffer[];
  readonly captureKey: string;
  readonly formats: readonly string[];
}

const NEWEST_OF = schema.prepareText(
  'find-newest-of',
  { row: column('bytea') },
  ({ workspaceId, urlKeys, captureKey, formats }: Params<NewestOfValues>) => sql`
    SELECT p.row FROM (SELECT DISTINCT url_key FROM unnest(${urlKeys}::bytea[]) AS k(url_key)) k CROSS JOIN LATERAL (
      SELECT row FROM pages
      WHERE workspace_id = ${workspaceId} AND url_key = k.url_key AND verdict IN ('ok', 'thin')
        AND (${captureKey}::text = '' OR capture_key = ${captureKey}) AND formats @> ${formats}::text[]
      ORDER BY crawled_at DESC LIMIT 1
    ) p`,
);

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
    const lists = {
      ids: pages.map(({ row }) => row.id),
      workspaceIds: pages.map(({ workspaceId }) => workspaceId),
      jobIds: pages.map(({ jobId }) => jobId),
      urls: pages.map(({ row }) => row.url),
      verdicts: pages.map(({ row }) => row.verdict),
      httpStatuses: pages.map(({ row }) => row.httpStatus),
      rows: pages.map(({ row }) => Buffer.from(PageRow.encode(row).finish())),
      crawledAt: pages.map(({ row }) => row.crawledAt ?? new Date()),
      urlKeys: pages.map(({ row }) => row.urlKey),
      captureKeys: pages.map(({ row }) => row.captureKey),
      formats: pages.map(({ row }) => `{${row.formats.join(',')}}`),
      contentKeys: pages.map(({ keys }) => keys.content),
      screenshotKeys: pages.map(({ keys }) => keys.screenshot),
      evidenceKeys: pages.map(({ keys }) => keys.evidence),
    };
    await retryWhileDatabaseUnavailable(() => RECORD.change(this.#pool, lists), 20_000);
  }

  /** Lists the pages of a job of the workspace after `cursor`, oldest first. */
  async list(workspaceId: string, jobId: string, cursor: string | undefined, limit: number): Promise<PageRow[]> {
    const pages = await this.#db.page.findMany({
      where: { workspaceId, jobId, ...(cursor === undefined ? {} : { id: { gt: cursor } }) },
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
        ...(query.maxAgeSeconds === undefined
          ? {}
          : { crawledAt: { gte: new Date(Date.now() - query.maxAgeSeconds * 1000) } }),
      },
      orderBy: { crawledAt: 'desc' },
      select: { row: true },
    });
    return page === null ? undefined : PageRow.decode(page.row);
  }

  /** Returns the newest good capture of each of these URLs, in one statement. `captureKey` undefined: with any options. */
  async findNewestOf(
    workspaceId: string,
    query: {
      readonly urlKeys: readonly Uint8Array[];
      readonly captureKey: string | undefined;
      readonly formats: readonly string[];
    },
  ): Promise<PageRow[]> {
    const rows = await NEWEST_OF.rows(this.#pool, {
      workspaceId,
      urlKeys: query.urlKeys.map((key) => Buffer.from(key)),
      captureKey: query.captureKey ?? '',
      formats: query.formats,
    });
    return rows.map(({ row }) => PageRow.decode(row));
  }
}
