import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { EPHEMERAL_HOURS } from '../../domain/run/run.ts';
import { pagesRecorded, writeNextPages, writeRemainingPages } from '../pages/run-page-events.ts';
import { ENDED_COLUMNS, RETURN_ENDED, toFinished } from '../runs/run-finished-event.ts';
import { schema } from '../tables.ts';

interface OfRun {
  readonly id: string;
  readonly workspaceId: string;
}

const mayBeAdopted = ({ id, workspaceId }: Params<OfRun>) => sql`
  id = ${id} AND workspace_id = ${workspaceId} AND project_id IS NULL AND NOT discarding
  AND NOT (cleaned_up AND finished_at < now() - make_interval(hours => ${sql.lit(EPHEMERAL_HOURS)}))`;
const ADOPT = schema.prepareText(
  'adopt-run',
  Object.assign({ cleaned_up: column('bool') }, ENDED_COLUMNS),
  (values: Params<OfRun & { readonly projectId: string }>) => sql`
    UPDATE runs SET project_id = ${values.projectId} WHERE ${mayBeAdopted(values)}
      AND NOT EXISTS (SELECT FROM deleted_projects WHERE id = ${values.projectId})
    RETURNING ${RETURN_ENDED}, cleaned_up`,
);
const MAY_ADOPT = schema.prepareText(
  'may-adopt-run',
  { no: column('int8'), sitemap: column('text'), cleaned_up: column('bool') },
  (run: Params<OfRun>) => sql`SELECT no, sitemap, cleaned_up FROM runs WHERE ${mayBeAdopted(run)}`,
);

/** Pages of an ended run are final; earlier pages are published under another occasion. */
const occasionOf = ({ cleaned_up: cleanedUp }: { readonly cleaned_up: boolean }) => (cleanedUp ? 'final' : 'adopted');

/** Assigns runs without a project to one. */
export class AdoptStore {
  readonly #pool: pg.Pool;
  readonly #sendEvents: (outgoing: readonly OutgoingEvent[]) => void;

  /** `sendEvents` sends events whose rows are committed. */
  constructor(pool: pg.Pool, sendEvents: (outgoing: readonly OutgoingEvent[]) => void) {
    this.#pool = pool;
    this.#sendEvents = sendEvents;
  }

  /**
   * Assigns a run to a project, unless it is expired, and publishes its pages; publishes the end of an ended run in the same transaction.
   * @returns false if there is no such run, it belongs to another project, or it is being discarded
   */
  async adopt(workspaceId: string, id: string, projectId: string): Promise<boolean> {
    const after = await this.#publishBeforeLock(workspaceId, id);
    const { isAdopted, outgoing } = await inTransaction(this.#pool, async (client) => {
      const rows = await ADOPT.rows(client, { id, workspaceId, projectId });
      const outgoing: OutgoingEvent[] = [];
      for (const row of rows) {
        const run = { id, workspaceId, projectId, no: row.no, sitemap: row.sitemap };
        const named = [pagesRecorded(run, 'adopted', []), ...(row.cleaned_up ? toFinished(row) : [])];
        await writeEvents(client, named);
        // With the run locked, no page ends: these and the pages published before are complete.
        outgoing.push(...named, ...(await writeRemainingPages(client, { run, occasion: occasionOf(row), after })));
      }
      return { isAdopted: rows.length > 0, outgoing };
    });
    this.#sendEvents(outgoing);
    return isAdopted;
  }

  /**
   * Publishes pages before the run is locked, as a large run has many. They name no project, so that a consumer does not show them before the
   * run is adopted. @returns the number of the last page that is published
   */
  async #publishBeforeLock(workspaceId: string, id: string): Promise<number> {
    const row = await MAY_ADOPT.row(this.#pool, { id, workspaceId });
    if (row === undefined) return 0;
    const run = { id, workspaceId, projectId: undefined, no: row.no, sitemap: row.sitemap };
    for (let after = 0; ; ) {
      const written = await writeNextPages(this.#pool, { run, occasion: occasionOf(row), after });
      if (written === undefined) return after;
      this.#sendEvents([written.event]);
      after = written.last;
    }
  }
}
