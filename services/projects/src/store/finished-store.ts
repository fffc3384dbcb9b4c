import { facts } from '@tidemark/contracts';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { type Delivered, inTransaction, type Outgoing, outgoing, writeFacts } from '@tidemark/service';
import type pg from 'pg';
import { changeOfHealth, healthAfter, whyHealth } from '../domain/health.ts';
import { findingOfRun } from '../domain/login.ts';
import { HEALTHS, type Health, type LastRun } from '../domain/project.ts';

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
  /** Sends facts whose rows are committed. */
  readonly tell: (facts: readonly Outgoing[]) => void;
}

/**
 * Remembers of each project the run that ended last, how healthy its site is by the last that says so, and how good the session of its
 * login. Safe to repeat, in any order: an older run than the one heard of changes nothing, and a change of health is told once.
 */
export function makeHearFinished({ pool, tell }: HearFinishedDeps) {
  return async (batch: readonly Delivered<RunFinished>[]): Promise<void> => {
    for (const { fact } of batch) {
      const run = toLastRun(fact);
      await noteLogin(pool, fact, run);
      if (fact.trigger === RECRAWL) continue;
      const told = await inTransaction(pool, async (client) => {
        await noteLast(client, fact, run);
        return noteHealth(client, fact, run);
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

/** @returns the fact of a change, to be sent once this is committed */
async function noteHealth(
  client: pg.PoolClient,
  { projectId, workspaceId }: RunFinished,
  run: LastRun,
): Promise<Outgoing | undefined> {
  const health = healthAfter(run);
  if (health === undefined) return undefined;
  // A login its owner deleted has taken its runs' notes along: that its run ended says nothing of the site.
  if (run.stop === 'login_dead' && !(await hadLogin(client, run.id))) return undefined;
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

async function hadLogin(client: pg.PoolClient, runId: string): Promise<boolean> {
  const text = 'SELECT FROM login_runs WHERE run_id = $1';
  return ((await client.query({ name: 'had-login', text, values: [runId] })).rowCount ?? 0) > 0;
}

/** What the run's end says of the session it was started with, unless another has taken its place or later news are known. */
async function noteLogin(pool: pg.Pool, { runId, workspaceId }: RunFinished, run: LastRun): Promise<void> {
  const finding = findingOfRun(run);
  if (finding === undefined) return;
  await pool.query({
    name: 'note-login-by-run',
    text: `
      UPDATE logins l SET state = $3, reason = $4, checked_at = $5 FROM login_runs r
      WHERE r.run_id = $1 AND l.id = r.login_id AND l.workspace_id = $2 AND l.session_version = r.session_version
        AND (l.checked_at IS NULL OR l.checked_at <= $5)`,
    values: [runId, workspaceId, finding.state, finding.reason, run.finishedAt],
  });
}
