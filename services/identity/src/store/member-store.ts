import type { Role } from '@tidemark/contracts';
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
  readonly isEmailVerified: boolean;
  readonly hasFactor: boolean;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date | null;
}

export interface MembershipRecord {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role;
}

/** A membership of a person, with what gave it. */
export interface GivenMembership {
  readonly workspaceId: string;
  readonly role: Role;
  /** The group at the sign-in provider; null: an invitation, a sign-up or a member gave it. */
  readonly fromGroup: string | null;
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
    sql<boolean>`u.address_state = 'proven'`.as('isEmailVerified'),
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

  /**
   * Locks a workspace row, so that changes of its members and keys follow each other; rows that refer to it may still be written.
   * @returns false if it does not exist
   */
  async lockWorkspace(db: pg.PoolClient, workspaceId: string): Promise<boolean> {
    const locked = await selectRow(
      db,
      tables.selectFrom('workspaces').select('id').where('id', '=', workspaceId).forNoKeyUpdate(),
    );
    return locked !== undefined;
  }

  list(workspaceId: string): Promise<MemberRecord[]> {
    return selectRows(
      this.#pool,
      MEMBERS.where('m.workspace_id', '=', workspaceId).orderBy('m.joined_at').orderBy('m.user_id'),
    );
  }

  /** Returns whether a person who can sign in with this address is a member. One query, whether or not the address has an account. */
  async hasEmail(db: Queryable, workspaceId: string, email: string): Promise<boolean> {
    const member = await selectRow(
      db,
      tables
        .selectFrom('users as u')
        .innerJoin('memberships as m', 'm.user_id', 'u.id')
        .select('u.id')
        .where('m.workspace_id', '=', workspaceId)
        .where('u.email', '=', email)
        .where('u.address_state', '<>', 'pending'),
    );
    return member !== undefined;
  }

  find(workspaceId: string, userId: string, db: Queryable = this.#pool): Promise<MemberRecord | undefined> {
    return selectRow(db, MEMBERS.where('m.workspace_id', '=', workspaceId).where('m.user_id', '=', userId));
  }

  /** Returns the workspaces of a person, by name. */
  workspacesOf(userId: string, db: Queryable = this.#pool): Promise<MembershipRecord[]> {
    return selectRows(
      db,
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

  /** Returns the memberships of a person, with the groups that gave them. */
  givenTo(userId: string, db: Queryable = this.#pool): Promise<GivenMembership[]> {
    return selectRows(
      db,
      tables
        .selectFrom('memberships')
        .select(['workspace_id as workspaceId', 'role', 'from_group as fromGroup'])
        .where('user_id', '=', userId),
    );
  }

  /** Adds a member, or changes the role of one, for a group at the sign-in provider. */
  async giveByGroup(db: Queryable, { workspaceId, userId, role, group }: NewMember & { group: string }): Promise<void> {
    await changeRows(
      db,
      tables
        .insertInto('memberships')
        .values({ workspace_id: workspaceId, user_id: userId, role, from_group: group })
        .onConflict((conflict) =>
          conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ role, from_group: group }),
        ),
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
        // A role that a person gives stays, whatever the groups of the member are.
        .set({ role, from_group: null })
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
}

export interface NewMember {
  readonly workspaceId: string;
  readonly userId: string;
  readonly role: Role;
}
