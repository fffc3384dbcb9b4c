import { newId, textOrEmpty } from '@tidemark/contracts';
import type { AuditRecorded } from '@tidemark/contracts/audit/v1/events';
import { changeRows, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import type { SessionClient } from './session-store.ts';
import { schema, tables } from './tables.ts';

/** Days for which entries are kept. */
export const AUDIT_DAYS = 400;
const DELETE_BATCH = 5_000;

/** What is recorded by identity. Other services record actions of their own. */
export type AuditAction =
  | 'session.created'
  | 'session.switched'
  | 'session.ended'
  | 'session.refused'
  | 'password.changed'
  | 'password.reset'
  | 'email.changed'
  | 'second_factor.on'
  | 'second_factor.off'
  | 'recovery_codes.renewed'
  | 'passkey.added'
  | 'passkey.removed'
  | 'provider.linked'
  | 'account.reclaimed'
  | 'reset_link.created'
  | 'key.created'
  | 'key.revoked'
  | 'member.joined'
  | 'member.role_changed'
  | 'member.removed'
  | 'invite.created'
  | 'invite.revoked'
  | 'workspace.changed'
  | 'workspace.suspended'
  | 'workspace.resumed'
  | 'child.created'
  | 'child.changed'
  | 'child.suspended'
  | 'child.lifted'
  | 'child.deleted';

type Detail = Readonly<Record<string, string | number | boolean | null | readonly string[] | undefined>>;

export interface NewAuditEntry {
  readonly workspaceId: string;
  /** usr_… or key_…; empty: the operator, or not known. */
  readonly actorId: string;
  readonly action: AuditAction;
  /** Id of what the action concerns. */
  readonly subjectId?: string;
  readonly detail?: Detail;
  /** Client of a session. */
  readonly client?: SessionClient;
}

export interface AuditRecord {
  readonly id: string;
  readonly at: Date;
  readonly actorId: string;
  /** Name of the key, person, service or program; empty for a key or person that does not exist any more. */
  readonly actorName: string;
  readonly action: string;
  readonly subjectId: string;
  readonly detail: unknown;
  readonly ip: string;
  readonly userAgent: string;
}

/** Which entries are listed; an absent value selects all. */
export interface AuditFilter {
  /** Entries before this one. */
  readonly before: string | undefined;
  readonly limit: number;
  /** An action, or the part before its dot: `key` selects key.created and key.revoked. */
  readonly action: string | undefined;
  readonly actorId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Writes an entry. Called in the transaction of the change, so that neither exists without the other. */
export async function writeAudit(db: Queryable, entry: NewAuditEntry): Promise<void> {
  const { workspaceId, actorId, action, subjectId = '', detail = {}, client } = entry;
  await changeRows(
    db,
    tables.insertInto('audit').values({
      id: newId('aud'),
      workspace_id: workspaceId,
      actor_id: actorId,
      action,
      subject_id: subjectId,
      detail: JSON.stringify(detail),
      ip: client?.ip.slice(0, 64) ?? '',
      user_agent: client?.userAgent.slice(0, 300) ?? '',
    }),
  );
}

/** Writes what was changed of a person's account, in each workspace of the person. Called in the transaction of the change. */
export async function writePersonAudit(
  db: Queryable,
  userId: string,
  action: AuditAction,
  { actorId = userId, detail = {} }: PersonEntry = {},
): Promise<void> {
  const rows = await selectRows(
    db,
    tables.selectFrom('memberships').select('workspace_id').where('user_id', '=', userId),
  );
  for (const { workspace_id: workspaceId } of rows)
    await writeAudit(db, { workspaceId, actorId, action, subjectId: userId, detail });
}

interface PersonEntry {
  /** Absent: the person; empty: the operator. */
  readonly actorId?: string;
  readonly detail?: Detail;
}

/** Entries of other services: the values at each position of the lists. */
interface EntryLists {
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly actorIds: readonly string[];
  readonly actions: readonly string[];
  readonly subjectIds: readonly string[];
  /** JSON. */
  readonly details: readonly string[];
  readonly times: readonly Date[];
}

const STORE = schema.prepareText(
  'store-audit',
  {},
  ({ ids, workspaceIds, actorIds, actions, subjectIds, details, times }: Params<EntryLists>) => sql`
    INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, detail, at)
    SELECT e.*
    FROM unnest(${ids}::text[], ${workspaceIds}::text[], ${actorIds}::text[], ${actions}::text[], ${subjectIds}::text[], ${details}::jsonb[],
      ${times}::timestamptz[]) AS e(id, workspace_id, actor_id, action, subject_id, detail, at)
    WHERE EXISTS (SELECT FROM workspaces w WHERE w.id = e.workspace_id)
    ON CONFLICT (id) DO NOTHING`,
);

const ENTRIES = tables
  .selectFrom('audit as a')
  .leftJoin('api_keys as k', 'k.id', 'a.actor_id')
  .leftJoin('users as u', 'u.id', 'a.actor_id')
  .select([
    'a.id',
    'a.at',
    'a.actor_id as actorId',
    'a.action',
    'a.subject_id as subjectId',
    'a.detail',
    'a.ip',
    'a.user_agent as userAgent',
    sql<string>`coalesce(k.name, u.name, CASE WHEN left(a.actor_id, 4) IN ('key_', 'usr_') THEN '' ELSE a.actor_id END)`.as(
      'actorName',
    ),
  ]);

/** Reads and expires the audit logs of workspaces. */
export class AuditLog {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns entries of a workspace, newest first. */
  list(workspaceId: string, { before, limit, action, actorId, from, to }: AuditFilter): Promise<AuditRecord[]> {
    const entries = ENTRIES.where('a.workspace_id', '=', workspaceId)
      .$if(before !== undefined, (some) => some.where('a.id', '<', before ?? null))
      .$if(action !== undefined, (some) =>
        some.where(sql<boolean>`(a.action = ${action} OR split_part(a.action, '.', 1) = ${action})`),
      )
      .$if(actorId !== undefined, (some) => some.where('a.actor_id', '=', textOrEmpty(actorId)));
    const since = from === undefined ? entries : entries.where('a.at', '>=', from);
    const until = to === undefined ? since : since.where('a.at', '<', to);
    return selectRows(this.#pool, until.orderBy('a.id', 'desc').limit(limit));
  }

  /** Stores entries of other services, each once. Those of deleted workspaces are dropped. */
  async store(entries: readonly AuditRecorded[]): Promise<void> {
    await STORE.change(this.#pool, {
      ids: entries.map(({ id }) => id),
      workspaceIds: entries.map(({ workspaceId }) => workspaceId),
      actorIds: entries.map(({ actorId }) => textOrEmpty(actorId)),
      actions: entries.map(({ action }) => action),
      subjectIds: entries.map(({ subjectId }) => subjectId),
      details: entries.map(({ detailJson }) => detailJson),
      times: entries.map(({ at }) => at ?? new Date()),
    });
  }

  /** Deletes a batch of entries after their time. @returns their number */
  deleteOld(): Promise<number> {
    return changeRows(
      this.#pool,
      tables
        .deleteFrom('audit')
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom('audit')
            .select('id')
            .where('at', '<', sql<Date>`now() - make_interval(days => ${AUDIT_DAYS})`)
            .limit(DELETE_BATCH),
        ),
    );
  }
}
