import type { BlobTrash } from './blob-trash.ts';

interface Candidate {
  readonly sha256: string;
  /** True if the blob is in the trash. */
  readonly inTrash: boolean;
  /** Time of the next check, as text with full precision. Also the version of the row, by which concurrent changes are detected. */
  readonly due: string;
}

/** The part of a PostgreSQL pool or client that this module uses. */
export interface Queries {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

export interface CollectDeps {
  readonly db: Queries;
  readonly trash: BlobTrash;
  /** Returns those of the given blobs that a row references. */
  readonly findReferenced: (sha256s: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Time an unreferenced blob stays in the trash, hours. Must exceed the time between a blob's write and the commit of its row. */
  readonly trashHours: number;
}

/** Delay between the loss of a reference and the check, minutes. Most blobs get a new reference by the next capture of the same page. */
const CHECK_DELAY_MINUTES = 60;
/** Claim duration of a candidate, minutes; another instance can then claim it. */
const CLAIM_MINUTES = 5;
const BATCH_SIZE = 200;
const CONCURRENCY = 8;

/**
 * Records blobs that lost a reference as candidates for deletion. Call it in the transaction that deletes the row. A blob that is recorded
 * again starts from the beginning, outside the trash, because it may have been written again since.
 *
 * Needs a table `blob_candidates(sha256 text primary key, in_trash boolean default false, due timestamptz)`, indexed by `due`.
 */
export async function markUnreferenced(db: Queries, sha256s: Iterable<string>): Promise<void> {
  const unique = [...new Set(sha256s)].sort();
  if (unique.length === 0) return;
  await db.query({
    name: 'mark-unreferenced-blobs',
    text: `
      INSERT INTO blob_candidates (sha256, due) SELECT s, now() + make_interval(mins => $2) FROM unnest($1::text[]) AS s
      ON CONFLICT (sha256) DO UPDATE SET in_trash = false, due = excluded.due`,
    values: [unique, CHECK_DELAY_MINUTES],
  });
}

/**
 * Processes a batch of candidates whose check is due: keeps a referenced blob; moves an unreferenced blob to the trash, or deletes it if
 * its time in the trash is over. An interrupted step is repeated by the next call.
 * @returns the number of candidates processed
 */
export async function collectBlobs(deps: CollectDeps): Promise<number> {
  const candidates = await claimDue(deps.db);
  if (candidates.length === 0) return 0;
  const referenced = await deps.findReferenced(candidates.map(({ sha256 }) => sha256));
  for (let from = 0; from < candidates.length; from += CONCURRENCY) {
    const batch = candidates.slice(from, from + CONCURRENCY);
    await Promise.all(batch.map((one) => processCandidate(deps, one, referenced.has(one.sha256))));
  }
  return candidates.length;
}

async function processCandidate(
  { db, trash, trashHours }: CollectDeps,
  candidate: Candidate,
  isReferenced: boolean,
): Promise<void> {
  const { sha256, inTrash } = candidate;
  if (isReferenced) {
    if (inTrash) await trash.restore(sha256);
    return deleteCandidate(db, candidate);
  }
  if (!inTrash) {
    // The row is updated before the blob is moved, so that a blob in the trash always has `in_trash` set.
    const updated = await updateCandidate(db, candidate, true, trashHours * 3600);
    if (updated !== undefined && !(await trash.discard(sha256))) await deleteCandidate(db, updated);
    return;
  }
  if (await trash.purge(sha256)) return deleteCandidate(db, candidate);
  // A process crashed after it had updated the row and before it had moved the blob: start again.
  await updateCandidate(db, candidate, false, 0);
}

async function claimDue(db: Queries): Promise<Candidate[]> {
  const { rows } = await db.query({
    name: 'claim-blob-candidates',
    text: `
      UPDATE blob_candidates SET due = now() + make_interval(mins => $1) WHERE sha256 = ANY (ARRAY(
        SELECT sha256 FROM blob_candidates WHERE due <= now() ORDER BY due LIMIT $2 FOR UPDATE SKIP LOCKED))
      RETURNING sha256, in_trash, due::text AS due`,
    values: [CLAIM_MINUTES, BATCH_SIZE],
  });
  return rows.flatMap(toCandidate);
}

/** @returns undefined if the candidate has been recorded again since it was claimed */
async function updateCandidate(db: Queries, { sha256, due }: Candidate, inTrash: boolean, seconds: number) {
  const { rows } = await db.query({
    name: 'update-blob-candidate',
    text: `
      UPDATE blob_candidates SET in_trash = $3, due = now() + make_interval(secs => $4)
      WHERE sha256 = $1 AND due = $2::timestamptz RETURNING sha256, in_trash, due::text AS due`,
    values: [sha256, due, inTrash, seconds],
  });
  return rows.flatMap(toCandidate)[0];
}

async function deleteCandidate(db: Queries, { sha256, due }: Candidate): Promise<void> {
  await db.query({
    name: 'delete-blob-candidate',
    text: 'DELETE FROM blob_candidates WHERE sha256 = $1 AND due = $2::timestamptz',
    values: [sha256, due],
  });
}

function toCandidate(row: unknown): Candidate[] {
  if (typeof row !== 'object' || row === null) return [];
  if (!('sha256' in row && 'in_trash' in row && 'due' in row)) return [];
  const { sha256, in_trash: inTrash, due } = row;
  if (typeof sha256 !== 'string' || typeof inTrash !== 'boolean' || typeof due !== 'string') return [];
  return [{ sha256, inTrash, due }];
}
