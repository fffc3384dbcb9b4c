import type { FoundThrough } from '@tidemark/contracts/crawl/v1/crawl';
import { FoundVia, type Verdict } from '@tidemark/contracts/page/v1/page';
import { column, nullable, type Params, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { z } from 'zod';
import type { Run } from '../../domain/run/run.ts';
import type { EarlierPage } from '../../domain/scope/predict-visits.ts';
import { followsLinks } from '../../domain/scope/scope-rules.ts';
import { schema } from '../tables.ts';
import { withUrlCount } from '../url-count.ts';
import { inIndexOrder } from './in-index-order.ts';

const BATCH_ROWS = 1_000;
const COUNT_BATCH = 20_000;
const LOOKUP_BATCH = 1_000;

const Found = z.array(withUrlCount(z.object({ foundVia: z.enum(FoundVia), urls: z.number(), pages: z.number() })));

type CountedRun = Pick<Run, 'no' | 'scope'>;

const KNOWN = schema.prepareText(
  'known-pages',
  {
    key: column('bytea'),
    url: column('text'),
    foundVia: stateOf<EarlierPage['foundVia']>(),
    inSitemap: column('bool'),
    inFeed: column('bool'),
    depth: column('int2'),
    inLinks: nullable('int4'),
    isRead: column('bool'),
  },
  ({
    runNo,
    after,
    limit,
  }: Params<{ readonly runNo: bigint | string; readonly after: Buffer; readonly limit: number }>) => sql`
      SELECT url_key AS key, url, found_via AS "foundVia", in_sitemap AS "inSitemap", in_feed AS "inFeed", depth, in_links AS "inLinks",
        number IS NOT NULL AS "isRead"
      FROM frontier WHERE run_no = ${runNo} AND url_key > ${after} AND status <> 'same' ORDER BY url_key LIMIT ${limit}`,
);

const FOUND = schema.prepareText(
  'found-of-run',
  { found: nullable('jsonb') },
  ({ runNo }: Params<{ readonly runNo: bigint | string }>) =>
    sql`SELECT found FROM run_details WHERE run_no = ${runNo}`,
);

const NOTE_FOUND = schema.prepareText(
  'note-found',
  {},
  ({ runNo, found }: Params<{ readonly runNo: bigint | string; readonly found: string }>) => sql`
    INSERT INTO run_details (run_no, found) VALUES (${runNo}, ${found}::jsonb)
    ON CONFLICT (run_no) DO UPDATE SET found = excluded.found`,
);

const COUNT_FOUND = schema.prepareText(
  'count-found',
  {
    foundVia: stateOf<FoundVia>(),
    urls: column('int4'),
    pages: column('int4'),
    last: column('bytea'),
    size: column('int4'),
  },
  ({
    runNo,
    after,
    limit,
    followsLinks,
  }: Params<{
    readonly runNo: bigint | string;
    readonly after: Buffer;
    readonly limit: number;
    readonly followsLinks: boolean;
  }>) => sql`
      WITH piece AS (
        SELECT url_key, found_via, number, status, in_sitemap, in_feed, in_list, in_links FROM frontier
        WHERE run_no = ${runNo} AND url_key > ${after} ORDER BY url_key LIMIT ${limit}
      ), sourced AS (
        SELECT number, status, found_via, array_remove(ARRAY[
          CASE WHEN found_via = 'seed' THEN 'seed' END, CASE WHEN in_sitemap THEN 'sitemap' END, CASE WHEN in_feed THEN 'feed' END,
          CASE WHEN in_list THEN 'list' END, CASE WHEN found_via = 'link' OR ${followsLinks} AND in_links > 0 THEN 'link' END], NULL) AS sources FROM piece
      )
      SELECT s.source AS "foundVia", (count(*) FILTER (WHERE status <> 'same'))::int AS urls, count(number)::int AS pages,
        (SELECT url_key FROM piece ORDER BY url_key DESC LIMIT 1) AS last, (SELECT count(*) FROM piece)::int AS size
      FROM sourced CROSS JOIN LATERAL unnest(CASE WHEN sources = '{}' THEN ARRAY[found_via] ELSE sources END) AS s(source) GROUP BY s.source`,
);

const VERDICTS = schema.prepareText(
  'verdicts-of-keys',
  { url_key: column('bytea'), verdict: stateOf<Verdict>() },
  ({ runNo, keys }: Params<{ readonly runNo: bigint | string; readonly keys: readonly Buffer[] }>) => sql`
      SELECT k.url_key, coalesce(f.verdict, l.verdict) AS verdict FROM unnest(${keys}::bytea[]) AS k(url_key)
      CROSS JOIN LATERAL (
        SELECT status, landed_key, CASE WHEN status <> 'same' THEN verdict END AS verdict
        FROM frontier WHERE run_no = ${runNo} AND url_key = k.url_key LIMIT 1) f
      LEFT JOIN LATERAL (
        SELECT verdict FROM frontier WHERE run_no = ${runNo} AND f.status = 'same' AND url_key = f.landed_key LIMIT 1) l ON true
      WHERE coalesce(f.verdict, l.verdict) IS NOT NULL`,
);

/** Reads the URLs that a run found. */
export class KnownStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the run's pages and the URLs it left in the queue, in batches. */
  async *batches(runNo: bigint): AsyncGenerator<readonly EarlierPage[]> {
    for (let after = Buffer.alloc(0); ; ) {
      const rows = await inIndexOrder(this.#pool, KNOWN, { runNo, after, limit: BATCH_ROWS });
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = Buffer.from(last.key);
    }
  }

  /**
   * Returns the number of URLs and fetched pages of each source; as counted at the run's end, or counted now. A page counts for every source
   * that declared it.
   */
  async foundThrough(run: CountedRun): Promise<FoundThrough[]> {
    const rows = await FOUND.rows(this.#pool, { runNo: run.no });
    const noted = rows[0]?.found ?? undefined;
    return noted === undefined ? this.#count(run) : Found.parse(noted);
  }

  /** Stores these counts at the end of a run, since a run may have millions of URLs. Safe to repeat. */
  async noteFound(run: CountedRun): Promise<void> {
    await NOTE_FOUND.change(this.#pool, { runNo: run.no, found: JSON.stringify(await this.#count(run)) });
  }

  async #count({ no, scope }: CountedRun): Promise<FoundThrough[]> {
    const sums = new Map<string, FoundThrough>();
    for (let after = Buffer.alloc(0); ; ) {
      const rows = await inIndexOrder(this.#pool, COUNT_FOUND, {
        runNo: no,
        after,
        limit: COUNT_BATCH,
        followsLinks: followsLinks(scope),
      });
      for (const { foundVia, urls, pages } of rows) {
        const sum = sums.get(foundVia) ?? { foundVia, urls: 0, pages: 0 };
        sums.set(foundVia, { foundVia, urls: sum.urls + urls, pages: sum.pages + pages });
      }
      const [first] = rows;
      if (first === undefined || first.size < COUNT_BATCH) break;
      after = Buffer.from(first.last);
    }
    return [...sums.values()].filter(({ urls }) => urls > 0).sort((a, b) => b.urls - a.urls);
  }

  /** Returns the verdicts of the pages with these keys, by key in hex; an alias has the verdict of its page. */
  async verdictsOf(runNo: bigint, keys: readonly Buffer[]): Promise<ReadonlyMap<string, Verdict>> {
    const verdicts = new Map<string, Verdict>();
    for (let from = 0; from < keys.length; from += LOOKUP_BATCH) {
      const rows = await VERDICTS.rows(this.#pool, { runNo, keys: keys.slice(from, from + LOOKUP_BATCH) });
      for (const row of rows) verdicts.set(row.url_key.toString('hex'), row.verdict);
    }
    return verdicts;
  }
}
