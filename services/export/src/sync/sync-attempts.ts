import { onOwnBehalf } from '@tidemark/contracts';
import { afterFailure } from '@tidemark/leased-work';
import { inTransaction, type Logger, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { SyncAttempt } from '../destinations/driver.ts';
import type { Sync, SyncFailure } from '../domain/sync.ts';
import type { SourcePeers } from '../download/peers.ts';
import type { DestinationStore } from '../store/destination-store.ts';
import type { SyncQueue } from '../store/sync-queue.ts';
import { endSync, retrySync, type SyncEnd } from '../store/sync-store.ts';
import { readRunRecord } from './run-record.ts';
import { failureOf, SyncNotReady, toSyncFailure } from './sync-failure.ts';
import type { WriteSync } from './write-sync.ts';

/** Delay before a sync looks again for the record of its run, s. The event of the record makes it due at once. */
const NOT_READY_SECONDS = 10;
const NO_COUNTS = { read: 0, written: 0, unchanged: 0, deleted: 0, skipped: 0, bytes: 0 };
const CANCELLED = { status: 'cancelled', counts: NO_COUNTS, location: '', warnings: [] } as const;

export interface SyncAttemptsDeps {
  readonly pool: pg.Pool;
  readonly queue: SyncQueue;
  readonly destinations: DestinationStore;
  readonly peers: SourcePeers;
  readonly writeSync: WriteSync;
  readonly publish: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Makes attempts at claimed syncs, and stores how they end. */
export class SyncAttempts {
  readonly #deps: SyncAttemptsDeps;

  constructor(deps: SyncAttemptsDeps) {
    this.#deps = deps;
  }

  /** Writes a sync. @returns whether it has ended; false: it will be tried again, or this instance no longer holds it */
  async attempt(sync: Sync, stop: AbortSignal): Promise<boolean> {
    const { queue } = this.#deps;
    const secrets: string[] = [];
    try {
      return await this.#write(sync, stop, secrets);
    } catch (error) {
      if (stop.aborted) throw error;
      if (error instanceof SyncNotReady) {
        await queue.postpone(sync.id, NOT_READY_SECONDS);
        return false;
      }
      return this.#handleFailure(sync, toSyncFailure(error, secrets));
    } finally {
      queue.discardProgress(sync.id);
    }
  }

  /** Ends a sync as failed. @returns false if this instance no longer holds it */
  fail(sync: Sync, failure: SyncFailure): Promise<boolean> {
    const status = failure.code === 'not_found' ? 'cancelled' : 'error';
    return this.#end(sync, { ...CANCELLED, status, failure });
  }

  async #write(sync: Sync, signal: AbortSignal, secrets: string[]): Promise<boolean> {
    const { destinations, peers, queue, now } = this.#deps;
    const destination = await destinations.findForSync(sync.workspaceId, sync.destinationId);
    if (destination === undefined) return false;
    if (destination.status === 'paused' || destination.connectionId === undefined)
      return this.#end(sync, { ...CANCELLED, failure: failureOf('invalid', 'the destination is paused') });
    const context = { peers, call: callFor(sync), signal };
    const isOfRun = sync.sourceKind === 'run' && sync.projectId !== '';
    const record = isOfRun ? await readRunRecord(sync, context, now()) : { isWholeSite: false, warning: undefined };
    const attempt = toAttempt(queue, sync, { signal, parts: await queue.partsOf(sync.id) });
    const onSecrets = (values: readonly string[]): void => void secrets.push(...values);
    const outcome = await this.#deps.writeSync({ sync, destination, record, context, attempt, onSecrets });
    const { status, location, warnings, ...counts } = outcome;
    return this.#end(sync, { status, counts, location, warnings, failure: undefined });
  }

  async #handleFailure(sync: Sync, failure: SyncFailure): Promise<boolean> {
    const { pool, queue, log } = this.#deps;
    const { id, destinationId, attempts } = sync;
    log.warn({ sync: id, destination: destinationId, failure, attempts }, 'sync attempt failed');
    const after = afterFailure(queue.policy, attempts);
    if (failure.code !== 'temporary' || after.next === 'give_up') return this.fail(sync, failure);
    await retrySync(pool, { id, owner: queue.owner }, failure, after.inSeconds);
    return false;
  }

  async #end({ id }: Sync, result: SyncEnd): Promise<boolean> {
    const { pool, queue, publish } = this.#deps;
    const events = await inTransaction(pool, (client) => endSync(client, { id, owner: queue.owner }, result));
    if (events === undefined) return false;
    publish(events);
    return true;
  }
}

const callFor = ({ workspaceId, id }: Sync) => ({
  requestId: id,
  caller: onOwnBehalf('export', workspaceId),
});

function toAttempt(
  queue: SyncQueue,
  { id }: Sync,
  { signal, parts }: Pick<SyncAttempt, 'signal' | 'parts'>,
): SyncAttempt {
  return {
    signal,
    parts,
    async recordPart(part) {
      if (!(await queue.recordPart(id, part))) throw new Error('the sync was cancelled or reassigned');
    },
    reportProgress: (rowsRead) => queue.reportProgress(id, rowsRead),
  };
}
