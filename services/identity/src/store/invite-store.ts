import { newId, type Role } from '@tidemark/contracts';
import { anyOf, changeRows, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { INVITE_TRANSITIONS, type InviteState } from '../domain/invite-state.ts';
import { LIFETIMES } from '../domain/limits.ts';
import { hashToken, isToken, newToken } from '../domain/secret-token.ts';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';

export interface InviteRecord {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  /** The link was mailed; otherwise it was handed to the inviter. */
  readonly isMailed: boolean;
  readonly expiresAt: Date;
}

export interface NewInvite {
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly isMailed: boolean;
}

const NOW = sql<Date>`now()`;
/** The condition of each state from which an invitation changes. */
const IS = {
  open: sql<boolean>`i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()`,
} as const satisfies Partial<Record<InviteState, unknown>>;
/** The column with the time at which an invitation entered a state. */
const SINCE = { accepted: 'accepted_at', revoked: 'revoked_at' } as const satisfies Partial<
  Record<InviteState, string>
>;
const { accept, revoke } = INVITE_TRANSITIONS;

/** Returns the statement of a transition, which changes no invitation in another state. */
const change = ({ from: [from], to }: typeof accept | typeof revoke) =>
  tables
    .updateTable('invites as i')
    .set({ [SINCE[to]]: NOW })
    .where(IS[from]);

/** Revokes open invitations of a list. @returns those that were open */
export async function revokeInvites(
  db: Queryable,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly workspaceId: string }[]> {
  await selectRows(
    db,
    tables.selectFrom('invites').select('id').where('id', '=', anyOf(ids)).orderBy('id').forUpdate(),
  );
  return selectRows(
    db,
    change(revoke).where('i.id', '=', anyOf(ids)).returning(['i.id', 'i.workspace_id as workspaceId']),
  );
}

const OPEN_INVITES = tables
  .selectFrom('invites as i')
  .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
  .select([
    'i.id',
    'i.workspace_id as workspaceId',
    'w.name as workspaceName',
    'i.email',
    'i.role',
    'i.invited_by as invitedBy',
    'i.is_mailed as isMailed',
    'i.expires_at as expiresAt',
  ])
  .where(IS.open);

/** Stores invitations to workspaces; at most one open one per address and workspace. */
export class InviteStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Creates an invitation in place of an open one of the same address. The caller holds the lock of the workspace. @returns id and token */
  async create(
    db: Queryable,
    { workspaceId, email, role, invitedBy, isMailed }: NewInvite,
  ): Promise<{ id: string; token: string; expiresAt: Date }> {
    const [id, token] = [newId('ivt'), newToken()];
    await changeRows(db, change(revoke).where('i.workspace_id', '=', workspaceId).where('i.email', '=', email));
    const created = await selectRow(
      db,
      tables
        .insertInto('invites')
        .values({
          id,
          workspace_id: workspaceId,
          email,
          role,
          invited_by: invitedBy,
          is_mailed: isMailed,
          token_hash: hashToken(token),
          expires_at: sql<Date>`now() + make_interval(secs => ${LIFETIMES.invite})`,
        })
        .returning('expires_at as expiresAt'),
    );
    return { id, token, expiresAt: created?.expiresAt ?? new Date() };
  }

  /** Returns the open invitations of a workspace, newest first. */
  list(workspaceId: string): Promise<InviteRecord[]> {
    return selectRows(
      this.#pool,
      OPEN_INVITES.where('i.workspace_id', '=', workspaceId).orderBy('i.id', 'desc').limit(1_000),
    );
  }

  /** Returns the open invitation with this token. */
  async findByToken(token: string): Promise<InviteRecord | undefined> {
    if (!isToken(token)) return undefined;
    return selectRow(this.#pool, OPEN_INVITES.where('i.token_hash', '=', hashToken(token)));
  }

  /** Returns the open invitations of an address, the oldest first. */
  listOfAddress(email: string): Promise<InviteRecord[]> {
    return selectRows(this.#pool, OPEN_INVITES.where('i.email', '=', email).orderBy('i.id').limit(20));
  }

  /** Spends an open invitation. @returns false if another request was first, or if it was revoked */
  async accept(db: Queryable, id: string): Promise<boolean> {
    const accepted = await changeRows(db, change(accept).where('i.id', '=', id));
    return accepted > 0;
  }

  /** Revokes an open invitation of a workspace. @returns false if there is none */
  async revoke(db: Queryable, workspaceId: string, id: string): Promise<boolean> {
    const revoked = await changeRows(
      db,
      change(revoke).where('i.workspace_id', '=', workspaceId).where('i.id', '=', id),
    );
    return revoked > 0;
  }
}
