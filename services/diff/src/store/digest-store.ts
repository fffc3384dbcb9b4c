import type { Caller } from '@tidemark/contracts';
import { AppError, messageOf } from '@tidemark/errors';
import { ChangeDigestText } from '@tidemark/results';
import type pg from 'pg';

const MAX_BYTES = 16 * 1024;

export interface StoredDigest {
  readonly projectId: string;
  readonly runId: string;
  readonly digest: ChangeDigestText;
}

/** Parses a digest from its wire form. @throws AppError validation, too_large */
export function parseDigest(json: string): ChangeDigestText {
  if (Buffer.byteLength(json) > MAX_BYTES) throw new AppError('too_large', `digest: at most ${MAX_BYTES} bytes`);
  try {
    return ChangeDigestText.parse(JSON.parse(json));
  } catch (cause) {
    throw new AppError('validation', `digest: ${messageOf(cause)}`, { cause });
  }
}

/** Digests of finished records. */
export class DigestStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Idempotent; the last write wins. @returns false if the record does not exist */
  async store({ workspaceId }: Caller, { projectId, runId, digest }: StoredDigest): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'store-digest',
      text: `UPDATE records SET digest = $4 WHERE workspace_id = $1 AND project_id = $2 AND run_id = $3 AND status = 'made'`,
      values: [workspaceId, projectId, runId, JSON.stringify(digest)],
    });
    return rowCount === 1;
  }
}
