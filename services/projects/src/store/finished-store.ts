import { facts } from '@tidemark/contracts';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { type Delivered, inTransaction, type Outgoing, outgoing, writeFacts } from '@tidemark/service';
import type pg from 'pg';
import { changeOfHealth, healthAfter, whyHealth } from '../domain/health.ts';
import { HEALTHS, type Health, type LastRun } from '../domain/project.ts';
import type { SavedLogins } from '../logins/saved-logins.ts';

/** A recrawl of single pages says nothing of a site. */
const RECRAWL = 'recrawl';

const toLastRun = ({ runId, status, stop, finishedAt, pages, counts, creditsUsed }: RunFinished): LastRun => ({
  id: runId,
  status,
  stop,
  finishedAt: finishedAt ?? new Date(0),
  pages,
  counts,
  creditsUsed,
});

interface HearFinishedDeps {
  readonly pool: pg.Pool;
  readonly logins: Pick<SavedLogins, 'hasRunLogin'>;
  /** Sends facts whose rows are committed. */
  readonly tell: (facts: readonly Outgoing[]) => void;
}

/**
 * Remembers of each project the run that ended last, and how healthy its site is by the last that says so. Safe to repeat, in any order: an older run than the one heard of changes nothing, and a change of health is told once.
 */
export function makeHearFinished({ pool, logins, tell }: HearFinishedDeps) {
  return async (batch: readonly Delivered<RunFinished>[]): Promise<void> => {
    for (const { fact } of batch) {
      const run = toLastRun(fact);
      if (fact.trigger === RECRAWL) continue;
      const health = await healthShownBy(fact, run, logins);
      const told = await inTransaction(pool, async (client) => {
        await noteLast(client, fact, run);
        return health === undefined ? undefined : noteHealth(client, fact, run, health);
      });
      if (told !== undefined) tell([told]);
    }
  };
}

async function noteLast(client: pg.PoolClient, { projectId, workspaceId }: RunFinished, run: LastRun): Promise<void> {
  await client.query({
    name: 'note-finished',
    text: `
      UPDATE projects SET last_run = $3, last_run_at = $4
      WHERE id = $1 AND workspace_id = $2 AND (last_run_at IS NULL OR last_run_at <= $4)`,
    values: [projectId, workspaceId, JSON.stringify(run), run.finishedAt],
  });
}

/** A login its owner deleted stops its runs with login_dead: their end says nothing of the site. @throws AppError unavailable */
async function healthShownBy(
  { workspaceId }: RunFinished,
  run: LastRun,
  logins: Pick<SavedLogins, 'hasRunLogin'>,
): Promise<Exclude<Health, 'never'> | undefined> {
  const health = healthAfter(run);
  if (run.stop !== 'login_dead' || health === undefined) return health;
  return (await logins.hasRunLogin(workspaceId, run.id)) ? health : undefined;
}

/** @returns the fact of a change, to be sent once this is committed */
async function noteHealth(
  client: pg.PoolClient,
  { projectId, workspaceId }: RunFinished,
  run: LastRun,
  health: Exclude<Health, 'never'>,
): Promise<Outgoing | undefined> {
  const { rows } = await client.query<{ health: string }>({
    name: 'lock-health',
    text: `
      SELECT health FROM projects
      WHERE id = $1 AND workspace_id = $2 AND (health_at IS NULL OR (health_at, health_run) < ($3, $4)) FOR NO KEY UPDATE`,
    values: [projectId, workspaceId, run.finishedAt, run.id],
  });
  const was: Health | undefined = HEALTHS.find((one) => one === rows[0]?.health);
  // Gone, or a later run has shown how it is.
  if (was === undefined) return undefined;
  await client.query({
    name: 'note-health',
    text: `
      UPDATE projects SET health = $2, health_at = $3, health_run = $4, health_since = CASE WHEN $5::boolean THEN $3 ELSE health_since END
      WHERE id = $1`,
    values: [projectId, health, run.finishedAt, run.id, was !== health],
  });
  const change = changeOfHealth(was, health);
  if (change === undefined) return undefined;
  const told = outgoing(facts.siteHealthChanged, `health:${run.id}`, {
    ...{ projectId, workspaceId, runId: run.id, health: change },
    ...{ why: whyHealth(run), at: run.finishedAt },
  });
  await writeFacts(client, [told]);
  return told;
}
