import { ChangeDigestText } from '@tidemark/api';
import type { Caller } from '@tidemark/contracts';
import { AppError, messageOf } from '@tidemark/errors';
import type pg from 'pg';

const MAX_BYTES = 16 * 1024;

export interface StoredDigest {
  readonly projectId: string;
  readonly runId: string;
  readonly digest: ChangeDigestText;
}

/** Reads a digest off the wire. @throws AppError validation, too_large */
export function parseDigest(json: string): ChangeDigestText {
  if (Buffer.byteLength(json) > MAX_BYTES) throw new AppError('too_large', `digest: at most ${MAX_BYTES} bytes`);
  try {
    return ChangeDigestText.parse(JSON.parse(json));
  } catch (cause) {
    throw new AppError('validation', `digest: ${messageOf(cause)}`, { cause });
  }
}

/** Digests of records that are made. */
export class DigestStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Safe to repeat: the last one stays. @returns false where there is no such record */
  async store({ workspaceId }: Caller, { projectId, runId, digest }: StoredDigest): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'store-digest',
      text: `UPDATE records SET digest = $4 WHERE workspace_id = $1 AND project_id = $2 AND run_id = $3 AND status = 'made'`,
      values: [workspaceId, projectId, runId, JSON.stringify(digest)],
    });
    return rowCount === 1;
  }
}
