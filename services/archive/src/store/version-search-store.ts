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
}

/** A page as the newest run that has it lists it. */
export interface ListedUrl {
  readonly number: number;
  /** Hex. */
  readonly urlKey: string;
  /** A newer run has the page too. */
  readonly isInNewer: boolean;
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
  { no: column('int8'), id: column('text') },
  ({ workspaceId, projectId }: Params<SearchedProject>) => sql`
    SELECT no, id FROM runs WHERE workspace_id = ${workspaceId} AND project_id = ${projectId} AND state <> 'discarded'
    ORDER BY id COLLATE "C" DESC LIMIT ${sql.lit(MAX_RUNS)}`,
);

interface UrlValues {
  readonly no: string;
  readonly after: number;
  readonly limit: number;
  /** Numbers of the newer runs of the project. */
  readonly newer: readonly string[];
}

const URLS = schema.prepareText(
  'searched-urls',
  { number: column('int4'), url_key: column('text'), is_in_newer: column('bool') },
  ({ no, after, limit, newer }: Params<UrlValues>) => sql`
    SELECT p.number, encode(p.url_key, 'hex') AS url_key, EXISTS (
      SELECT FROM run_pages q WHERE q.url_key = p.url_key AND q.run_no = ANY(${newer}::bigint[])) AS is_in_newer
    FROM (SELECT number, url_key FROM run_pages WHERE run_no = ${no} AND number > ${after} ORDER BY number LIMIT ${limit}) p
    ORDER BY p.number`,
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

  /** Returns the next pages of a run by number, and whether a newer run has them. */
  async urlsOf(values: UrlValues): Promise<ListedUrl[]> {
    const rows = await URLS.rows(this.#pool, values);
    return rows.map(({ number, url_key: urlKey, is_in_newer: isInNewer }) => ({ number, urlKey, isInNewer }));
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
