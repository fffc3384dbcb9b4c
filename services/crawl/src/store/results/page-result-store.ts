import { beginTransaction, type OutgoingEvent, type Transaction, writeEvents } from '@tidemark/service';
import { column, nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { givenUpAfter, silentAfter } from '../../domain/run/host-responses.ts';
import { SAMPLE_PAGES } from '../../domain/run/repeated-blocks.ts';
import { maxKnown } from '../../domain/run/run.ts';
import { pagesEnded } from '../pages/run-page-events.ts';
import { MissingValues, Traps, Verdicts } from '../runs/run-record.ts';
import { schema } from '../tables.ts';
import {
  LOCKED_COLUMNS,
  type LockedRow,
  type LockedRun,
  type LockedState,
  type OpenPage,
  type ResultBatch,
  type WrittenResults,
} from './page-results.ts';
import { WRITE_RESULTS } from './write-results-statement.ts';
import { writeRunNotes } from './write-run-notes.ts';

const OPEN = schema.prepareText(
  'open-pages',
  {
    capture_id: nullable('text'),
    url_key: column('bytea'),
    url: column('text'),
    host: column('text'),
    depth: column('int2'),
    found_via: column('text'),
    home: nullable('text'),
  },
  ({ runId, captureIds }: Params<{ readonly runId: string; readonly captureIds: readonly string[] }>) => sql`
    SELECT f.capture_id, f.url_key, f.url, f.host, f.depth, f.found_via, r.home
    FROM runs r CROSS JOIN unnest(${captureIds}::text[]) AS c(id) CROSS JOIN LATERAL (
      SELECT * FROM frontier
      WHERE run_no = r.no AND capture_id = c.id AND number IS NULL AND status IN ('dispatched', 'queued') LIMIT 1) f
    WHERE r.id = ${runId} AND r.status = 'running'`,
);

const LEAVE_OUT_LATE = schema.prepareText(
  'leave-out-late-pages',
  { capture_id: nullable('text') },
  ({ runId, captureIds }: Params<{ readonly runId: string; readonly captureIds: readonly string[] }>) => sql`
    WITH run AS (SELECT no FROM runs WHERE id = ${runId} AND status <> 'running' FOR UPDATE)
    UPDATE frontier f SET credits = 0, status = 'left_out' FROM run
    WHERE f.run_no = run.no AND f.capture_id = ANY(${captureIds}) AND f.number IS NULL AND f.credits IS NULL
    RETURNING f.capture_id`,
);

const READ = schema.prepareText(
  'read-under-lock',
  { capture_id: nullable('text'), url_key: nullable('bytea'), status: column('text') },
  ({
    runNo,
    captureIds,
    landedKeys,
  }: Params<{
    readonly runNo: bigint | string;
    readonly captureIds: readonly string[];
    readonly landedKeys: readonly Buffer[];
  }>) => sql`
  WITH open AS (
    SELECT f.capture_id, f.status FROM unnest(${captureIds}::text[]) AS c(id) CROSS JOIN LATERAL (
      SELECT capture_id, status FROM frontier
      WHERE run_no = ${runNo} AND capture_id = c.id AND number IS NULL AND status IN ('dispatched', 'queued') LIMIT 1 FOR UPDATE) f
  )
  SELECT capture_id, NULL::bytea AS url_key, status FROM open
  UNION ALL
  SELECT NULL, f.url_key, f.status FROM unnest(${landedKeys}::bytea[]) AS k(url_key)
  CROSS JOIN LATERAL (SELECT url_key, status FROM frontier WHERE run_no = ${runNo} AND url_key = k.url_key LIMIT 1) f`,
);

const LOCK = schema.prepareText(
  'lock-run',
  LOCKED_COLUMNS,
  ({ runId }: Params<{ readonly runId: string }>) =>
    sql`SELECT no, last_number, max_pages, known, silent, given_up, verdicts, missing_values, traps, workspace_id, project_id, sitemap FROM runs WHERE id = ${runId} AND status = 'running' FOR UPDATE`,
);

/** Writes results of pages and the URLs they link to. Any instance can do so for any run, with the run's row locked. */
export class PageResultStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the pages of these captures that have not ended. */
  async open(runId: string, captureIds: readonly string[]): Promise<OpenPage[]> {
    const rows = await OPEN.rows(this.#pool, { runId, captureIds });
    return rows.map((row) => ({
      captureId: row.capture_id ?? '',
      key: row.url_key,
      url: row.url,
      host: row.host,
      depth: row.depth,
      foundVia: row.found_via,
      home: row.home ?? undefined,
    }));
  }

  /**
   * Locks a run and reads the state that its results are decided with.
   * @returns undefined if the run has ended; else the run, which the caller disposes
   */
  async lock(
    runId: string,
    expected: { readonly captureIds: readonly string[]; readonly landedKeys: readonly Buffer[] },
  ): Promise<LockedRun | undefined> {
    await using opened = new AsyncDisposableStack();
    const transaction = opened.use(await beginTransaction(this.#pool));
    const row = await lockRun(transaction.client, runId);
    if (row === undefined) return undefined;
    const state = await readLocked(transaction.client, row, expected);
    opened.move();
    return new RunLock(transaction, { runId, row, state });
  }

  /** Leaves out pages whose result arrived after their run was cancelled. @returns those that had not ended before */
  async leaveOutLate(runId: string, captureIds: readonly string[]): Promise<string[]> {
    const rows = await LEAVE_OUT_LATE.rows(this.#pool, { runId, captureIds });
    return rows.flatMap((row) => row.capture_id ?? []);
  }

  /** Writes charges of pages that were left out, which release their leased credits. */
  async writeCharges(charges: readonly OutgoingEvent[]): Promise<void> {
    await writeEvents(this.#pool, charges);
  }
}

class RunLock implements LockedRun {
  readonly #transaction: Transaction;
  readonly #runId: string;
  readonly #row: LockedRow;
  readonly state: LockedState;

  constructor(
    transaction: Transaction,
    { runId, row, state }: { readonly runId: string; readonly row: LockedRow; readonly state: LockedState },
  ) {
    this.#transaction = transaction;
    this.#runId = runId;
    this.#row = row;
    this.state = state;
  }

  async write(batch: ResultBatch, charges: readonly OutgoingEvent[]): Promise<WrittenResults> {
    const { client } = this.#transaction;
    const fresh = await writeResults(client, this.#runId, this.#row, batch);
    await writeRunNotes(client, this.#row, batch);
    const events = [...charges, ...(await pagesEnded(client, this.#runId, this.#row))];
    await writeEvents(client, events);
    await this.#transaction.commit();
    return { fresh, events };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transaction[Symbol.asyncDispose]();
  }
}

function lockRun(client: pg.PoolClient, runId: string): Promise<LockedRow | undefined> {
  return LOCK.row(client, { runId });
}

async function readLocked(
  client: pg.PoolClient,
  run: LockedRow,
  expected: { readonly captureIds: readonly string[]; readonly landedKeys: readonly Buffer[] },
): Promise<LockedState> {
  const rows = await READ.rows(client, {
    runNo: run.no,
    captureIds: expected.captureIds,
    landedKeys: expected.landedKeys,
  });
  return {
    room: Math.max(0, maxKnown(run.max_pages) - run.known),
    traps: Traps.parse(run.traps),
    open: new Set(rows.flatMap((row) => (row.capture_id === null ? [] : [row.capture_id]))),
    landed: new Map(rows.flatMap((row) => (row.url_key === null ? [] : [[row.url_key.toString('hex'), row.status]]))),
  };
}

async function writeResults(
  client: pg.PoolClient,
  runId: string,
  run: LockedRow,
  { results, aliases, found, traps, home }: ResultBatch,
): Promise<Buffer[]> {
  const verdicts = { ...Verdicts.parse(run.verdicts) };
  const missingValues = { ...MissingValues.parse(run.missing_values) };
  for (const end of results) {
    if (end.isSame) continue;
    verdicts[end.verdict] = (verdicts[end.verdict] ?? 0) + 1;
    if (end.missingValues !== undefined) missingValues[end.missingValues] = (missingValues[end.missingValues] ?? 0) + 1;
  }
  const rows = await WRITE_RESULTS.rows(client, {
    runNo: run.no,
    lastNumber: run.last_number,
    captureIds: results.map(({ captureId }) => captureId),
    verdicts: results.map(({ verdict }) => verdict),
    httpStatus: results.map(({ httpStatus }) => httpStatus),
    errorCodes: results.map(({ errorCode }) => errorCode),
    // A duplicate of another page is free.
    credits: results.map(({ credits, isSame }) => (isSame ? 0 : credits)),
    links: results.map(({ links }) => links),
    landedKeys: results.map((end) => end.aliases.at(-1)?.key ?? null),
    isSame: results.map(({ isSame }) => isSame),
    aliasKeys: aliases.map(({ key }) => key),
    aliasUrls: aliases.map(({ url }) => url),
    aliasHosts: aliases.map(({ host }) => host),
    aliasOf: aliases.map(({ of }) => of),
    aliasDepths: aliases.map(({ depth }) => depth),
    foundKeys: found.map(({ key }) => key),
    foundUrls: found.map(({ url }) => url),
    foundHosts: found.map(({ host }) => host),
    foundDepths: found.map(({ depth }) => depth),
    foundRanks: found.map(({ rank }) => rank),
    foundVia: found.map(({ foundVia }) => foundVia),
    foundReferers: found.map(({ referer }) => referer ?? null),
    runId,
    runVerdicts: JSON.stringify(verdicts),
    missingValues: JSON.stringify(missingValues),
    traps: traps === undefined ? null : JSON.stringify(traps),
    home: home ?? null,
    silent: silentAfter(run.silent, results),
    givenUp: givenUpAfter(run.given_up, results),
    blockKeys: results.map(({ blockKeys }) => blockKeys),
    samplePages: SAMPLE_PAGES,
  });
  return rows.map((row) => row.url_key);
}
