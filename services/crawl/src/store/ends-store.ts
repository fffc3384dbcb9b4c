import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { givenUpAfter, silentAfter } from '../domain/host-answers.ts';
import type { NewPage } from '../domain/run.ts';
import { mostKnown } from '../domain/run.ts';
import type { Trap } from '../domain/traps.ts';
import { writeNews } from './growth-news.ts';
import { WRITE_GROWTH } from './growth-statement.ts';
import { pagesEnded } from './run-page-events.ts';
import { Verdicts } from './run-record.ts';

/** A page of which a fact told, as its frontier knows it. */
export interface OpenPage {
  readonly captureId: string;
  readonly key: Buffer;
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly foundVia: string;
  /** Where its run is at home besides its seed's host, as of now: another process may have found that out. */
  readonly home: string | undefined;
}

/** How a page ended. */
export interface PageEnd {
  readonly captureId: string;
  readonly key: Buffer;
  readonly host: string;
  readonly isHostGivenUp: boolean;
  /** Nobody is signed in any more, though somebody was to be. */
  readonly isLoginDead: boolean;
  readonly verdict: string;
  readonly errorCode: string;
  readonly httpStatus: number;
  readonly credits: number;
  readonly links: Buffer;
  /** Other addresses it was found to be: redirected through, and where it landed. The last is where it landed. */
  readonly aliases: readonly { readonly key: Buffer; readonly url: string; readonly host: string }[];
}

/** What the run's row says, locked. */
export interface LockedRun {
  readonly no: string;
  readonly last_number: number;
  readonly max_pages: number;
  readonly known: number;
  readonly silent: number;
  readonly given_up: readonly string[];
  readonly verdicts: unknown;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly sitemap: string;
}

/** What holds while the run is locked: which captures are still open, and what became of addresses, by key in hex. */
export interface Now {
  readonly open: ReadonlySet<string>;
  readonly landed: ReadonlyMap<string, string>;
  /** Addresses the frontier has room for. */
  readonly room: number;
}

/** What is written of a batch of ended pages. */
export interface Growth {
  readonly ends: readonly (PageEnd & { readonly isSame: boolean })[];
  readonly aliases: readonly {
    readonly key: Buffer;
    readonly url: string;
    readonly host: string;
    readonly of: Buffer;
    readonly depth: number;
  }[];
  readonly found: readonly NewPage[];
  readonly traps: readonly Trap[] | undefined;
  /** Of them, those this process has not told of. */
  readonly newTraps: readonly Trap[];
  readonly home: string | undefined;
}

/** Writes what pages brought: their ends, and the addresses they named. Any process does so for any run; the run's row is locked. */
export class EndsStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The pages behind these captures that have not ended. */
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
   * Locks the run, lets `decide` say what to write, and writes it.
   * @returns the keys of the addresses that were new, and the events that were written; undefined where the run has ended
   */
  async write(
    runId: string,
    asked: { readonly captureIds: readonly string[]; readonly landedKeys: readonly Buffer[] },
    decide: (now: Now) => Growth,
    charge: (growth: Growth) => readonly OutgoingEvent[],
  ): Promise<{ readonly fresh: readonly Buffer[]; readonly events: readonly OutgoingEvent[] } | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const run = await lockRun(client, runId);
      if (run === undefined) return undefined;
      const growth = decide(await lookUnderLock(client, run, asked));
      const fresh = await writeGrowth(client, runId, run, growth);
      await writeNews(client, run, growth);
      const events = [...charge(growth), ...(await pagesEnded(client, runId, run))];
      await writeEvents(client, events);
      return { fresh, events };
    });
  }

  /** Leaves out pages that came home after their run was called off. @returns those that had not ended before */
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

  /** Tells charges that belong to no growth: what was set aside for pages that were left out. */
  async tell(charges: readonly OutgoingEvent[]): Promise<void> {
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

async function lookUnderLock(
  client: pg.PoolClient,
  run: LockedRun,
  asked: { readonly captureIds: readonly string[]; readonly landedKeys: readonly Buffer[] },
): Promise<Now> {
  const { rows } = await client.query<{ capture_id: string | null; url_key: Buffer | null; status: string }>({
    name: 'look-under-lock',
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
    values: [run.no, asked.captureIds, asked.landedKeys],
  });
  return {
    room: Math.max(0, mostKnown(run.max_pages) - run.known),
    open: new Set(rows.flatMap((row) => (row.capture_id === null ? [] : [row.capture_id]))),
    landed: new Map(rows.flatMap((row) => (row.url_key === null ? [] : [[row.url_key.toString('hex'), row.status]]))),
  };
}

async function writeGrowth(
  client: pg.PoolClient,
  runId: string,
  run: LockedRun,
  { ends, aliases, found, traps, home }: Growth,
): Promise<Buffer[]> {
  const verdicts: Record<string, number> = { ...Verdicts.parse(run.verdicts) };
  for (const end of ends) if (!end.isSame) verdicts[end.verdict] = (verdicts[end.verdict] ?? 0) + 1;
  const { rows } = await client.query<{ url_key: Buffer }>({
    name: 'write-growth',
    text: WRITE_GROWTH,
    values: [
      run.no,
      run.last_number,
      ends.map(({ captureId }) => captureId),
      ends.map(({ verdict }) => verdict),
      ends.map(({ httpStatus }) => httpStatus),
      ends.map(({ errorCode }) => errorCode),
      // An address that turned out to be another page's is no page of its own, and costs nothing.
      ends.map(({ credits, isSame }) => (isSame ? 0 : credits)),
      ends.map(({ links }) => links),
      ends.map((end) => end.aliases.at(-1)?.key ?? null),
      ends.map(({ isSame }) => isSame),
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
      silentAfter(run.silent, ends),
      givenUpAfter(run.given_up, ends),
    ],
  });
  return rows.map((row) => row.url_key);
}
