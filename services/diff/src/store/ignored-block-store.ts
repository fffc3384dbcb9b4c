import type { Caller } from '@tidemark/contracts';
import { type RowOfQuery, selectRow, selectRows } from '@tidemark/sql';
import type pg from 'pg';
import { pageKey } from '../domain/page-key.ts';
import type { IgnoredBlock } from '../records/entries/ignored-block.ts';
import { tables } from './tables.ts';

/** An ignored change with its position in the record. */
export interface IgnoredBlockView {
  readonly block: IgnoredBlock;
  readonly runId: string;
  readonly position: number;
}

export interface IgnoredBlockQuery {
  readonly projectId: string;
  readonly runId: string;
  /** Only those of the page with this URL; undefined: of every page. */
  readonly url: string | undefined;
  /** Position of the last one received. */
  readonly after: number;
  readonly limit: number;
}

const IGNORED_BLOCKS = tables.selectFrom('ignored_blocks').select(['run_id', 'position', 'block']);

/** Read access to the ignored changes of records. */
export class IgnoredBlockStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Lists the ignored changes of one record in order. */
  async list(
    { workspaceId }: Caller,
    { projectId, runId, url, after, limit }: IgnoredBlockQuery,
  ): Promise<IgnoredBlockView[]> {
    const query = IGNORED_BLOCKS.where('run_id', '=', runId)
      .where('workspace_id', '=', workspaceId)
      .where('project_id', '=', projectId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(limit);
    const ofPage = url === undefined ? query : query.where('page', '=', pageKey(url));
    return (await selectRows(this.#pool, ofPage)).map(toView);
  }

  async find({ workspaceId }: Caller, projectId: string, id: string): Promise<IgnoredBlockView | undefined> {
    const query = IGNORED_BLOCKS.where('id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .where('project_id', '=', projectId);
    const row = await selectRow(this.#pool, query);
    return row && toView(row);
  }
}

const toView = ({ run_id: runId, position, block }: RowOfQuery<typeof IGNORED_BLOCKS>): IgnoredBlockView => ({
  block: JSON.parse(block),
  runId,
  position,
});
