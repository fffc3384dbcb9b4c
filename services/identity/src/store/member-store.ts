import type { Role, Scope } from '@tidemark/contracts';
import { changeRows, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';
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

const MEMBERS = tables
  .selectFrom('memberships as m')
  .innerJoin('users as u', 'u.id', 'm.user_id')
  .select(({ selectFrom }) => [
    'm.user_id as userId',
    'u.name',
    'u.email',
    'm.role',
    'm.joined_at as joinedAt',
    HAS_FACTOR.as('hasFactor'),
    selectFrom('sessions as s')
      .select(({ fn }) => fn.max('s.last_seen_at').as('at'))
      .whereRef('s.user_id', '=', 'u.id')
      .as('lastSeenAt'),
  ]);

/** Stores the members of workspaces, with their roles. */
export class MemberStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Locks a workspace row, so that changes of its members follow each other. @returns false if it does not exist */
  async lockWorkspace(db: pg.PoolClient, workspaceId: string): Promise<boolean> {
    const locked = await selectRow(
      db,
      tables.selectFrom('workspaces').select('id').where('id', '=', workspaceId).forUpdate(),
    );
    return locked !== undefined;
  }

  list(workspaceId: string): Promise<MemberRecord[]> {
    return selectRows(
      this.#pool,
      MEMBERS.where('m.workspace_id', '=', workspaceId).orderBy('m.joined_at').orderBy('m.user_id'),
    );
  }

  /** Returns whether a verified person with this address is a member. One query, whether or not the address has an account. */
  async hasEmail(db: Queryable, workspaceId: string, email: string): Promise<boolean> {
    const member = await selectRow(
      db,
      tables
        .selectFrom('users as u')
        .innerJoin('memberships as m', 'm.user_id', 'u.id')
        .select('u.id')
        .where('m.workspace_id', '=', workspaceId)
        .where('u.email', '=', email)
        .where('u.email_verified_at', 'is not', null),
    );
    return member !== undefined;
  }

  find(workspaceId: string, userId: string, db: Queryable = this.#pool): Promise<MemberRecord | undefined> {
    return selectRow(db, MEMBERS.where('m.workspace_id', '=', workspaceId).where('m.user_id', '=', userId));
  }

  /** Returns the workspaces of a person, by name. */
  workspacesOf(userId: string): Promise<MembershipRecord[]> {
    return selectRows(
      this.#pool,
      tables
        .selectFrom('memberships as m')
        .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
        .select(['w.id as workspaceId', 'w.name', 'm.role'])
        .where('m.user_id', '=', userId)
        .orderBy('w.name')
        .orderBy('w.id')
        .limit(1_000),
    );
  }

  async add(db: Queryable, { workspaceId, userId, role }: NewMember): Promise<void> {
    await changeRows(
      db,
      tables
        .insertInto('memberships')
        .values({ workspace_id: workspaceId, user_id: userId, role })
        .onConflict((conflict) => conflict.doNothing()),
    );
  }

  async count(db: Queryable, workspaceId: string, role?: Role): Promise<number> {
    const members = tables
      .selectFrom('memberships')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('workspace_id', '=', workspaceId);
    const row = await selectRow(db, role === undefined ? members : members.where('role', '=', role));
    return row?.count ?? 0;
  }

  async setRole(db: Queryable, { workspaceId, userId, role }: NewMember): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('memberships')
        .set({ role })
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId),
    );
  }

  async remove(db: Queryable, workspaceId: string, userId: string): Promise<void> {
    await changeRows(
      db,
      tables.deleteFrom('memberships').where('workspace_id', '=', workspaceId).where('user_id', '=', userId),
    );
  }

  /** Revokes the API keys that a member created in a workspace. @returns their ids */
  async revokeKeysOf(
    db: Queryable,
    { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
    revokedBy: string,
  ): Promise<string[]> {
    const revoked = await selectRows(db, revokeKeys(workspaceId, userId, revokedBy).returning('id'));
    return revoked.map(({ id }) => id);
  }

  /** Revokes the access tokens that a member granted to applications, except those with a scope that remains. @returns their ids */
  async revokeGrantsOf(
    db: Queryable,
    { workspaceId, userId, remaining }: { workspaceId: string; userId: string; remaining: readonly Scope[] },
    revokedBy: string,
  ): Promise<string[]> {
    const revoked = await selectRows(
      db,
      revokeKeys(workspaceId, userId, revokedBy)
        .where('is_grant', '=', true)
        .where(sql<boolean>`NOT scopes <@ ${remaining}::text[]`)
        .returning('id'),
    );
    return revoked.map(({ id }) => id);
  }
}

/** Revokes the keys that a member created in a workspace. */
const revokeKeys = (workspaceId: string, userId: string, revokedBy: string) =>
  tables
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()`, revoked_by: revokedBy })
    .where('workspace_id', '=', workspaceId)
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null);

export interface NewMember {
  readonly workspaceId: string;
  readonly userId: string;
  readonly role: Role;
}
