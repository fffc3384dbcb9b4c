import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { column, nullable, type Params, type RowOf, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import type { Reading } from '../domain/page-history.ts';
import { hasBody } from './page-queries.ts';
import { schema } from './tables.ts';

/** Maximum number of runs of a project whose pages are searched, the newest ones. */
const MAX_RUNS = 5_000;

export interface SearchedProject {
  readonly workspaceId: string;
  readonly projectId: string;
}

/** A run of a project. */
export interface SearchedRun {
  readonly no: string;
  readonly id: string;
  /** Number of its last listed page. */
  readonly listed: number;
}

/** Runs in a row, newest first, and the part of them that is read. */
export interface RunRange {
  /** All runs of the project, newest first. */
  readonly all: readonly SearchedRun[];
  /** Index of the first run, and the number of runs. */
  readonly from: number;
  readonly count: number;
  /** Pages of the first run with numbers above this one. */
  readonly after: number;
  /** Pages of the last run up to this number. */
  readonly to: number;
  readonly limit: number;
}

/** A page, and the newest run that has it. */
export interface ListedUrl {
  readonly run: SearchedRun;
  readonly number: number;
  /** Hex. */
  readonly urlKey: string;
}

/** The place of a reading in the list of its run. */
export interface ReadingPlace {
  readonly runNo: string;
  readonly number: number;
}

/** A reading and its place. */
export interface PlacedReading extends Reading, ReadingPlace {
  /** Hex. */
  readonly urlKey: string;
  readonly hasMarkdown: boolean;
}

const RUNS = schema.prepareText(
  'searched-runs',
  { no: column('int8'), id: column('text'), listed: column('int4') },
  ({ workspaceId, projectId }: Params<SearchedProject>) => sql`
    SELECT no, id, listed FROM runs WHERE workspace_id = ${workspaceId} AND project_id = ${projectId} AND state <> 'discarded'
    ORDER BY id COLLATE "C" DESC LIMIT ${sql.lit(MAX_RUNS)}`,
);

interface UrlValues {
  /** Numbers of the runs of the project, newest first. */
  readonly all: readonly string[];
  /** 1-based places of the first and the last run. */
  readonly from: number;
  readonly until: number;
  readonly after: number;
  readonly to: number;
  readonly limit: number;
}

/** Pages of some runs that no newer run has. Nearly all others are in the next newer run, which is looked up first. */
const URLS = schema.prepareText(
  'searched-urls',
  { place: column('int4'), number: column('int4'), url_key: column('text') },
  ({ all, from, until, after, to, limit }: Params<UrlValues>) => sql`
    SELECT k.at::int AS place, p.number, encode(p.url_key, 'hex') AS url_key
    FROM (SELECT no, at, lag(no) OVER (ORDER BY at) AS newer FROM unnest(${all}::bigint[]) WITH ORDINALITY AS a(no, at)) k
    CROSS JOIN LATERAL (
      SELECT number, url_key FROM run_pages
      WHERE run_no = k.no AND number > CASE WHEN k.at = ${from} THEN ${after}::int ELSE 0 END
        AND number <= CASE WHEN k.at = ${until} THEN ${to}::int ELSE 2147483647 END) p
    WHERE k.at BETWEEN ${from}::int AND ${until}::int
      AND CASE WHEN k.at = 1 THEN true
        WHEN EXISTS (SELECT FROM run_pages q WHERE q.url_key = p.url_key AND q.run_no = k.newer) THEN false
        ELSE NOT EXISTS (SELECT FROM run_pages q WHERE q.url_key = p.url_key AND q.run_no = ANY((${all}::bigint[])[1:k.at - 2])) END
    ORDER BY k.at, p.number LIMIT ${limit}`,
);

const READING_COLUMNS = {
  run_no: column('int8'),
  run_id: column('text'),
  number: column('int4'),
  url_key: column('text'),
  page_id: column('text'),
  crawled_at: column('timestamptz'),
  verdict: stateOf<Verdict>(),
  words: column('int4'),
  language: nullable('text'),
  has_html: column('bool'),
  has_markdown: column('bool'),
  text: nullable('text'),
  text_since: nullable('timestamptz'),
  text_readings: nullable('int4'),
  text_is_new: nullable('bool'),
};

/** As in history-store.ts, of many pages. */
const READINGS = schema.prepareText(
  'searched-readings',
  READING_COLUMNS,
  ({ workspaceId, projectId, urlKeys }: Params<SearchedProject & { readonly urlKeys: readonly Buffer[] }>) => sql`
    SELECT p.run_no, r.id AS run_id, p.number, encode(p.url_key, 'hex') AS url_key, p.page_id, p.crawled_at, p.verdict, p.words, p.language,
      'rawHtml' = ANY(p.formats) AS has_html, ${hasBody('markdown')} AS has_markdown,
      coalesce(encode(p.text_hash, 'hex'), CASE WHEN p.content_key <> 0 THEN p.content_key::text END) AS text,
      p.text_since, p.text_readings, p.text_is_new
    FROM runs r CROSS JOIN LATERAL (
      SELECT * FROM run_pages WHERE url_key = ANY(${urlKeys}::bytea[]) AND run_no = r.no OFFSET 0) p
    WHERE r.workspace_id = ${workspaceId} AND r.project_id = ${projectId} AND r.state <> 'discarded'
    ORDER BY p.crawled_at, p.page_id`,
);

interface PlaceValues {
  readonly runNos: readonly string[];
  readonly numbers: readonly number[];
  /** Numbers of bits before the reduction to the size of a sketch. */
  readonly bits: readonly number[];
}

/** Of these readings those whose sketch has all bits, or that have no sketch yet. */
const WITH_BITS = schema.prepareText(
  'searched-sketches',
  { run_no: column('int8'), number: column('int4') },
  ({ runNos, numbers, bits }: Params<PlaceValues>) => sql`
    SELECT k.run_no, k.number FROM unnest(${runNos}::bigint[], ${numbers}::int[]) AS k(run_no, number)
    LEFT JOIN LATERAL (SELECT sketch FROM run_words w WHERE w.run_no = k.run_no AND w.number = k.number LIMIT 1) w ON true
    WHERE w.sketch IS NULL OR NOT EXISTS (
      SELECT FROM unnest(${bits}::bigint[]) AS b(bit) WHERE get_bit(w.sketch, b.bit % (octet_length(w.sketch) * 8)) = 0)`,
);

const placeKey = (runNo: string, number: number): string => `${runNo}.${number}`;

/** Reads the versions of the pages of a project for a search. */
export class VersionSearchStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the runs of a project, newest first. */
  async runsOf(project: SearchedProject): Promise<SearchedRun[]> {
    return await RUNS.rows(this.#pool, project);
  }

  /** Returns the first pages of a range that no newer run has, in the order of the runs and of their numbers. */
  async urlsOf({ all, from, count, after, to, limit }: RunRange): Promise<ListedUrl[]> {
    const nos = all.map(({ no }) => no);
    const rows = await URLS.rows(this.#pool, { all: nos, from: from + 1, until: from + count, after, to, limit });
    return rows.flatMap(({ place, number, url_key: urlKey }) => {
      const run = all[place - 1];
      return run === undefined ? [] : [{ run, number, urlKey }];
    });
  }

  /** Returns the readings of each page, oldest first. */
  async readingsOf(
    project: SearchedProject,
    urlKeys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly PlacedReading[]>> {
    if (urlKeys.length === 0) return new Map();
    const keys = urlKeys.map((key) => Buffer.from(key, 'hex'));
    const rows = await READINGS.rows(this.#pool, { ...project, urlKeys: keys });
    return Map.groupBy(rows.map(toReading), ({ urlKey }) => urlKey);
  }

  /** Returns those of the readings that can contain words whose sketch has these bits. */
  async candidates<Place extends ReadingPlace>(places: readonly Place[], bits: readonly number[]): Promise<Place[]> {
    if (places.length === 0 || bits.length === 0) return [...places];
    const rows = await WITH_BITS.rows(this.#pool, {
      runNos: places.map(({ runNo }) => runNo),
      numbers: places.map(({ number }) => number),
      bits,
    });
    const found = new Set(rows.map(({ run_no: runNo, number }) => placeKey(runNo, number)));
    return places.filter(({ runNo, number }) => found.has(placeKey(runNo, number)));
  }
}

const toReading = (row: RowOf<typeof READING_COLUMNS>): PlacedReading => ({
  runNo: row.run_no,
  number: row.number,
  urlKey: row.url_key,
  hasMarkdown: row.has_markdown,
  runId: row.run_id,
  pageId: row.page_id,
  crawledAt: row.crawled_at,
  verdict: row.verdict,
  words: row.words,
  language: row.language ?? undefined,
  hasHtml: row.has_html,
  text: row.text ?? undefined,
  deleted: row.text_since === null ? undefined : { since: row.text_since, readings: row.text_readings ?? 0 },
  isNew: row.text_is_new ?? false,
});
