import { inTransaction, type Outgoing, writeFacts } from '@tidemark/service';
import type pg from 'pg';
import { EPHEMERAL_HOURS } from '../domain/run.ts';
import { ENDED_COLUMNS, type EndedRow, toFinished } from './finished-facts.ts';

/** Gives runs without a project to one. */
export class AdoptStore {
  readonly #pool: pg.Pool;
  readonly #tell: (facts: readonly Outgoing[]) => void;

  /** `tell` sends facts whose rows are committed. */
  constructor(pool: pg.Pool, tell: (facts: readonly Outgoing[]) => void) {
    this.#pool = pool;
    this.#tell = tell;
  }

  /**
   * Makes a run a project's, unless its day is over. One that has ended is told of in the same transaction: it was nobody's until now.
   * @returns false where there is no such run, it is another project's, or it is being thrown away
   */
  async adopt(workspaceId: string, id: string, projectId: string): Promise<boolean> {
    const { isAdopted, told } = await inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<EndedRow & { readonly tidied: boolean }>({
        name: 'adopt-run',
        text: `
          UPDATE runs SET project_id = $3
          WHERE id = $1 AND workspace_id = $2 AND project_id IS NULL AND NOT discarding
            AND NOT (tidied AND finished_at < now() - make_interval(hours => ${EPHEMERAL_HOURS}))
            AND NOT EXISTS (SELECT FROM deleted_projects WHERE id = $3)
          RETURNING ${ENDED_COLUMNS}, tidied`,
        values: [id, workspaceId, projectId],
      });
      const finished = rows.filter(({ tidied }) => tidied).flatMap(toFinished);
      await writeFacts(client, finished);
      return { isAdopted: rows.length > 0, told: finished };
    });
    this.#tell(told);
    return isAdopted;
  }
}
