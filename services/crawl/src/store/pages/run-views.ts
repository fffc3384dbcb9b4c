import type { LinkedPage } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { column, type Params, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { LinkSet } from '../../domain/run/link-coverage.ts';
import type { Run } from '../../domain/run/run.ts';
import { schema } from '../tables.ts';
import { PAGE_COLUMNS, readEnded, refererOf, SELECT_PAGE, toRunPage } from './ended-pages.ts';

/** The condition of each set. No set needs data of the archive. */
const SETS: Readonly<Record<LinkSet, RawBuilder<unknown>>> = {
  orphans: sql`in_sitemap AND in_links = 0 AND found_via = 'sitemap'`,
  unlisted: sql`NOT in_sitemap AND in_links > 0 AND verdict IN ('ok', 'thin', 'skipped', 'cached')`,
  dead_ends: sql`in_links > 0 AND verdict <> 'robots' AND (http_status = 0 OR http_status >= 400)`,
};

const FIND = schema.prepareText(
  'find-page',
  PAGE_COLUMNS,
  ({ runNo, keys }: Params<{ readonly runNo: bigint | string; readonly keys: readonly Buffer[] }>) => sql`
    SELECT ${SELECT_PAGE} FROM unnest(${keys}::bytea[]) WITH ORDINALITY AS k(url_key, place)
    CROSS JOIN LATERAL (SELECT * FROM frontier WHERE run_no = ${runNo} AND url_key = k.url_key LIMIT 1) a
    JOIN LATERAL (
      SELECT a.*, 0 AS hop WHERE a.number IS NOT NULL
      UNION ALL SELECT o.*, 1 FROM frontier o WHERE a.status = 'same' AND o.run_no = ${runNo} AND o.url_key = a.landed_key AND o.number IS NOT NULL
      UNION ALL SELECT p.*, 2 FROM frontier o JOIN frontier p ON p.run_no = ${runNo} AND p.url_key = o.landed_key AND p.number IS NOT NULL
        WHERE a.status = 'same' AND o.run_no = ${runNo} AND o.url_key = a.landed_key AND o.status = 'same'
    ) f ON true
    ${refererOf(runNo)}
    ORDER BY k.place, f.hop LIMIT 1`,
);

const linksOfSet = (kind: LinkSet) =>
  schema.prepareText(
    `links-${kind}`,
    { url: column('text'), inLinks: column('int4'), httpStatus: column('int4'), referer: column('text') },
    ({
      runNo,
      after,
      limit,
    }: Params<{ readonly runNo: bigint; readonly after: string; readonly limit: number }>) => sql`
      SELECT f.url, coalesce(f.in_links, 0) AS "inLinks", coalesce(f.http_status, 0) AS "httpStatus", coalesce(r.url, '') AS referer FROM (
        SELECT url, in_links, http_status, referer FROM frontier
        WHERE run_no = ${runNo} AND number IS NOT NULL AND url COLLATE "C" > ${after} AND ${SETS[kind]} ORDER BY url COLLATE "C" LIMIT ${limit}
      ) f ${refererOf(runNo)} ORDER BY f.url COLLATE "C"`,
  );
const LINKS = {
  orphans: linksOfSet('orphans'),
  unlisted: linksOfSet('unlisted'),
  dead_ends: linksOfSet('dead_ends'),
} as const satisfies Record<LinkSet, unknown>;

const LINKS_OF = schema.prepareText(
  'links-of',
  { url: column('text') },
  ({ runNo, key }: Params<{ readonly runNo: bigint | string; readonly key: Buffer }>) => sql`
    SELECT l.url FROM frontier f
    CROSS JOIN LATERAL generate_series(0, least(octet_length(f.links) / 8, 2000) - 1) AS i
    CROSS JOIN LATERAL (
      SELECT url FROM frontier WHERE run_no = ${runNo} AND url_key >= substr(f.links, i * 8 + 1, 8)
        AND url_key < substr(f.links, i * 8 + 1, 8) || '\\xffffffffffffffffffffffffffffffffffffffffffffffff'::bytea LIMIT 1) l
    WHERE f.run_no = ${runNo} AND f.url_key = ${key} ORDER BY i`,
);

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
    const rows = await FIND.rows(this.#pool, { runNo: run.no, keys });
    const [row] = rows;
    return row === undefined ? undefined : toRunPage(run, row);
  }

  /** Returns one set of the link graph, by URL, after `after`. */
  links(run: Run, kind: LinkSet, after: string, limit: number): Promise<LinkedPage[]> {
    return LINKS[kind].rows(this.#pool, { runNo: run.no, after, limit });
  }

  /** Returns the URLs that a page of an earlier run linked to. */
  async linksOf(runNo: bigint, key: Buffer): Promise<string[]> {
    const rows = await LINKS_OF.rows(this.#pool, { runNo, key });
    return rows.map((row) => row.url);
  }
}
