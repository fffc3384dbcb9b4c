import { AppError } from '@tidemark/errors';
import { type Logger, Rounds } from '@tidemark/service';
import type pg from 'pg';

const FORGET_EVERY_MS = 3_600_000;

export interface EarlierRequest {
  readonly jobId: string;
  readonly requestHash: string;
  /** How the first answer left; undefined while it hasn't. */
  readonly answered: 'done' | 'running' | undefined;
}

/** A row of `idempotency_keys`, where there is one. */
export function toEarlier(
  row: { readonly jobId: string; readonly requestHash: string; readonly answered: string | null } | null,
): EarlierRequest | undefined {
  if (row === null) return undefined;
  const { jobId, requestHash, answered } = row;
  return { jobId, requestHash, answered: answered === 'done' || answered === 'running' ? answered : undefined };
}

/** Compares a repeated request with the first one of its key. @throws AppError conflict where the bodies differ */
export function requireSameBody({ requestHash }: Pick<EarlierRequest, 'requestHash'>, repeated: string): void {
  if (requestHash === repeated) return;
  throw new AppError(
    'conflict',
    'this Idempotency-Key was used with another request body in the last 24 hours; send the same body, or a new key',
  );
}

/** The table `idempotency_keys` of a service's own schema: what each key made, and how it was answered first. */
export class IdempotencyKeys {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Notes that the first answer to a job's request leaves while it is running. @returns how the first answer did leave */
  async markAnswered(jobId: string): Promise<'running' | 'done'> {
    const { rows } = await this.#pool.query<{ answered: string }>({
      name: 'mark-answered',
      text: `UPDATE idempotency_keys SET answered = coalesce(answered, 'running') WHERE job_id = $1 RETURNING answered`,
      values: [jobId],
    });
    return rows[0]?.answered === 'done' ? 'done' : 'running';
  }

  /** Forgets keys older than a day, again and again. */
  openForgetting(log: Logger): Rounds {
    const round = () => this.#pool.query(`DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'`);
    return new Rounds({ everyMs: FORGET_EVERY_MS, round, failed: 'old idempotency keys stay a while longer', log });
  }
}
