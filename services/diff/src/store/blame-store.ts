import { changeRows, selectRow } from '@tidemark/sql';
import type pg from 'pg';
import { tables } from './tables.ts';

/** Identifies the history of the texts of a page in one language. */
export interface BlameKey {
  readonly projectId: string;
  readonly urlKey: Buffer;
  /** Empty: unknown. */
  readonly language: string;
}

/** A version that was followed. */
export interface FollowedVersion {
  /** First time its text was seen, ms. */
  readonly sinceMs: number;
  /** It was not read as text, so it is left out. */
  readonly isSkipped?: true;
}

export interface StoredBlame {
  /** Oldest first: its number is its index. */
  readonly versions: readonly FollowedVersion[];
  /** The first version is the first reading of the page, rather than the oldest that was stored. */
  readonly isFromStart: boolean;
  /** Encoded by `encodeState`. */
  readonly state: Uint8Array;
}

/** Stores the histories of texts that were computed. They can be computed again while their versions are stored. */
export class BlameStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async find({ projectId, urlKey, language }: BlameKey): Promise<StoredBlame | undefined> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('page_blames')
        .select(['versions', 'is_from_start', 'state'])
        .where('project_id', '=', projectId)
        .where('url_key', '=', urlKey)
        .where('language', '=', language),
    );
    return row && { versions: JSON.parse(row.versions), isFromStart: row.is_from_start, state: row.state };
  }

  /** Replaces the history of a page. */
  async store({ projectId, urlKey, language }: BlameKey, blame: StoredBlame): Promise<void> {
    const values = {
      versions: JSON.stringify(blame.versions),
      is_from_start: blame.isFromStart,
      state: Buffer.from(blame.state),
    };
    await changeRows(
      this.#pool,
      tables
        .insertInto('page_blames')
        .values({ project_id: projectId, url_key: urlKey, language, ...values })
        .onConflict((conflict) => conflict.columns(['project_id', 'url_key', 'language']).doUpdateSet(values)),
    );
  }
}
