import type { Sync } from '@tidemark/sdk';

const STATUSES: readonly Sync['status'][] = ['queued', 'running', 'done', 'error', 'cancelled', 'skipped'];

export const isUnderWay = ({ status }: Pick<Sync, 'status'>): boolean => status === 'queued' || status === 'running';

/** Returns the sync of a list, newest first, whose events are followed: the one that runs, or else the one that runs next. */
export function followedSync(syncs: readonly Sync[]): Sync | undefined {
  const running = syncs.find(({ status }) => status === 'running');
  // A failed attempt is repeated after minutes or hours.
  return running ?? syncs.findLast(({ status, nextAttemptAt }) => status === 'queued' && nextAttemptAt === null);
}

/** The parts of an event that are used. */
export type SyncProgress = Pick<Sync, 'status' | 'rows' | 'attempts'>;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Returns the progress in the data of an event; undefined: it has none. */
export function syncProgressOf(data: unknown): SyncProgress | undefined {
  if (!isRecord(data) || !isRecord(data['rows'])) return undefined;
  const status = STATUSES.find((known) => known === data['status']);
  if (status === undefined) return undefined;
  const { read, written, unchanged, deleted, skipped } = data['rows'];
  const changes = { written: countOf(written), unchanged: countOf(unchanged), deleted: countOf(deleted) };
  const rows = { read: countOf(read), ...changes, skipped: countOf(skipped) };
  return { status, rows, attempts: countOf(data['attempts']) };
}

/** Returns a list of syncs in which one has the progress of an event. */
export const withProgress = (syncs: readonly Sync[], id: string, progress: SyncProgress): Sync[] =>
  syncs.map((sync) => (sync.id === id ? { ...sync, ...progress } : sync));
