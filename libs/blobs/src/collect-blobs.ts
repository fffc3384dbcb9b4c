import { ATTEMPT_POLICIES, LeasedQueue, unfenced } from '@tidemark/leased-work';
import { column, type Database, type Params, type RowOf, sql } from '@tidemark/sql';
import type { BlobTrash } from './blob-trash.ts';
import { schema } from './tables.ts';

const COLUMNS = {
  sha256: column('text'),
  /** True if the blob is in the trash. */
  inTrash: column('bool'),
  /** Time of the next check, as text with full precision. Also the version of the row, by which concurrent changes are detected. */
  due: column('text'),
};
type Candidate = Readonly<RowOf<typeof COLUMNS>>;

export interface CollectDeps {
  readonly db: Database;
  readonly trash: BlobTrash;
  /** Returns those of the given blobs that a row references. */
  readonly findReferenced: (sha256s: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Time an unreferenced blob stays in the trash, hours. Must exceed the time between a blob's write and the commit of its row. */
  readonly trashHours: number;
}

/** Delay between the loss of a reference and the check, minutes. Most blobs get a new reference by the next capture of the same page. */
const CHECK_DELAY_MINUTES = 60;
const BATCH_SIZE = 200;
const CONCURRENCY = 8;
const RETURNED = sql`sha256, in_trash AS "inTrash", due::text AS due`;

const QUEUE = new LeasedQueue({
  schema,
  name: 'blob-candidates',
  table: 'blob_candidates',
  key: ['sha256'],
  times: { kind: 'shared', at: 'due', whenNull: 'never_due' },
  fence: unfenced('every change compares `due`, which the claim has set'),
  leaseSeconds: 300,
  policy: ATTEMPT_POLICIES['all.blob_candidates'],
  columns: COLUMNS,
  returning: RETURNED,
});

const MARK = schema.prepareText(
  'mark-unreferenced-blobs',
  {},
  ({ sha256s }: Params<{ readonly sha256s: readonly string[] }>) => sql`
    INSERT INTO blob_candidates (sha256, due)
    SELECT s, now() + make_interval(mins => ${sql.lit(CHECK_DELAY_MINUTES)}) FROM unnest(${sha256s}::text[]) AS s
    ON CONFLICT (sha256) DO UPDATE SET in_trash = false, due = excluded.due`,
);

interface NextCheck {
  readonly sha256: string;
  readonly due: string;
  readonly inTrash: boolean;
  readonly seconds: number;
}

const UPDATE = schema.prepareText(
  'update-blob-candidate',
  COLUMNS,
  ({ sha256, due, inTrash, seconds }: Params<NextCheck>) => sql`
    UPDATE blob_candidates SET in_trash = ${inTrash}, due = now() + make_interval(secs => ${seconds})
    WHERE sha256 = ${sha256} AND due = ${due}::timestamptz RETURNING ${RETURNED}`,
);

const DELETE = schema.prepareText(
  'delete-blob-candidate',
  {},
  ({ sha256, due }: Params<Pick<Candidate, 'sha256' | 'due'>>) =>
    sql`DELETE FROM blob_candidates WHERE sha256 = ${sha256} AND due = ${due}::timestamptz`,
);

/**
 * Records blobs that lost a reference as candidates for deletion. Call it in the transaction that deletes the row. A blob that is recorded
 * again starts from the beginning, outside the trash, because it may have been written again since.
 *
 * Needs a table `blob_candidates(sha256 text primary key, in_trash boolean default false, due timestamptz)`, indexed by `due`.
 */
export async function markUnreferenced(db: Database, sha256s: Iterable<string>): Promise<void> {
  const unique = [...new Set(sha256s)].sort();
  if (unique.length === 0) return;
  await MARK.change(db, { sha256s: unique });
}

/**
 * Processes a batch of candidates whose check is due: keeps a referenced blob; moves an unreferenced blob to the trash, or deletes it if
 * its time in the trash is over. An interrupted step is repeated by the next call.
 * @returns the number of candidates processed
 */
export async function collectBlobs(deps: CollectDeps): Promise<number> {
  const candidates = await QUEUE.claim(deps.db, { limit: BATCH_SIZE });
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

/** @returns undefined if the candidate has been recorded again since it was claimed */
const updateCandidate = (db: Database, { sha256, due }: Candidate, inTrash: boolean, seconds: number) =>
  UPDATE.row(db, { sha256, due, inTrash, seconds });

async function deleteCandidate(db: Database, { sha256, due }: Candidate): Promise<void> {
  await DELETE.change(db, { sha256, due });
}
