import type pg from 'pg';
import type { KnownPage, PageReading } from '../record/page-reading.ts';
import type { AnchorState } from '../volatile/anchor-state.ts';
import type { Template } from '../volatile/templates.ts';
import type { Learned } from '../volatile/volatility.ts';
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
    for (let after = ''; ; ) {
      const { rows } = await this.#pool.query<{ page_key: string; page: string }>({
        name: 'known-pages',
        text: 'SELECT page_key, page FROM known_pages WHERE project_id = $1 AND page_key > $2 ORDER BY page_key LIMIT $3',
        values: [projectId, after, ROWS_AT_ONCE],
      });
      if (rows.length > 0) yield rows.map(({ page }): KnownPage => JSON.parse(page));
      if (rows.length < ROWS_AT_ONCE) return;
      after = rows.at(-1)?.page_key ?? after;
    }
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
        SELECT $1, $2, r.* FROM unnest($3::text[], $4::int[], $5::text[]) AS r ON CONFLICT DO NOTHING`,
      values: [
        runId,
        token,
        rows.map(({ reading }) => reading.pageKey),
        rows.map(({ number }) => number),
        rows.map(({ reading }) => JSON.stringify(reading)),
      ],
    });
  }

  async *readings({ run: { runId }, token }: Gathering): AsyncGenerator<readonly PageReading[]> {
    for (let after = { key: '', number: 0 }; ; ) {
      const { rows } = await this.#pool.query<{ page_key: string; number: number; reading: string }>({
        name: 'read-readings',
        text: `
          SELECT page_key, number, reading FROM readings WHERE run_id = $1 AND owner = $2 AND (page_key, number) > ($3, $4)
          ORDER BY page_key, number LIMIT $5`,
        values: [runId, token, after.key, after.number, ROWS_AT_ONCE],
      });
      if (rows.length > 0) yield rows.map(({ reading }): PageReading => JSON.parse(reading));
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_AT_ONCE) return;
      after = { key: last.page_key, number: last.number };
    }
  }

  async dropReadings({ run: { runId }, token }: Gathering): Promise<void> {
    await this.#pool.query({
      name: 'drop-readings',
      text: 'DELETE FROM readings WHERE run_id = $1 AND owner = $2',
      values: [runId, token],
    });
  }
}
