import type { Caller } from '@tidemark/contracts';
import { AppError, messageOf } from '@tidemark/errors';
import { ChangeDigestText } from '@tidemark/results';
import { changeRows } from '@tidemark/sql';
import type pg from 'pg';
import { stateAfter } from './record-transitions.ts';
import { tables } from './tables.ts';

const MAX_BYTES = 16 * 1024;

/** A text that a message lacks is empty. */
const Stored = ChangeDigestText.refine(({ summary }) => summary !== '', 'expected a summary');

export interface StoredDigest {
  readonly projectId: string;
  readonly runId: string;
  readonly digest: ChangeDigestText;
}

/** Returns the digest of a request if it is within its limits. @throws AppError validation, too_large */
export function checkedDigest(digest: unknown): ChangeDigestText {
  if (Buffer.byteLength(JSON.stringify(digest) ?? '') > MAX_BYTES)
    throw new AppError('too_large', `digest: at most ${MAX_BYTES} bytes`);
  try {
    return Stored.parse(digest);
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
    const changed = await changeRows(
      this.#pool,
      tables
        .updateTable('records')
        .set({ digest: JSON.stringify(digest) })
        .where('workspace_id', '=', workspaceId)
        .where('project_id', '=', projectId)
        .where('run_id', '=', runId)
        .where('status', '=', stateAfter('finish')),
    );
    return changed === 1;
  }
}
