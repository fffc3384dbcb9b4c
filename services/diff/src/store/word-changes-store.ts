import { anyOf, changeRows, selectRows } from '@tidemark/sql';
import type pg from 'pg';
import type { CapturePair } from '../domain/capture-pair.ts';
import { tables } from './tables.ts';

/** Number of words that differ between two captures of a page. */
export interface WordChanges {
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
}

/** Stores how many words differ between two captures. Captures do not change, so a stored count stays right. */
export class WordChangesStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the stored counts of pairs, in their order. */
  async find(projectId: string, pairs: readonly CapturePair[]): Promise<(WordChanges | undefined)[]> {
    if (pairs.length === 0) return [];
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('word_changes')
        .select(['before_page_id', 'after_page_id', 'words_added', 'words_removed'])
        .where('project_id', '=', projectId)
        .where('after_page_id', '=', anyOf(pairs.map(({ afterPageId }) => afterPageId))),
    );
    const byPair = new Map(rows.map((row) => [`${row.before_page_id} ${row.after_page_id}`, row]));
    return pairs.map(({ beforePageId, afterPageId }) => {
      const row = byPair.get(`${beforePageId} ${afterPageId}`);
      return row && { wordsAdded: row.words_added, wordsRemoved: row.words_removed };
    });
  }

  /** Stores the counts of pairs. Safe to repeat. */
  async store(
    { projectId, workspaceId }: { readonly projectId: string; readonly workspaceId: string },
    counted: readonly { readonly pair: CapturePair; readonly changes: WordChanges }[],
  ): Promise<void> {
    if (counted.length === 0) return;
    const rows = counted.map(({ pair, changes }) => ({
      project_id: projectId,
      workspace_id: workspaceId,
      run_id: pair.afterRunId,
      before_page_id: pair.beforePageId,
      after_page_id: pair.afterPageId,
      words_added: changes.wordsAdded,
      words_removed: changes.wordsRemoved,
    }));
    await changeRows(
      this.#pool,
      tables
        .insertInto('word_changes')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing()),
    );
  }
}
