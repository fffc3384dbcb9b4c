import type { DestinationSync } from '@tidemark/api';
import { DestinationServiceService as Rpc, type Sync } from '@tidemark/contracts/export/v1/destinations';
import type { CallContext, Peer } from '@tidemark/service';
import { checkedId } from '../requests/checked-id.ts';

/** Longest time that the response to a scrape waits for its sync, ms. */
const SYNC_WAIT_MS = 10_000;
const GRACE_MS = 2_000;

/** A job that may name a destination. */
interface DestinedJob {
  readonly id: string;
  readonly status: string;
  readonly destinationId?: string | undefined;
  readonly finishedAt?: Date | undefined;
}

const STATUSES = ['running', 'done', 'error', 'cancelled', 'skipped'] as const;

function toDestinationSync({ status, destinationId = '' }: DestinedJob, sync: Sync | undefined): DestinationSync {
  const isOver = status === 'error' || status === 'cancelled';
  return {
    id: sync?.id ?? null,
    destinationId,
    status:
      sync === undefined
        ? isOver
          ? 'cancelled'
          : 'pending'
        : (STATUSES.find((known) => known === sync.status) ?? 'pending'),
    written: sync?.written ?? 0,
    skipped: sync?.skipped ?? 0,
    location: sync?.location || null,
    error: sync?.error?.message ?? null,
  };
}

/** Returns the state of the sync of a job that was created now. */
export const toInitialSync = (destinationId: string | undefined): { readonly destinationSync?: DestinationSync } =>
  destinationId === undefined
    ? {}
    : { destinationSync: toDestinationSync({ id: '', status: 'queued', destinationId }, undefined) };

/** Syncs of scrapes, batches and crawls to the destinations that they name. */
export class JobDestinations {
  readonly #peer: Peer;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Checks a destination before anything is queued. @returns its id @throws AppError not_found, validation (400) if it is paused */
  async check(destination: string | undefined, call: CallContext): Promise<string | undefined> {
    if (destination === undefined) return undefined;
    const id = checkedId('dst', destination, 'destination');
    await this.#peer.call(Rpc.checkDestination, { id }, call);
    return id;
  }

  /** Writes a done scrape, for ten seconds at most. A sync that is not written by then continues. */
  async write(job: DestinedJob, call: CallContext): Promise<{ readonly destinationSync?: DestinationSync }> {
    const { id: jobId, destinationId, status, finishedAt: endedAt } = job;
    if (destinationId === undefined || status !== 'done') return this.read(job, call);
    const request = { destinationId, jobId, endedAt, waitMs: SYNC_WAIT_MS };
    const options = { deadlineMs: SYNC_WAIT_MS + GRACE_MS };
    // The page is captured and charged: a failure here is reported in the sync, which the event of the job queues again.
    const written = await this.#peer.call(Rpc.syncJob, request, call, options).catch(() => undefined);
    return { destinationSync: toDestinationSync(job, written?.sync) };
  }

  /** Returns the state of the sync of a job; nothing if it names no destination. */
  async read(job: DestinedJob, call: CallContext): Promise<{ readonly destinationSync?: DestinationSync }> {
    const { id: jobId, destinationId } = job;
    if (destinationId === undefined) return {};
    const found = await this.#peer.call(Rpc.getJobSync, { destinationId, jobId }, call).catch(() => undefined);
    return { destinationSync: toDestinationSync(job, found?.sync) };
  }
}
