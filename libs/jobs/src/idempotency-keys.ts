import { AppError } from '@tidemark/errors';
import { type Logger, PeriodicTask } from '@tidemark/service';
import { changeRows, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

const EXPIRY_INTERVAL_MS = 3_600_000;

export interface EarlierRequest {
  readonly jobId: string;
  readonly requestHash: string;
  /** State of the job in the first response; undefined if no response has been sent. */
  readonly firstStatus: 'done' | 'running' | undefined;
}

/** The Idempotency-Key of a request, and the hash of its body. */
export interface Idempotency {
  readonly key: string;
  readonly requestHash: string;
}

/** Reads the key of a request of the wire; undefined: it has none. */
export const toIdempotency = (request: {
  readonly idempotencyKey?: string | undefined;
  readonly requestHash: string;
}): Idempotency | undefined =>
  request.idempotencyKey === undefined ? undefined : { key: request.idempotencyKey, requestHash: request.requestHash };

/** Converts a row of `idempotency_keys`; null: no row. */
export function toEarlierRequest(
  row: { readonly jobId: string; readonly requestHash: string; readonly firstStatus: string | null } | null,
): EarlierRequest | undefined {
  if (row === null) return undefined;
  const { jobId, requestHash, firstStatus } = row;
  return {
    jobId,
    requestHash,
    firstStatus: firstStatus === 'done' || firstStatus === 'running' ? firstStatus : undefined,
  };
}

/** Compares a repeated request with the first one of its key. @throws AppError conflict if the bodies differ */
export function requireSameBody({ requestHash }: Pick<EarlierRequest, 'requestHash'>, repeated: string): void {
  if (requestHash === repeated) return;
  throw new AppError(
    'conflict',
    'this Idempotency-Key was used with another request body in the last 24 hours; send the same body, or a new key',
  );
}

const RECORD = schema.prepare('record-first-response', ({ jobId }: Params<{ readonly jobId: string }>) =>
  tables
    .updateTable('idempotency_keys')
    .set({ first_status: sql`coalesce(first_status, 'running')` })
    .where('job_id', '=', jobId)
    .returning('first_status as firstStatus'),
);

/** The table `idempotency_keys` of a service's schema: the job that each key created and its first response. */
export class IdempotencyKeys {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Records that the first response to a job's request shows it as running. @returns the state that was recorded first */
  async recordFirstResponse(jobId: string): Promise<'running' | 'done'> {
    return (await RECORD.row(this.#pool, { jobId }))?.firstStatus === 'done' ? 'done' : 'running';
  }

  /** Deletes keys older than a day, every hour. */
  openExpiry(log: Logger): PeriodicTask {
    const expired = tables.deleteFrom('idempotency_keys').where('created_at', '<', sql<Date>`now() - interval '1 day'`);
    const round = () => changeRows(this.#pool, expired);
    const failed = 'deletion of expired idempotency keys failed, will retry';
    return new PeriodicTask({ everyMs: EXPIRY_INTERVAL_MS, run: round, failed, log });
  }
}
