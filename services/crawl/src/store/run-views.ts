import type { LinkedPage, RunPage } from '@tidemark/contracts/crawl/v1/crawl';
import type pg from 'pg';
import type { Run } from '../domain/run.ts';
import { DISPATCH_SECONDS } from './frontier-store.ts';

export type LinkSet = 'orphans' | 'unlisted' | 'dead_ends';
export const isLinkSet = (kind: string): kind is LinkSet =>
  kind === 'orphans' || kind === 'unlisted' || kind === 'dead_ends';

/** Which pages make each set. What a page is worth is known by its links alone: no set needs the archive. */
const SETS: Readonly<Record<LinkSet, string>> = {
  orphans: `in_sitemap AND in_links = 0 AND found_via = 'sitemap'`,
  unlisted: `NOT in_sitemap AND in_links > 0 AND verdict IN ('ok', 'thin', 'skipped', 'cached')`,
  dead_ends: `in_links > 0 AND verdict <> 'robots' AND (http_status = 0 OR http_status >= 400)`,
};

interface PageRow {
  readonly capture_id: string;
  readonly number: number;
  readonly found_via: string;
  readonly referer: string | null;
  readonly in_sitemap: boolean;
  readonly depth: number;
  readonly in_links: number | null;
}

interface EndedRow extends PageRow {
  readonly url: string;
  readonly verdict: string | null;
  readonly error_code: string | null;
  readonly http_status: number | null;
  readonly credits: number | null;
}

const COLUMNS = 'f.capture_id, f.number, f.found_via, r.url AS referer, f.in_sitemap, f.depth, f.in_links';
const OUTCOME = 'f.url, f.verdict, f.error_code, f.http_status, f.credits';
/** Looked up page by page: the planner knows nothing of a run that has just begun. */
const REFERER =
  'LEFT JOIN LATERAL (SELECT url FROM frontier WHERE run_no = $1 AND url_key = f.referer LIMIT 1) r ON true';

/** What may be read of a run beside its own row. */
export class RunViews {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Pages that have ended, in that order, from after this number on. */
  async ended(run: Run, after: number, limit: number): Promise<RunPage[]> {
    const { rows } = await this.#pool.query<EndedRow>({
      name: 'ended-pages',
      text: `SELECT ${COLUMNS}, ${OUTCOME} FROM frontier f ${REFERER} WHERE f.run_no = $1 AND f.number > $2 ORDER BY f.number LIMIT $3`,
      values: [run.no, after, limit],
    });
    return rows.map((row) => ({ ...toRunPage(run, row), ...toOutcome(row) }));
  }

  /** The page behind the first of these keys that is one, or was found to be another page's address. */
  async findPage(run: Run, keys: readonly Buffer[]): Promise<RunPage | undefined> {
    const { rows } = await this.#pool.query<PageRow>({
      name: 'find-page',
      text: `
        SELECT ${COLUMNS} FROM unnest($2::bytea[]) WITH ORDINALITY AS k(url_key, place)
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

  /** One set of the link graph, by address, from after `after` on. */
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

  /**
   * Those of these captures that still wait for their page. Asking keeps them from being given to another, and from being offered again
   * under a name the queue may have forgotten; it waits for no lock, as pages are ended in batches beside it. A run that stops waits for none whose host is held, and one whose login is dead for none at
   * all: it leaves them out.
   */
  async stillOpen(runId: string, captureIds: readonly string[], heldHosts: readonly string[]): Promise<string[]> {
    const { rows } = await this.#pool.query<{ capture_id: string }>({
      name: 'still-open',
      text: `
        WITH open AS (
          SELECT f.run_no, f.url_key, f.capture_id, r.stop IS NOT NULL AND (r.stop = 'login_dead' OR f.host = ANY($4)) AS in_vain
          FROM runs r CROSS JOIN unnest($2::text[]) AS c(id) CROSS JOIN LATERAL (
            SELECT * FROM frontier WHERE run_no = r.no AND capture_id = c.id AND number IS NULL AND status = 'dispatched' LIMIT 1) f
          WHERE r.id = $1 AND r.status = 'running'
        ), free AS (
          SELECT f.tid, o.in_vain FROM open o CROSS JOIN LATERAL (
            SELECT ctid AS tid FROM frontier WHERE run_no = o.run_no AND url_key = o.url_key
              AND (o.in_vain OR dispatched_until < now() + make_interval(secs => $3::float8 * 0.7)) LIMIT 1 FOR UPDATE SKIP LOCKED) f
        ), kept AS (
          UPDATE frontier f SET work_id = NULL, dispatched_until = CASE WHEN free.in_vain THEN now() ELSE now() + make_interval(secs => $3::float8) END
          FROM free WHERE f.ctid = free.tid
        )
        SELECT capture_id FROM open WHERE NOT in_vain`,
      values: [runId, captureIds, DISPATCH_SECONDS, heldHosts],
    });
    return rows.map((row) => row.capture_id);
  }

  /** The addresses that a page of an earlier run linked to. */
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

const toOutcome = (row: EndedRow) => ({
  url: row.url,
  verdict: row.verdict ?? '',
  errorCode: row.error_code ?? '',
  httpStatus: row.http_status ?? 0,
  credits: row.credits ?? 0,
});

function toRunPage(run: Run, row: PageRow): RunPage {
  const inLinks = row.in_links ?? undefined;
  const hasSitemap = run.sitemap === 'read';
  return {
    pageId: row.capture_id,
    number: row.number,
    foundVia: row.found_via,
    firstReferer: row.referer ?? '',
    inSitemap: row.in_sitemap,
    depth: row.depth,
    inLinks,
    orphan: inLinks === undefined ? undefined : row.in_sitemap && inLinks === 0 && row.found_via === 'sitemap',
    unlisted: inLinks === undefined ? undefined : hasSitemap && !row.in_sitemap && inLinks > 0,
  };
}
