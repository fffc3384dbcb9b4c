import { column, nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';
import { inIndexOrder } from './in-index-order.ts';

const KEYS = schema.prepareText(
  'graph-keys',
  { url_key: column('bytea') },
  ({
    runNo,
    from,
    limit,
  }: Params<{ readonly runNo: bigint | string; readonly from: Buffer; readonly limit: number }>) => sql`
    SELECT url_key FROM frontier WHERE run_no = ${runNo} AND url_key >= ${from} AND status IN ('done', 'same') ORDER BY url_key LIMIT ${limit}`,
);

const LINKS = schema.prepareText(
  'graph-links',
  { number: column('int4'), links: nullable('bytea') },
  ({
    runNo,
    after,
    limit,
  }: Params<{ readonly runNo: bigint | string; readonly after: number; readonly limit: number }>) =>
    sql`SELECT coalesce(f.number, 0) AS number, links FROM frontier f WHERE run_no = ${runNo} AND f.number > ${after} ORDER BY f.number LIMIT ${limit}`,
);

const WRITE_IN_LINKS = schema.prepareText(
  'write-in-links',
  {},
  ({
    runNo,
    keys,
    links,
    firsts,
  }: Params<{
    readonly runNo: bigint | string;
    readonly keys: readonly Buffer[];
    readonly links: readonly number[];
    readonly firsts: readonly number[];
  }>) => sql`
      UPDATE frontier f SET in_links = t.links, referer = CASE WHEN f.found_via = 'seed' THEN f.referer ELSE coalesce(f.referer, t.first_key) END
      FROM (
        SELECT c.links, p.url_key AS first_key, o.tid FROM unnest(${keys}::bytea[], ${links}::int[], ${firsts}::int[]) AS c(url_key, links, first)
        CROSS JOIN LATERAL (
          SELECT ctid AS tid FROM frontier
          WHERE run_no = ${runNo} AND url_key = c.url_key AND in_links IS DISTINCT FROM c.links LIMIT 1) o
        LEFT JOIN LATERAL (
          SELECT url_key FROM frontier WHERE run_no = ${runNo} AND number = c.first AND c.first > 0 LIMIT 1) p ON true
      ) t WHERE f.ctid = t.tid`,
);

const CREDIT_ALIASES = schema.prepareText(
  'credit-aliases',
  {},
  ({ runNo }: Params<{ readonly runNo: bigint | string }>) => sql`
    WITH taken AS (
      UPDATE frontier f SET in_links = 0 FROM (
        SELECT ctid AS tid, landed_key, in_links FROM frontier WHERE run_no = ${runNo} AND status = 'same' AND in_links > 0
      ) a WHERE f.ctid = a.tid RETURNING a.landed_key, a.in_links
    )
    UPDATE frontier f SET in_links = f.in_links + t.links
    FROM (
      SELECT o.tid, s.links FROM (SELECT landed_key, sum(in_links)::int AS links FROM taken GROUP BY landed_key) s
      CROSS JOIN LATERAL (
        SELECT ctid AS tid FROM frontier WHERE run_no = ${runNo} AND url_key = s.landed_key AND status = 'done' LIMIT 1) o
    ) t WHERE f.ctid = t.tid`,
);

const CREDIT_ALIAS_SOURCES = schema.prepareText(
  'credit-alias-sources',
  {},
  ({ runNo }: Params<{ readonly runNo: bigint | string }>) => sql`
    UPDATE frontier f SET in_sitemap = f.in_sitemap OR t.in_sitemap, in_feed = f.in_feed OR t.in_feed, in_list = f.in_list OR t.in_list
    FROM (
      SELECT o.tid, s.* FROM (
        SELECT landed_key, bool_or(in_sitemap) AS in_sitemap, bool_or(in_feed) AS in_feed, bool_or(in_list) AS in_list
        FROM frontier WHERE run_no = ${runNo} AND status = 'same' AND (in_sitemap OR in_feed OR in_list) GROUP BY landed_key) s
      CROSS JOIN LATERAL (
        SELECT ctid AS tid FROM frontier WHERE run_no = ${runNo} AND url_key = s.landed_key AND status = 'done' LIMIT 1) o
    ) t WHERE f.ctid = t.tid`,
);

/**
 * Streams the link graph of a run in key order. The planner has no statistics of a new run, so pages are read one by one (LATERAL … LIMIT 1) and
 * updated by ctid, which is stable because no statement moves rows of an ended run.
 */
export class GraphStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns keys from this one on, of fetched pages and their aliases. */
  async keysFrom(runNo: bigint, from: Buffer, limit: number): Promise<Buffer[]> {
    const rows = await inIndexOrder(this.#pool, KEYS, { runNo, from, limit });
    return rows.map((row) => row.url_key);
  }

  /** Visits the links of every fetched page. */
  async eachLinks(runNo: bigint, rowsAtOnce: number, visit: (number: number, links: Buffer) => void): Promise<void> {
    for (let after = 0; ; ) {
      const rows = await inIndexOrder(this.#pool, LINKS, { runNo, after, limit: rowsAtOnce });
      for (const { number, links } of rows) if (links !== null) visit(number, links);
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsAtOnce) return;
      after = last.number;
    }
  }

  /** Writes the counts of the keys from `from` up to `to`, and a linking page if no referer is stored, except of the seed. */
  async writeInLinks(
    runNo: bigint,
    from: Buffer,
    to: Buffer | undefined,
    rowsAtOnce: number,
    linksTo: (key: Buffer) => { readonly links: number; readonly first: number },
  ): Promise<void> {
    for (let at = from; ; ) {
      const all = await this.keysFrom(runNo, at, rowsAtOnce);
      const keys = to === undefined ? all : all.filter((key) => Buffer.compare(key, to) < 0);
      const counted = keys.map(linksTo);
      await WRITE_IN_LINKS.change(this.#pool, {
        runNo,
        keys,
        links: counted.map(({ links }) => links),
        firsts: counted.map(({ first }) => first),
      });
      const last = keys.at(-1);
      if (last === undefined || keys.length < rowsAtOnce) return;
      at = Buffer.concat([last, Buffer.from([0])]);
    }
  }

  /** Moves the link counts of aliases to their pages. */
  async creditAliases(runNo: bigint): Promise<void> {
    await CREDIT_ALIASES.change(this.#pool, { runNo });
  }

  /** Marks pages with the sources that declare one of their aliases. Which URL of a page is the alias depends on the order of the fetches. */
  async creditAliasSources(runNo: bigint): Promise<void> {
    await CREDIT_ALIAS_SOURCES.change(this.#pool, { runNo });
  }
}
