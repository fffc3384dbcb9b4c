import type pg from 'pg';
import type { KnownPage, PageReading } from '../record/page-reading.ts';
import type { AnchorState } from '../volatile/anchor-state.ts';
import type { Template } from '../volatile/templates.ts';
import type { Learned } from '../volatile/volatility.ts';
import { inBatches } from './in-batches.ts';
import { asLines } from './lines.ts';
import type { Claim } from './record-store.ts';

const ROWS_AT_ONCE = 500;

/** What a maker gathers is its claim's alone: another that makes the same record gathers its own. */
export type Gathering = Pick<Claim, 'run' | 'token'>;

/** What is known of a project before a run, and what the run read, in the order of the pages' keys. */
export class KnownStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async *known(projectId: string): AsyncGenerator<readonly KnownPage[]> {
    const batches = inBatches<{ page_key: string; page: string }>(ROWS_AT_ONCE, async (last) => {
      const { rows } = await this.#pool.query({
        name: 'known-pages',
        text: 'SELECT page_key, page FROM known_pages WHERE project_id = $1 AND page_key > $2 ORDER BY page_key LIMIT $3',
        values: [projectId, last?.page_key ?? '', ROWS_AT_ONCE],
      });
      return rows;
    });
    for await (const rows of batches) yield rows.map(({ page }): KnownPage => JSON.parse(page));
  }

  async learned(projectId: string): Promise<Learned> {
    const anchors = await this.#pool.query<{ state: string }>({
      name: 'known-anchors',
      text: 'SELECT state FROM anchors WHERE project_id = $1 ORDER BY anchor',
      values: [projectId],
    });
    const templates = await this.#pool.query<{ template: string }>({
      name: 'known-templates',
      text: 'SELECT template FROM templates WHERE project_id = $1 ORDER BY id',
      values: [projectId],
    });
    return {
      anchors: anchors.rows.map(({ state }): AnchorState => JSON.parse(state)),
      templates: templates.rows.map(({ template }): Template => JSON.parse(template)),
    };
  }

  /** Keeps what a run read, until its record is made. */
  async putReadings(
    { run: { runId }, token }: Gathering,
    rows: readonly { readonly number: number; readonly reading: PageReading }[],
  ): Promise<void> {
    await this.#pool.query({
      name: 'put-readings',
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

  async *readings({ run: { runId }, token }: Gathering): AsyncGenerator<readonly PageReading[]> {
    const batches = inBatches<{ page_key: string; number: number; reading: string }>(ROWS_AT_ONCE, async (last) => {
      const { rows } = await this.#pool.query({
        name: 'read-readings',
        text: `
          SELECT page_key, number, reading FROM readings WHERE run_id = $1 AND owner = $2 AND (page_key, number) > ($3, $4)
          ORDER BY page_key, number LIMIT $5`,
        values: [runId, token, last?.page_key ?? '', last?.number ?? 0, ROWS_AT_ONCE],
      });
      return rows;
    });
    for await (const rows of batches) yield rows.map(({ reading }): PageReading => JSON.parse(reading));
  }

  /** Whether a page of this key is among what a run read. */
  async hasReading({ run: { runId }, token }: Gathering, pageKey: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'has-reading',
      text: 'SELECT FROM readings WHERE run_id = $1 AND owner = $2 AND page_key = $3 LIMIT 1',
      values: [runId, token, pageKey],
    });
    return rowCount === 1;
  }

  async dropReadings({ run: { runId }, token }: Gathering): Promise<void> {
    await this.#pool.query({
      name: 'drop-readings',
      text: 'DELETE FROM readings WHERE run_id = $1 AND owner = $2',
      values: [runId, token],
    });
  }
}
