import type { Role, Scope } from '@tidemark/contracts';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { HAS_FACTOR } from './user-store.ts';

export interface MemberRecord {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly hasFactor: boolean;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date | null;
}

export interface MembershipRecord {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role;
}

const MEMBER = `
  SELECT m.user_id AS "userId", u.name, u.email, m.role, m.joined_at AS "joinedAt",
    ${HAS_FACTOR} AS "hasFactor",
    (SELECT max(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id) AS "lastSeenAt"
  FROM memberships m JOIN users u ON u.id = m.user_id`;

/** Stores the members of workspaces, with their roles. */
export class MemberStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Locks a workspace row, so that changes of its members follow each other. @returns false if it does not exist */
  async lockWorkspace(db: pg.PoolClient, workspaceId: string): Promise<boolean> {
    const { rowCount } = await db.query({
      name: 'lock-workspace',
      text: 'SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE',
      values: [workspaceId],
    });
    return (rowCount ?? 0) > 0;
  }

  async list(workspaceId: string): Promise<MemberRecord[]> {
    const { rows } = await this.#pool.query<MemberRecord>({
      name: 'list-members',
      text: `${MEMBER} WHERE m.workspace_id = $1 ORDER BY m.joined_at, m.user_id`,
      values: [workspaceId],
    });
    return rows;
  }

  /** Returns whether a verified person with this address is a member. One query, whether or not the address has an account. */
  async hasEmail(db: Queryable, workspaceId: string, email: string): Promise<boolean> {
    const { rowCount } = await db.query({
      name: 'is-member-by-email',
      text: `SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id
        WHERE m.workspace_id = $1 AND u.email = $2 AND u.email_verified_at IS NOT NULL`,
      values: [workspaceId, email],
    });
    return (rowCount ?? 0) > 0;
  }

  async find(workspaceId: string, userId: string, db: Queryable = this.#pool): Promise<MemberRecord | undefined> {
    const { rows } = await db.query<MemberRecord>({
      name: 'find-member',
      text: `${MEMBER} WHERE m.workspace_id = $1 AND m.user_id = $2`,
      values: [workspaceId, userId],
    });
    return rows[0];
  }

  /** Returns the workspaces of a person, by name. */
  async workspacesOf(userId: string): Promise<MembershipRecord[]> {
    const { rows } = await this.#pool.query<MembershipRecord>({
      name: 'workspaces-of',
      text: `SELECT w.id AS "workspaceId", w.name, m.role FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
        WHERE m.user_id = $1 ORDER BY w.name, w.id LIMIT 1000`,
      values: [userId],
    });
    return rows;
  }

  async add(db: Queryable, { workspaceId, userId, role }: NewMember): Promise<void> {
    await db.query({
      name: 'add-member',
      text: 'INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      values: [workspaceId, userId, role],
    });
  }

  async count(db: Queryable, workspaceId: string, role?: Role): Promise<number> {
    const { rows } = await db.query<{ count: number }>({
      name: 'count-members',
      text: `SELECT count(*)::int AS count FROM memberships WHERE workspace_id = $1 AND ($2::text IS NULL OR role = $2)`,
      values: [workspaceId, role ?? null],
    });
    return rows[0]?.count ?? 0;
  }

  async setRole(db: Queryable, { workspaceId, userId, role }: NewMember): Promise<void> {
    await db.query('UPDATE memberships SET role = $3 WHERE workspace_id = $1 AND user_id = $2', [
      workspaceId,
      userId,
      role,
    ]);
  }

  async remove(db: Queryable, workspaceId: string, userId: string): Promise<void> {
    await db.query('DELETE FROM memberships WHERE workspace_id = $1 AND user_id = $2', [workspaceId, userId]);
  }

  /** Revokes the API keys that a member created in a workspace. @returns their ids */
  async revokeKeysOf(
    db: Queryable,
    { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
    revokedBy: string,
  ): Promise<string[]> {
    const { rows } = await db.query<{ id: string }>({
      name: 'revoke-keys-of',
      text: `UPDATE api_keys SET revoked_at = now(), revoked_by = $3
       WHERE workspace_id = $1 AND created_by = $2 AND revoked_at IS NULL RETURNING id`,
      values: [workspaceId, userId, revokedBy],
    });
    return rows.map(({ id }) => id);
  }

  /** Revokes the access tokens that a member granted to applications, except those with a scope that remains. @returns their ids */
  async revokeGrantsOf(
    db: Queryable,
    { workspaceId, userId, remaining }: { workspaceId: string; userId: string; remaining: readonly Scope[] },
    revokedBy: string,
  ): Promise<string[]> {
    const { rows } = await db.query<{ id: string }>({
      name: 'revoke-grants-of',
      text: `UPDATE api_keys SET revoked_at = now(), revoked_by = $3 WHERE workspace_id = $1 AND created_by = $2
       AND is_grant AND revoked_at IS NULL AND NOT scopes <@ $4::text[] RETURNING id`,
      values: [workspaceId, userId, revokedBy, remaining],
    });
    return rows.map(({ id }) => id);
  }
}

export interface NewMember {
  readonly workspaceId: string;
  readonly userId: string;
  readonly role: Role;
}
