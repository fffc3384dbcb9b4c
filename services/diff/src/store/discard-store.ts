import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/** Tables that hold something of a project, records last: while one is there, its project's rest is looked for. */
const OF_PROJECT = ['entries', 'reviews', 'known_pages', 'aliases', 'anchors', 'templates', 'records'] as const;

/** Throws away what is kept of runs and projects that are gone. */
export class DiscardStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The records of discarded runs go; what is known of their pages stays with the project. Safe to repeat. */
  async discardRuns(runs: readonly RunDiscarded[]): Promise<void> {
    const ids = runs.map(({ runId }) => runId);
    await inTransaction(this.#pool, async (client) => {
      await client.query({
        name: 'discard-entries',
        text: 'DELETE FROM entries WHERE run_id = ANY($1)',
        values: [ids],
      });
      await client.query({
        name: 'discard-records',
        text: 'DELETE FROM records WHERE run_id = ANY($1)',
        values: [ids],
      });
    });
  }

  /** Nothing stays of deleted projects. Safe to repeat. */
  async discardProjects(projects: readonly ProjectDeleted[]): Promise<void> {
    const ids = projects.map(({ projectId }) => projectId);
    await inTransaction(this.#pool, async (client) => {
      for (const table of OF_PROJECT)
        await client.query({
          name: `discard-project-${table}`,
          text: `DELETE FROM ${table} WHERE project_id = ANY($1)`,
          values: [ids],
        });
    });
  }
}
