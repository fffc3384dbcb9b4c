import { newId } from '@tidemark/contracts';
import type { AuditRecorded } from '@tidemark/contracts/audit/v1/events';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import type { SessionClient } from './session-store.ts';

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
  | 'reset_link.created'
  | 'key.created'
  | 'key.revoked'
  | 'member.joined'
  | 'member.role_changed'
  | 'member.removed'
  | 'invite.created'
  | 'invite.revoked'
  | 'workspace.changed'
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

/** Which entries are listed; an empty or absent value selects all. */
export interface AuditFilter {
  /** Entries before this one. */
  readonly before: string;
  readonly limit: number;
  /** An action, or the part before its dot: `key` selects key.created and key.revoked. */
  readonly action: string;
  readonly actorId: string;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Writes an entry. Called in the transaction of the change, so that neither exists without the other. */
export async function writeAudit(db: Queryable, entry: NewAuditEntry): Promise<void> {
  const { workspaceId, actorId, action, subjectId = '', detail = {}, client } = entry;
  await db.query({
    name: 'write-audit',
    text: `INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, detail, ip, user_agent)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      newId('aud'),
      workspaceId,
      actorId,
      action,
      subjectId,
      JSON.stringify(detail),
      client?.ip.slice(0, 64) ?? '',
      client?.userAgent.slice(0, 300) ?? '',
    ],
  });
}

/** Writes what was changed of a person's account, in each workspace of the person. Called in the transaction of the change. */
export async function writePersonAudit(
  db: Queryable,
  userId: string,
  action: AuditAction,
  { actorId = userId, detail = {} }: PersonEntry = {},
): Promise<void> {
  const { rows } = await db.query<{ workspace_id: string }>({
    name: 'workspaces-of-person',
    text: 'SELECT workspace_id FROM memberships WHERE user_id = $1',
    values: [userId],
  });
  for (const { workspace_id: workspaceId } of rows)
    await writeAudit(db, { workspaceId, actorId, action, subjectId: userId, detail });
}

interface PersonEntry {
  /** Absent: the person; empty: the operator. */
  readonly actorId?: string;
  readonly detail?: Detail;
}

/** Reads and expires the audit logs of workspaces. */
export class AuditLog {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns entries of a workspace, newest first. */
  async list(workspaceId: string, { before, limit, action, actorId, from, to }: AuditFilter): Promise<AuditRecord[]> {
    const { rows } = await this.#pool.query<AuditRecord>({
      name: 'list-audit',
      text: `
        SELECT a.id, a.at, a.actor_id AS "actorId", a.action, a.subject_id AS "subjectId", a.detail, a.ip, a.user_agent AS "userAgent",
          coalesce(k.name, u.name, CASE WHEN left(a.actor_id, 4) IN ('key_', 'usr_') THEN '' ELSE a.actor_id END) AS "actorName"
        FROM audit a LEFT JOIN api_keys k ON k.id = a.actor_id LEFT JOIN users u ON u.id = a.actor_id
        WHERE a.workspace_id = $1 AND ($2 = '' OR a.id < $2) AND ($4 = '' OR a.action = $4 OR split_part(a.action, '.', 1) = $4)
          AND ($5 = '' OR a.actor_id = $5) AND ($6::timestamptz IS NULL OR a.at >= $6) AND ($7::timestamptz IS NULL OR a.at < $7)
        ORDER BY a.id DESC LIMIT $3`,
      values: [workspaceId, before, limit, action, actorId, from ?? null, to ?? null],
    });
    return rows;
  }

  /** Stores entries of other services, each once. Those of deleted workspaces are dropped. */
  async store(entries: readonly AuditRecorded[]): Promise<void> {
    await this.#pool.query({
      name: 'store-audit',
      text: `
        INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, detail, at)
        SELECT e.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[])
          AS e(id, workspace_id, actor_id, action, subject_id, detail, at)
        WHERE EXISTS (SELECT FROM workspaces w WHERE w.id = e.workspace_id)
        ON CONFLICT (id) DO NOTHING`,
      values: [
        entries.map(({ id }) => id),
        entries.map(({ workspaceId }) => workspaceId),
        entries.map(({ actorId }) => actorId),
        entries.map(({ action }) => action),
        entries.map(({ subjectId }) => subjectId),
        entries.map(({ detailJson }) => detailJson),
        entries.map(({ at }) => at ?? new Date()),
      ],
    });
  }

  /** Deletes a batch of entries after their time. @returns their number */
  async deleteOld(): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < now() - interval '${AUDIT_DAYS} days' LIMIT ${DELETE_BATCH})`,
    );
    return rowCount ?? 0;
  }
}
