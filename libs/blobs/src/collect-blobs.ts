import { ATTEMPT_POLICIES, LeasedQueue, unfenced } from '@tidemark/leased-work';
import { column, type Database, type Params, type RowOf, sql } from '@tidemark/sql';
import type { BlobMaintenance, MaintenanceReport } from './blob-maintenance.ts';
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
  const inUse = candidates.filter(({ sha256 }) => referenced.has(sha256));
  const unused = candidates.filter(({ sha256 }) => !referenced.has(sha256));
  await keep(deps, inUse);
  await discard(
    deps,
    unused.filter(({ inTrash }) => !inTrash),
  );
  await purge(
    deps,
    unused.filter(({ inTrash }) => inTrash),
  );
  return candidates.length;
}

/** Runs the background work of a blob store once, and records bodies that a crash left without a row as candidates for deletion. */
export async function maintainBlobs(
  { db, maintenance }: { readonly db: Database; readonly maintenance: BlobMaintenance },
  isOpen: () => boolean,
): Promise<MaintenanceReport> {
  const report = await maintenance.run(isOpen);
  for (let recovered = maintenance.recovered(); recovered.length > 0; recovered = maintenance.recovered()) {
    await markUnreferenced(db, recovered);
    maintenance.acknowledgeRecovered(recovered);
  }
  return report;
}

async function keep({ db, trash }: CollectDeps, inUse: readonly Candidate[]): Promise<void> {
  await trash.restore(namesOf(inUse.filter(({ inTrash }) => inTrash)));
  await eachCandidate(inUse, (one) => deleteCandidate(db, one));
}

async function discard({ db, trash, trashHours }: CollectDeps, unused: readonly Candidate[]): Promise<void> {
  const updated: Candidate[] = [];
  // The rows are updated before the blobs are moved, so that a blob in the trash always has `in_trash` set.
  await eachCandidate(unused, async (one) => {
    const row = await updateCandidate(db, one, true, trashHours * 3600);
    if (row !== undefined) updated.push(row);
  });
  const discarded = await trash.discard(namesOf(updated));
  await eachCandidate(
    updated.filter(({ sha256 }) => !discarded.has(sha256)),
    (one) => deleteCandidate(db, one),
  );
}

async function purge({ db, trash }: CollectDeps, unused: readonly Candidate[]): Promise<void> {
  const purged = await trash.purge(namesOf(unused));
  await eachCandidate(unused, async (one) => {
    if (purged.has(one.sha256)) return deleteCandidate(db, one);
    // A process crashed after it had updated the row and before it had moved the blob, or the blob was stored again: start again.
    await updateCandidate(db, one, false, 0);
  });
}

const namesOf = (candidates: readonly Candidate[]): string[] => candidates.map(({ sha256 }) => sha256);

async function eachCandidate(
  candidates: readonly Candidate[],
  work: (candidate: Candidate) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < candidates.length; from += CONCURRENCY)
    await Promise.all(candidates.slice(from, from + CONCURRENCY).map(work));
}

/** @returns undefined if the candidate has been recorded again since it was claimed */
const updateCandidate = (db: Database, { sha256, due }: Candidate, inTrash: boolean, seconds: number) =>
  UPDATE.row(db, { sha256, due, inTrash, seconds });

async function deleteCandidate(db: Database, { sha256, due }: Candidate): Promise<void> {
  await DELETE.change(db, { sha256, due });
}
