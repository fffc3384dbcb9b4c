import { events } from '@tidemark/contracts';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { inTransaction, type OutgoingEvent, outgoingEvent, type ReceivedEvent, writeEvents } from '@tidemark/service';
import { changeRows, type Database, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import { healthAfter, healthChange, healthReason } from '../domain/health.ts';
import type { Health, LastRun } from '../domain/project.ts';
import type { SavedLogins } from '../logins/saved-logins.ts';
import { tables } from '../store/tables.ts';

/** Trigger of runs over single pages, which do not show the state of the site. */
const RECRAWL = 'recrawl';

type ShownHealth = Exclude<Health, 'never'>;

const toLastRun = ({ runId, status, stop, error, finishedAt, pages, counts, creditsUsed }: RunFinished): LastRun => ({
  id: runId,
  status,
  stop,
  error,
  finishedAt: finishedAt ?? new Date(0),
  pages,
  counts,
  creditsUsed,
});

interface RecordRunEndDeps {
  readonly pool: pg.Pool;
  readonly logins: Pick<SavedLogins, 'hasRunLogin'>;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
}

/**
 * Stores the last run of a project and the health of its site, and publishes a change of health in the same transaction. Idempotent, in
 * any order of runs: an older run than the stored one changes nothing. A recrawl shows nothing about the site.
 */
export type RecordRunEnd = (finished: RunFinished) => Promise<void>;

export function makeRecordRunEnd({ pool, logins, send }: RecordRunEndDeps): RecordRunEnd {
  return async (finished) => {
    if (finished.trigger === RECRAWL) return;
    const run = toLastRun(finished);
    const health = await shownHealth(logins, finished, run);
    const event = await inTransaction(pool, async (client) => {
      await storeLastRun(client, finished, run);
      return health === undefined ? undefined : storeHealth(client, finished, { run, health });
    });
    if (event !== undefined) send([event]);
  };
}

/** Handles event.run.finished. */
export type OnRunFinished = (batch: readonly ReceivedEvent<RunFinished>[]) => Promise<void>;

export function makeOnRunFinished(recordRunEnd: RecordRunEnd): OnRunFinished {
  return async (batch) => {
    for (const { event: finished } of batch) await recordRunEnd(finished);
  };
}

/** The deletion of a login stops its runs with login_dead; such a run shows nothing about the site. @throws AppError unavailable */
async function shownHealth(
  logins: RecordRunEndDeps['logins'],
  { workspaceId }: RunFinished,
  run: LastRun,
): Promise<ShownHealth | undefined> {
  const health = healthAfter(run);
  if (run.stop !== 'login_dead' || health === undefined) return health;
  return (await logins.hasRunLogin(workspaceId, run.id)) ? health : undefined;
}

async function storeLastRun(client: Database, { projectId, workspaceId }: RunFinished, run: LastRun): Promise<void> {
  await changeRows(
    client,
    tables
      .updateTable('projects')
      .set({ last_run: JSON.stringify(run), last_run_at: run.finishedAt })
      .where('id', '=', projectId)
      .where('workspace_id', '=', workspaceId)
      .where((eb) => eb.or([eb('last_run_at', 'is', null), eb('last_run_at', '<=', run.finishedAt)])),
  );
}

/** @returns the event of a change, to be sent after the commit */
async function storeHealth(
  client: pg.PoolClient,
  { projectId, workspaceId }: RunFinished,
  { run, health }: { readonly run: LastRun; readonly health: ShownHealth },
): Promise<OutgoingEvent | undefined> {
  const stored = await selectRow(
    client,
    tables
      .selectFrom('projects')
      .select('health')
      .where('id', '=', projectId)
      .where('workspace_id', '=', workspaceId)
      .where(
        sql<boolean>`(health_run_at IS NULL OR (health_run_at, health_run_id) < (${run.finishedAt}::timestamptz, ${run.id}))`,
      )
      .forNoKeyUpdate(),
  );
  // The project was deleted, or the health of a later run is stored.
  if (stored === undefined) return undefined;
  const before = stored.health;
  await changeRows(
    client,
    tables
      .updateTable('projects')
      .set({ health, health_run_at: run.finishedAt, health_run_id: run.id })
      .$if(before !== health, (changed) => changed.set({ health_since: run.finishedAt }))
      .where('id', '=', projectId),
  );
  const change = healthChange(before, health);
  if (change === undefined) return undefined;
  const event = outgoingEvent(events.siteHealthChanged, `health:${run.id}`, {
    projectId,
    workspaceId,
    runId: run.id,
    health: change,
    why: healthReason(run),
    at: run.finishedAt,
  });
  await writeEvents(client, [event]);
  return event;
}
