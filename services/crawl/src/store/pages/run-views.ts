import type { LinkedPage } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import type pg from 'pg';
import type { LinkSet } from '../../domain/run/link-coverage.ts';
import type { Run } from '../../domain/run/run.ts';
import { PAGE_COLUMNS, type PageRow, REFERER, readEnded, toRunPage } from './ended-pages.ts';

/** The condition of each set. No set needs data of the archive. */
const SETS: Readonly<Record<LinkSet, string>> = {
  orphans: `in_sitemap AND in_links = 0 AND found_via = 'sitemap'`,
  unlisted: `NOT in_sitemap AND in_links > 0 AND verdict IN ('ok', 'thin', 'skipped', 'cached')`,
  dead_ends: `in_links > 0 AND verdict <> 'robots' AND (http_status = 0 OR http_status >= 400)`,
};

/** Read queries over the pages of a run. */
export class RunViews {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns pages that have ended, by number, after `after`. */
  ended(run: Run, after: number, limit: number): Promise<RunPage[]> {
    return readEnded(this.#pool, run, { after, limit });
  }

  /** Returns the page of the first of these keys that is a page or an alias of one. */
  async findPage(run: Run, keys: readonly Buffer[]): Promise<RunPage | undefined> {
    const { rows } = await this.#pool.query<PageRow>({
      name: 'find-page',
      text: `
        SELECT ${PAGE_COLUMNS} FROM unnest($2::bytea[]) WITH ORDINALITY AS k(url_key, place)
        CROSS JOIN LATERAL (SELECT * FROM frontier WHERE run_no = $1 AND url_key = k.url_key LIMIT 1) a
        JOIN LATERAL (
          SELECT a.*, 0 AS hop WHERE a.number IS NOT NULL
          UNION ALL SELECT o.*, 1 FROM frontier o WHERE a.status = 'same' AND o.run_no = $1 AND o.url_key = a.landed_key AND o.number IS NOT NULL
          UNION ALL SELECT p.*, 2 FROM frontier o JOIN frontier p ON p.run_no = $1 AND p.url_key = o.landed_key AND p.number IS NOT NULL
            WHERE a.status = 'same' AND o.run_no = $1 AND o.url_key = a.landed_key AND o.status = 'same'
        ) f ON true
        ${REFERER}
        ORDER BY k.place, f.hop LIMIT 1`,
      values: [run.no, keys],
    });
    const [row] = rows;
    return row === undefined ? undefined : toRunPage(run, row);
  }

  /** Returns one set of the link graph, by address, after `after`. */
  async links(run: Run, kind: LinkSet, after: string, limit: number): Promise<LinkedPage[]> {
    const { rows } = await this.#pool.query<{ url: string; in_links: number; http_status: number; referer: string }>({
      text: `
        SELECT f.url, f.in_links, f.http_status, coalesce(r.url, '') AS referer FROM (
          SELECT url, in_links, http_status, referer FROM frontier
          WHERE run_no = $1 AND number IS NOT NULL AND url COLLATE "C" > $2 AND ${SETS[kind]} ORDER BY url COLLATE "C" LIMIT $3
        ) f ${REFERER} ORDER BY f.url COLLATE "C"`,
      values: [run.no, after, limit],
    });
    return rows.map((row) => ({
      url: row.url,
      inLinks: row.in_links,
      httpStatus: row.http_status,
      referer: row.referer,
    }));
  }

  /** Returns the addresses that a page of an earlier run linked to. */
  async linksOf(runNo: bigint, key: Buffer): Promise<string[]> {
    const { rows } = await this.#pool.query<{ url: string }>({
      name: 'links-of',
      text: `
        SELECT l.url FROM frontier f
        CROSS JOIN LATERAL generate_series(0, least(octet_length(f.links) / 8, 2000) - 1) AS i
        CROSS JOIN LATERAL (
          SELECT url FROM frontier WHERE run_no = $1 AND url_key >= substr(f.links, i * 8 + 1, 8)
            AND url_key < substr(f.links, i * 8 + 1, 8) || '\\xffffffffffffffffffffffffffffffffffffffffffffffff'::bytea LIMIT 1) l
        WHERE f.run_no = $1 AND f.url_key = $2 ORDER BY i`,
      values: [runNo, key],
    });
    return rows.map((row) => row.url);
  }
}
