import { beginTransaction, type OutgoingEvent, type Transaction, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { givenUpAfter, silentAfter } from '../../domain/run/host-responses.ts';
import { SAMPLE_PAGES } from '../../domain/run/repeated-blocks.ts';
import { maxKnown } from '../../domain/run/run.ts';
import { pagesEnded } from '../pages/run-page-events.ts';
import { Traps, Verdicts } from '../runs/run-record.ts';
import type { LockedRow, LockedRun, LockedState, OpenPage, ResultBatch, WrittenResults } from './page-results.ts';
import { WRITE_RESULTS } from './write-results-statement.ts';
import { writeRunNotes } from './write-run-notes.ts';

/** Writes results of pages and the addresses they link to. Any instance can do so for any run, with the run's row locked. */
export class PageResultStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the pages of these captures that have not ended. */
  async open(runId: string, captureIds: readonly string[]): Promise<OpenPage[]> {
    const { rows } = await this.#pool.query<{
      capture_id: string;
      url_key: Buffer;
      url: string;
      host: string;
      depth: number;
      found_via: string;
      home: string | null;
    }>({
      name: 'open-pages',
      text: `
        SELECT f.capture_id, f.url_key, f.url, f.host, f.depth, f.found_via, r.home
        FROM runs r CROSS JOIN unnest($2::text[]) AS c(id) CROSS JOIN LATERAL (
          SELECT * FROM frontier
          WHERE run_no = r.no AND capture_id = c.id AND number IS NULL AND status IN ('dispatched', 'queued') LIMIT 1) f
        WHERE r.id = $1 AND r.status = 'running'`,
      values: [runId, captureIds],
    });
    return rows.map((row) => ({
      captureId: row.capture_id,
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
    const { rows } = await this.#pool.query<{ capture_id: string }>({
      name: 'leave-out-late-pages',
      text: `
        WITH run AS (SELECT no FROM runs WHERE id = $1 AND status <> 'running' FOR UPDATE)
        UPDATE frontier f SET credits = 0, status = 'left_out' FROM run
        WHERE f.run_no = run.no AND f.capture_id = ANY($2) AND f.number IS NULL AND f.credits IS NULL
        RETURNING f.capture_id`,
      values: [runId, captureIds],
    });
    return rows.map((row) => row.capture_id);
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

async function lockRun(client: pg.PoolClient, runId: string): Promise<LockedRow | undefined> {
  const { rows } = await client.query<LockedRow>({
    name: 'lock-run',
    text: `SELECT no, last_number, max_pages, known, silent, given_up, verdicts, traps, workspace_id, project_id, sitemap FROM runs WHERE id = $1 AND status = 'running' FOR UPDATE`,
    values: [runId],
  });
  return rows[0];
}

async function readLocked(
  client: pg.PoolClient,
  run: LockedRow,
  expected: { readonly captureIds: readonly string[]; readonly landedKeys: readonly Buffer[] },
): Promise<LockedState> {
  const { rows } = await client.query<{ capture_id: string | null; url_key: Buffer | null; status: string }>({
    name: 'read-under-lock',
    text: `
      WITH open AS (
        SELECT f.capture_id, f.status FROM unnest($2::text[]) AS c(id) CROSS JOIN LATERAL (
          SELECT capture_id, status FROM frontier
          WHERE run_no = $1 AND capture_id = c.id AND number IS NULL AND status IN ('dispatched', 'queued') LIMIT 1 FOR UPDATE) f
      )
      SELECT capture_id, NULL::bytea AS url_key, status FROM open
      UNION ALL
      SELECT NULL, f.url_key, f.status FROM unnest($3::bytea[]) AS k(url_key)
      CROSS JOIN LATERAL (SELECT url_key, status FROM frontier WHERE run_no = $1 AND url_key = k.url_key LIMIT 1) f`,
    values: [run.no, expected.captureIds, expected.landedKeys],
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
  const verdicts: Record<string, number> = { ...Verdicts.parse(run.verdicts) };
  for (const end of results) if (!end.isSame) verdicts[end.verdict] = (verdicts[end.verdict] ?? 0) + 1;
  const { rows } = await client.query<{ url_key: Buffer }>({
    name: 'write-page-results',
    text: WRITE_RESULTS,
    values: [
      run.no,
      run.last_number,
      results.map(({ captureId }) => captureId),
      results.map(({ verdict }) => verdict),
      results.map(({ httpStatus }) => httpStatus),
      results.map(({ errorCode }) => errorCode),
      // A duplicate of another page is free.
      results.map(({ credits, isSame }) => (isSame ? 0 : credits)),
      results.map(({ links }) => links),
      results.map((end) => end.aliases.at(-1)?.key ?? null),
      results.map(({ isSame }) => isSame),
      aliases.map(({ key }) => key),
      aliases.map(({ url }) => url),
      aliases.map(({ host }) => host),
      aliases.map(({ of }) => of),
      aliases.map(({ depth }) => depth),
      found.map(({ key }) => key),
      found.map(({ url }) => url),
      found.map(({ host }) => host),
      found.map(({ depth }) => depth),
      found.map(({ rank }) => rank),
      found.map(({ foundVia }) => foundVia),
      found.map(({ referer }) => referer ?? null),
      runId,
      JSON.stringify(verdicts),
      traps === undefined ? null : JSON.stringify(traps),
      home ?? null,
      silentAfter(run.silent, results),
      givenUpAfter(run.given_up, results),
      results.map(({ blockKeys }) => blockKeys),
      SAMPLE_PAGES,
    ],
  });
  return rows.map((row) => row.url_key);
}
