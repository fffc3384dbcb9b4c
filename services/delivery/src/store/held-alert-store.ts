import { AlertMatch } from '@tidemark/contracts/diff/v1/diff';
import type { AlertChannel } from '@tidemark/project-config';
import { anyOf, changeRows, column, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { ChannelMatch } from '../domain/channel-match.ts';
import { schema, tables } from './tables.ts';

/** Groups that one poll returns. */
const MAX_GROUPS = 100;

/** Matches that are sent through one channel at the same time. */
export interface HeldGroup {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly channel: AlertChannel;
  readonly dueAt: Date;
}

interface HeldValues {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly ids: readonly string[];
  readonly channels: readonly AlertChannel[];
  readonly dueAt: readonly Date[];
  /** AlertMatch, as proto bytes. */
  readonly matches: readonly Buffer[];
}

/** Matches of a deleted project are not held. */
const HOLD = schema.prepareText(
  'hold-alerts',
  {},
  (values: Params<HeldValues>) => sql`
    INSERT INTO held_alerts (id, workspace_id, project_id, run_id, channel, due_at, match)
    SELECT h.id, ${values.workspaceId}, ${values.projectId}, ${values.runId}, h.channel, h.due_at, h.match
    FROM unnest(${values.ids}::text[], ${values.channels}::text[], ${values.dueAt}::timestamptz[], ${values.matches}::bytea[])
      AS h(id, channel, due_at, match)
    WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = ${values.projectId})
    ON CONFLICT (id) DO NOTHING`,
);

const TAKE = schema.prepareText(
  'take-held-alerts',
  { id: column('text'), run_id: column('text'), match: column('bytea') },
  ({ projectId, channel, dueAt }: Params<HeldGroup>) => sql`
    DELETE FROM held_alerts WHERE project_id = ${projectId} AND channel = ${channel} AND due_at = ${dueAt}
    RETURNING id, run_id, match`,
);

/** A match with its run. */
export interface HeldMatch {
  readonly runId: string;
  readonly match: AlertMatch;
}

/** Matches of alert rules that are sent later: at the end of quiet hours, or collected for a day or a week. */
export class HeldAlertStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Holds matches of one run in the transaction of its other messages. Idempotent. */
  async hold(
    client: pg.PoolClient,
    of: { readonly workspaceId: string; readonly projectId: string; readonly runId: string },
    held: readonly ChannelMatch[],
  ): Promise<void> {
    if (held.length === 0) return;
    await HOLD.change(client, {
      ...of,
      ids: held.map(({ channel, match }) => `${of.runId}:${match.alert?.id}:${match.entry?.id}:${channel}`),
      channels: held.map(({ channel }) => channel),
      dueAt: held.map(({ dueAt }) => dueAt),
      matches: held.map(({ match }) => Buffer.from(AlertMatch.encode(match).finish())),
    });
  }

  /** Lists the groups that are due, the oldest first. */
  async due(now: Date): Promise<HeldGroup[]> {
    const query = tables
      .selectFrom('held_alerts')
      .select(['workspace_id as workspaceId', 'project_id as projectId', 'channel', 'due_at as dueAt'])
      .distinct()
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .limit(MAX_GROUPS);
    return await selectRows(this.#pool, query);
  }

  /** Deletes the matches of a group and returns them, in the order of their runs and changes; none where another process has. */
  async take(client: pg.PoolClient, group: HeldGroup): Promise<HeldMatch[]> {
    const rows = await TAKE.rows(client, group);
    return rows
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ run_id: runId, match }) => ({ runId, match: AlertMatch.decode(match) }));
  }

  /** Deletes the matches of deleted projects. */
  async deleteProjects(projectIds: readonly string[]): Promise<void> {
    await changeRows(this.#pool, tables.deleteFrom('held_alerts').where('project_id', '=', anyOf(projectIds)));
  }
}
