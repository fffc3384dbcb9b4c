import type { Shelf } from './shelf.ts';

interface Candidate {
  readonly sha256: string;
  readonly aside: boolean;
  /** As text: it tells whether the candidate is still the one that was taken. */
  readonly due: string;
}

/** As much of a PostgreSQL pool, or of a connection in a transaction, as is needed here. */
export interface Queries {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

export interface CollectDeps {
  readonly db: Queries;
  readonly shelf: Shelf;
  /** Which of these blobs some row names. */
  readonly named: (sha256s: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Hours a blob nobody names is kept aside. Longer than any row that names it can be on its way. */
  readonly asideHours: number;
}

/** Minutes after its last row a blob is looked at: most come back with the next reading of the same page. */
const SETTLE_MINUTES = 60;
/** A candidate whose collector died is taken by another after this. */
const CLAIM_MINUTES = 5;
const AT_ONCE = 200;
const MOVES_AT_ONCE = 8;

/**
 * Notes blobs that lost a row, in the transaction that takes the row. What is noted again waits again, from its place on: it may
 * have been written anew since.
 *
 * Needs a table `blob_candidates(sha256 text primary key, aside boolean default false, due timestamptz)`, indexed by `due`.
 */
export async function noteUnnamed(db: Queries, sha256s: Iterable<string>): Promise<void> {
  const unique = [...new Set(sha256s)].sort();
  if (unique.length === 0) return;
  await db.query({
    name: 'note-unnamed-blobs',
    text: `
      INSERT INTO blob_candidates (sha256, due) SELECT s, now() + make_interval(mins => $2) FROM unnest($1::text[]) AS s
      ON CONFLICT (sha256) DO UPDATE SET aside = false, due = excluded.due`,
    values: [unique, SETTLE_MINUTES],
  });
}

/**
 * Takes some candidates one step further: what is named again is kept; what nobody names is set aside, and destroyed where it was
 * aside for long enough. Killed at any point, it is done again by the next. @returns how many were looked at
 */
export async function collectBlobs(deps: CollectDeps): Promise<number> {
  const due = await take(deps.db);
  const named = due.length === 0 ? new Set<string>() : await deps.named(due.map(({ sha256 }) => sha256));
  for (let from = 0; from < due.length; from += MOVES_AT_ONCE) {
    await Promise.all(due.slice(from, from + MOVES_AT_ONCE).map((one) => step(deps, one, named.has(one.sha256))));
  }
  return due.length;
}

async function step({ db, shelf, asideHours }: CollectDeps, candidate: Candidate, isNamed: boolean): Promise<void> {
  const { sha256, aside } = candidate;
  if (isNamed) {
    if (aside) await shelf.takeBack(sha256);
    return forget(db, candidate);
  }
  if (!aside) {
    // Noted before it is done: a candidate that isn't marked is in its place.
    const marked = await mark(db, candidate, true, asideHours * 3600);
    if (marked !== undefined && !(await shelf.setAside(sha256))) await forget(db, marked);
    return;
  }
  if (await shelf.destroy(sha256)) return forget(db, candidate);
  // Marked by a process that died before it had set the blob aside.
  await mark(db, candidate, false, 0);
}

async function take(db: Queries): Promise<Candidate[]> {
  const { rows } = await db.query({
    name: 'take-blob-candidates',
    text: `
      UPDATE blob_candidates SET due = now() + make_interval(mins => $1) WHERE sha256 IN (
        SELECT sha256 FROM blob_candidates WHERE due <= now() ORDER BY due LIMIT $2 FOR UPDATE SKIP LOCKED)
      RETURNING sha256, aside, due::text AS due`,
    values: [CLAIM_MINUTES, AT_ONCE],
  });
  return rows.flatMap(asCandidate);
}

/** @returns undefined where a row lost since then made another candidate of it */
async function mark(db: Queries, { sha256, due }: Candidate, aside: boolean, seconds: number) {
  const { rows } = await db.query({
    name: 'mark-blob-candidate',
    text: `
      UPDATE blob_candidates SET aside = $3, due = now() + make_interval(secs => $4)
      WHERE sha256 = $1 AND due = $2::timestamptz RETURNING sha256, aside, due::text AS due`,
    values: [sha256, due, aside, seconds],
  });
  return rows.flatMap(asCandidate)[0];
}

async function forget(db: Queries, { sha256, due }: Candidate): Promise<void> {
  await db.query({
    name: 'forget-blob-candidate',
    text: 'DELETE FROM blob_candidates WHERE sha256 = $1 AND due = $2::timestamptz',
    values: [sha256, due],
  });
}

function asCandidate(row: unknown): Candidate[] {
  if (typeof row !== 'object' || row === null) return [];
  if (!('sha256' in row && 'aside' in row && 'due' in row)) return [];
  const { sha256, aside, due } = row;
  if (typeof sha256 !== 'string' || typeof aside !== 'boolean' || typeof due !== 'string') return [];
  return [{ sha256, aside, due }];
}
