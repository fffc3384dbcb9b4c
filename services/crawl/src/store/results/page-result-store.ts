import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { givenUpAfter, silentAfter } from '../../domain/run/host-responses.ts';
import { SAMPLE_PAGES } from '../../domain/run/repeated-blocks.ts';
import { maxKnown } from '../../domain/run/run.ts';
import { pagesEnded } from '../pages/run-page-events.ts';
import { Verdicts } from '../runs/run-record.ts';
import type { LockedRun, LockedState, OpenPage, ResultBatch } from './page-results.ts';
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
   * Locks the run and writes the batch that `decide` returns.
   * @returns the keys of the addresses that were new, and the events that were written; undefined if the run has ended
   */
  async write(
    runId: string,
    expected: { readonly captureIds: readonly string[]; readonly landedKeys: readonly Buffer[] },
    decide: (now: LockedState) => ResultBatch,
    charge: (batch: ResultBatch) => readonly OutgoingEvent[],
  ): Promise<{ readonly fresh: readonly Buffer[]; readonly events: readonly OutgoingEvent[] } | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const run = await lockRun(client, runId);
      if (run === undefined) return undefined;
      const batch = decide(await readLocked(client, run, expected));
      const fresh = await writeResults(client, runId, run, batch);
      await writeRunNotes(client, run, batch);
      const events = [...charge(batch), ...(await pagesEnded(client, runId, run))];
      await writeEvents(client, events);
      return { fresh, events };
    });
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

async function lockRun(client: pg.PoolClient, runId: string): Promise<LockedRun | undefined> {
  const { rows } = await client.query<LockedRun>({
    name: 'lock-run',
    text: `SELECT no, last_number, max_pages, known, silent, given_up, verdicts, workspace_id, project_id, sitemap FROM runs WHERE id = $1 AND status = 'running' FOR UPDATE`,
    values: [runId],
  });
  return rows[0];
}

async function readLocked(
  client: pg.PoolClient,
  run: LockedRun,
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
    open: new Set(rows.flatMap((row) => (row.capture_id === null ? [] : [row.capture_id]))),
    landed: new Map(rows.flatMap((row) => (row.url_key === null ? [] : [[row.url_key.toString('hex'), row.status]]))),
  };
}

async function writeResults(
  client: pg.PoolClient,
  runId: string,
  run: LockedRun,
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
