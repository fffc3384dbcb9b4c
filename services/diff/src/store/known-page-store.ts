import type pg from 'pg';
import type { KnownPage, PageReading } from '../domain/page-reading.ts';
import type { AnchorState } from '../volatility/anchor-state.ts';
import type { Template } from '../volatility/templates.ts';
import type { LearnedVolatility } from '../volatility/volatility-model.ts';
import { asLines } from './lines.ts';
import { readAhead } from './read-ahead.ts';
import type { RecordClaim } from './record-store.ts';

const BATCH_SIZE = 500;

/** Readings are stored per claim, so that concurrent builders of one record have separate rows. */
export type ReadingsClaim = Pick<RecordClaim, 'run' | 'token'>;

/** Known pages of a project and collected readings of a run, both in key order. */
export class KnownPageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async *listKnownPages(projectId: string): AsyncGenerator<readonly KnownPage[]> {
    const batches = readAhead<{ page_key: string; page: string }>(BATCH_SIZE, async (last) => {
      const { rows } = await this.#pool.query({
        name: 'list-known-pages',
        text: 'SELECT page_key, page FROM known_pages WHERE project_id = $1 AND page_key > $2 ORDER BY page_key LIMIT $3',
        values: [projectId, last?.page_key ?? '', BATCH_SIZE],
      });
      return rows;
    });
    for await (const rows of batches) yield rows.map(({ page }): KnownPage => JSON.parse(page));
  }

  async loadVolatility(projectId: string): Promise<LearnedVolatility> {
    const anchors = await this.#pool.query<{ state: string }>({
      name: 'list-anchors',
      text: 'SELECT state FROM anchors WHERE project_id = $1 ORDER BY anchor',
      values: [projectId],
    });
    const templates = await this.#pool.query<{ template: string }>({
      name: 'list-templates',
      text: 'SELECT template FROM templates WHERE project_id = $1 ORDER BY id',
      values: [projectId],
    });
    return {
      anchors: anchors.rows.map(({ state }): AnchorState => JSON.parse(state)),
      templates: templates.rows.map(({ template }): Template => JSON.parse(template)),
    };
  }

  /** Stores readings until the record is built. */
  async insertReadings(
    { run: { runId }, token }: ReadingsClaim,
    rows: readonly { readonly number: number; readonly reading: PageReading }[],
  ): Promise<void> {
    await this.#pool.query({
      name: 'insert-readings',
      text: `
        INSERT INTO readings (run_id, owner, page_key, number, reading)
        SELECT $1, $2, coalesce(r.page_key, ''), r.number, r.reading
        FROM unnest(string_to_array($3, E'\\n'), $4::int[], string_to_array($5, E'\\n')) AS r(page_key, number, reading)
        ON CONFLICT DO NOTHING`,
      values: [
        runId,
        token,
        asLines(rows.map(({ reading }) => reading.pageKey)),
        rows.map(({ number }) => number),
        asLines(rows.map(({ reading }) => JSON.stringify(reading))),
      ],
    });
  }

  async *listReadings({ run: { runId }, token }: ReadingsClaim): AsyncGenerator<readonly PageReading[]> {
    const batches = readAhead<{ page_key: string; number: number; reading: string }>(BATCH_SIZE, async (last) => {
      const { rows } = await this.#pool.query({
        name: 'list-readings',
        text: `
          SELECT page_key, number, reading FROM readings WHERE run_id = $1 AND owner = $2 AND (page_key, number) > ($3, $4)
          ORDER BY page_key, number LIMIT $5`,
        values: [runId, token, last?.page_key ?? '', last?.number ?? 0, BATCH_SIZE],
      });
      return rows;
    });
    for await (const rows of batches) yield rows.map(({ reading }): PageReading => JSON.parse(reading));
  }

  /** Returns whether the run has a reading with this key. */
  async hasReading({ run: { runId }, token }: ReadingsClaim, pageKey: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'has-reading',
      text: 'SELECT FROM readings WHERE run_id = $1 AND owner = $2 AND page_key = $3 LIMIT 1',
      values: [runId, token, pageKey],
    });
    return rowCount === 1;
  }

  async deleteReadings({ run: { runId }, token }: ReadingsClaim): Promise<void> {
    await this.#pool.query({
      name: 'delete-readings',
      text: 'DELETE FROM readings WHERE run_id = $1 AND owner = $2',
      values: [runId, token],
    });
  }
}
