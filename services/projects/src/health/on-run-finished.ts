import { events, stopFromWire } from '@tidemark/contracts';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { inTransaction, type OutgoingEvent, outgoingEvent, type ReceivedEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { healthAfter, healthChange, healthReason } from '../domain/health.ts';
import { HEALTHS, type Health, type LastRun } from '../domain/project.ts';
import type { SavedLogins } from '../logins/saved-logins.ts';

/** Trigger of runs over single pages, which do not show the state of the site. */
const RECRAWL = 'recrawl';

type ShownHealth = Exclude<Health, 'never'>;

const toLastRun = ({ runId, status, stop, error, finishedAt, pages, counts, creditsUsed }: RunFinished): LastRun => ({
  id: runId,
  status,
  stop: stopFromWire(stop),
  error,
  finishedAt: finishedAt ?? new Date(0),
  pages,
  counts,
  creditsUsed,
});

interface OnRunFinishedDeps {
  readonly pool: pg.Pool;
  readonly logins: Pick<SavedLogins, 'hasRunLogin'>;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
}

/**
 * Handles event.run.finished: stores the last run of the project and the health of its site, and publishes a change of health in the same
 * transaction. Idempotent, in any order of events: an older run than the stored one changes nothing.
 */
export type OnRunFinished = (batch: readonly ReceivedEvent<RunFinished>[]) => Promise<void>;

export function makeOnRunFinished({ pool, logins, send }: OnRunFinishedDeps): OnRunFinished {
  return async (batch) => {
    for (const { event: finished } of batch) {
      if (finished.trigger === RECRAWL) continue;
      const run = toLastRun(finished);
      const health = await shownHealth(logins, finished, run);
      const event = await inTransaction(pool, async (client) => {
        await storeLastRun(client, finished, run);
        return health === undefined ? undefined : storeHealth(client, finished, { run, health });
      });
      if (event !== undefined) send([event]);
    }
  };
}

/** The deletion of a login stops its runs with login_dead; such a run shows nothing about the site. @throws AppError unavailable */
async function shownHealth(
  logins: OnRunFinishedDeps['logins'],
  { workspaceId }: RunFinished,
  run: LastRun,
): Promise<ShownHealth | undefined> {
  const health = healthAfter(run);
  if (run.stop !== 'login_dead' || health === undefined) return health;
  return (await logins.hasRunLogin(workspaceId, run.id)) ? health : undefined;
}

async function storeLastRun(
  client: pg.PoolClient,
  { projectId, workspaceId }: RunFinished,
  run: LastRun,
): Promise<void> {
  await client.query({
    name: 'store-last-run',
    text: `
      UPDATE projects SET last_run = $3, last_run_at = $4
      WHERE id = $1 AND workspace_id = $2 AND (last_run_at IS NULL OR last_run_at <= $4)`,
    values: [projectId, workspaceId, JSON.stringify(run), run.finishedAt],
  });
}

/** @returns the event of a change, to be sent after the commit */
async function storeHealth(
  client: pg.PoolClient,
  { projectId, workspaceId }: RunFinished,
  { run, health }: { readonly run: LastRun; readonly health: ShownHealth },
): Promise<OutgoingEvent | undefined> {
  const { rows } = await client.query<{ health: string }>({
    name: 'lock-health',
    text: `
      SELECT health FROM projects
      WHERE id = $1 AND workspace_id = $2 AND (health_run_at IS NULL OR (health_run_at, health_run_id) < ($3, $4)) FOR NO KEY UPDATE`,
    values: [projectId, workspaceId, run.finishedAt, run.id],
  });
  const before: Health | undefined = HEALTHS.find((one) => one === rows[0]?.health);
  // The project was deleted, or the health of a later run is stored.
  if (before === undefined) return undefined;
  await client.query({
    name: 'store-health',
    text: `
      UPDATE projects SET health = $2, health_run_at = $3, health_run_id = $4,
        health_since = CASE WHEN $5::boolean THEN $3 ELSE health_since END
      WHERE id = $1`,
    values: [projectId, health, run.finishedAt, run.id, before !== health],
  });
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
