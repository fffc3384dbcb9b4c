import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { KnownPage, PageReading } from '../domain/page-reading.ts';
import type { AnchorState } from '../volatility/anchor-state.ts';
import type { Template } from '../volatility/templates.ts';
import type { LearnedVolatility } from '../volatility/volatility-model.ts';
import { asLines } from './lines.ts';
import { readAhead } from './read-ahead.ts';
import type { RecordClaim } from './record-store.ts';
import { schema, tables } from './tables.ts';

const BATCH_SIZE = 500;

/** Readings are stored per claim, so that concurrent builders of one record have separate rows. */
export type ReadingsClaim = Pick<RecordClaim, 'run' | 'token'>;

const LIST_KNOWN_PAGES = schema.prepare(
  'list-known-pages',
  ({ projectId, after }: Params<{ readonly projectId: string; readonly after: string }>) =>
    tables
      .selectFrom('known_pages')
      .select(['page_key', 'page'])
      .where('project_id', '=', projectId)
      .where('page_key', '>', after)
      .orderBy('page_key')
      .limit(sql.lit(BATCH_SIZE)),
);

type ProjectValues = Params<{ readonly projectId: string }>;

const LIST_ANCHORS = schema.prepare('list-anchors', ({ projectId }: ProjectValues) =>
  tables.selectFrom('anchors').select('state').where('project_id', '=', projectId).orderBy('anchor'),
);

const LIST_TEMPLATES = schema.prepare('list-templates', ({ projectId }: ProjectValues) =>
  tables.selectFrom('templates').select('template').where('project_id', '=', projectId).orderBy('id'),
);

interface ClaimValues {
  readonly runId: string;
  /** Token of the claim. */
  readonly owner: string;
}

interface ReadingsValues extends ClaimValues {
  /** Keys and readings as lines. */
  readonly pageKeys: string;
  readonly numbers: readonly number[];
  readonly readings: string;
}

const INSERT_READINGS = schema.prepareText(
  'insert-readings',
  {},
  ({ runId, owner, pageKeys, numbers, readings }: Params<ReadingsValues>) => sql`
    INSERT INTO readings (run_id, owner, page_key, number, reading)
    SELECT ${runId}, ${owner}, coalesce(r.page_key, ''), r.number, r.reading
    FROM unnest(string_to_array(${pageKeys}, E'\\n'), ${numbers}::int[], string_to_array(${readings}, E'\\n')) AS r(page_key, number, reading)
    ON CONFLICT DO NOTHING`,
);

interface NextReadings extends ClaimValues {
  readonly pageKey: string;
  readonly number: number;
}

const LIST_READINGS = schema.prepare('list-readings', ({ runId, owner, pageKey, number }: Params<NextReadings>) =>
  tables
    .selectFrom('readings')
    .select(['page_key', 'number', 'reading'])
    .where('run_id', '=', runId)
    .where('owner', '=', owner)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('page_key', 'number'), '>', tuple(pageKey, number)))
    .orderBy('page_key')
    .orderBy('number')
    .limit(sql.lit(BATCH_SIZE)),
);

const HAS_READING = schema.prepare(
  'has-reading',
  ({ runId, owner, pageKey }: Params<ClaimValues & { readonly pageKey: string }>) =>
    tables
      .selectFrom('readings')
      .select('number')
      .where('run_id', '=', runId)
      .where('owner', '=', owner)
      .where('page_key', '=', pageKey)
      .limit(sql.lit(1)),
);

const DELETE_READINGS = schema.prepare('delete-readings', ({ runId, owner }: Params<ClaimValues>) =>
  tables.deleteFrom('readings').where('run_id', '=', runId).where('owner', '=', owner),
);

/** Known pages of a project and collected readings of a run, both in key order. */
export class KnownPageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async *listKnownPages(projectId: string): AsyncGenerator<readonly KnownPage[]> {
    const batches = readAhead<{ page_key: string; page: string }>(BATCH_SIZE, (last) =>
      LIST_KNOWN_PAGES.rows(this.#pool, { projectId, after: last?.page_key ?? '' }),
    );
    for await (const rows of batches) yield rows.map(({ page }): KnownPage => JSON.parse(page));
  }

  async loadVolatility(projectId: string): Promise<LearnedVolatility> {
    const anchors = await LIST_ANCHORS.rows(this.#pool, { projectId });
    const templates = await LIST_TEMPLATES.rows(this.#pool, { projectId });
    return {
      anchors: anchors.map(({ state }): AnchorState => JSON.parse(state)),
      templates: templates.map(({ template }): Template => JSON.parse(template)),
    };
  }

  /** Stores readings until the record is built. */
  async insertReadings(
    { run: { runId }, token }: ReadingsClaim,
    rows: readonly { readonly number: number; readonly reading: PageReading }[],
  ): Promise<void> {
    await INSERT_READINGS.change(this.#pool, {
      runId,
      owner: token,
      pageKeys: asLines(rows.map(({ reading }) => reading.pageKey)),
      numbers: rows.map(({ number }) => number),
      readings: asLines(rows.map(({ reading }) => JSON.stringify(reading))),
    });
  }

  async *listReadings({ run: { runId }, token }: ReadingsClaim): AsyncGenerator<readonly PageReading[]> {
    const batches = readAhead<{ page_key: string; number: number; reading: string }>(BATCH_SIZE, (last) =>
      LIST_READINGS.rows(this.#pool, {
        runId,
        owner: token,
        pageKey: last?.page_key ?? '',
        number: last?.number ?? 0,
      }),
    );
    for await (const rows of batches) yield rows.map(({ reading }): PageReading => JSON.parse(reading));
  }

  /** Returns whether the run has a reading with this key. */
  async hasReading({ run: { runId }, token }: ReadingsClaim, pageKey: string): Promise<boolean> {
    return (await HAS_READING.row(this.#pool, { runId, owner: token, pageKey })) !== undefined;
  }

  async deleteReadings({ run: { runId }, token }: ReadingsClaim): Promise<void> {
    await DELETE_READINGS.change(this.#pool, { runId, owner: token });
  }
}
