import type { Caller } from '@tidemark/contracts';
import type pg from 'pg';
import { pageKey } from '../domain/page-key.ts';
import type { IgnoredBlock } from '../records/entries/ignored-block.ts';

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

interface IgnoredBlockRow {
  readonly run_id: string;
  readonly position: number;
  readonly block: string;
}

/** Read access to the ignored changes of records. */
export class IgnoredBlockStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Lists the ignored changes of one record in order. */
  async list({ workspaceId }: Caller, query: IgnoredBlockQuery): Promise<IgnoredBlockView[]> {
    const { projectId, runId, url, after, limit } = query;
    const ofPage = url === undefined ? '' : 'AND page = $6';
    const { rows } = await this.#pool.query<IgnoredBlockRow>({
      name: url === undefined ? 'list-ignored-blocks' : 'list-ignored-blocks-of-page',
      text: `
        SELECT run_id, position, block FROM ignored_blocks
        WHERE run_id = $3 AND workspace_id = $1 AND project_id = $2 AND position > $4 ${ofPage}
        ORDER BY position LIMIT $5`,
      values: [workspaceId, projectId, runId, after, limit, ...(url === undefined ? [] : [pageKey(url)])],
    });
    return rows.map(toView);
  }

  async find({ workspaceId }: Caller, projectId: string, id: string): Promise<IgnoredBlockView | undefined> {
    const { rows } = await this.#pool.query<IgnoredBlockRow>({
      name: 'find-ignored-block',
      text: 'SELECT run_id, position, block FROM ignored_blocks WHERE id = $3 AND workspace_id = $1 AND project_id = $2',
      values: [workspaceId, projectId, id],
    });
    const [row] = rows;
    return row === undefined ? undefined : toView(row);
  }
}

const toView = ({ run_id: runId, position, block }: IgnoredBlockRow): IgnoredBlockView => ({
  block: JSON.parse(block),
  runId,
  position,
});
