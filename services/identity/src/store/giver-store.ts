import type { Role } from '@tidemark/contracts';
import { anyOf, selectRow, selectRows, sql } from '@tidemark/sql';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';

/** A key that is not revoked. */
export interface GivenKey {
  readonly id: string;
  /** The person or key that created it. */
  readonly createdBy: string;
  readonly scopes: readonly string[];
  readonly isGrant: boolean;
}

/** An open invitation. */
export interface GivenInvite {
  readonly id: string;
  readonly invitedBy: string;
  readonly role: Role;
}

/** Keys and invitations that a giver created, or that keys which it created did. */
export interface Given {
  readonly keys: readonly GivenKey[];
  readonly invites: readonly GivenInvite[];
}

/** Rights of a key or a person that makes keys and invitations. */
export interface GiverKey {
  readonly scopes: readonly string[];
  readonly rpm: number | null;
  readonly expiresAt: Date | null;
}

/** A row that was revoked. */
export interface Revoked {
  readonly id: string;
  readonly workspaceId: string;
}

const NOW = sql<Date>`now()`;
const OPEN = sql<boolean>`accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()`;

/**
 * Locks the key of a caller until the end of the transaction, so that it is not revoked while it makes something.
 * @returns undefined if it is revoked or expired
 */
export function lockGiverKey(
  db: Queryable,
  { workspaceId, keyId }: { readonly workspaceId: string; readonly keyId: string },
): Promise<GiverKey | undefined> {
  return selectRow(
    db,
    tables
      .selectFrom('api_keys')
      .select(['scopes', 'rpm', 'expires_at as expiresAt'])
      .where('id', '=', keyId)
      .where('workspace_id', '=', workspaceId)
      .where('revoked_at', 'is', null)
      .where(sql<boolean>`(expires_at IS NULL OR expires_at > now())`)
      .forShare(),
  );
}

/** Locks the membership of a caller until the end of the transaction. @returns the role now; undefined if the person is no member */
export async function lockGiverRole(
  db: Queryable,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<Role | undefined> {
  const member = await selectRow(
    db,
    tables
      .selectFrom('memberships')
      .select('role')
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId)
      .forShare(),
  );
  return member?.role;
}

/**
 * Returns the keys that are not revoked and the open invitations that follow from givers in a workspace and its sub-accounts, also through other keys.
 * At most as many keys as may exist there.
 */
export async function readGiven(db: Queryable, workspaceId: string, giverIds: readonly string[]): Promise<Given> {
  const keys = await selectRows(
    db,
    tables
      .withRecursive('given', (query) =>
        query
          .selectFrom('api_keys as k')
          .innerJoin('workspaces as w', 'w.id', 'k.workspace_id')
          .select(['k.id', 'k.created_by as createdBy', 'k.scopes', 'k.is_grant as isGrant'])
          .where('k.created_by', '=', anyOf(giverIds))
          .where('k.revoked_at', 'is', null)
          .where(sql<boolean>`(w.id = ${workspaceId} OR w.parent_id = ${workspaceId})`)
          .union(
            query
              .selectFrom('api_keys as k')
              .innerJoin('given as g', 'g.id', 'k.created_by')
              .select(['k.id', 'k.created_by as createdBy', 'k.scopes', 'k.is_grant as isGrant'])
              .where('k.revoked_at', 'is', null),
          ),
      )
      .selectFrom('given')
      .selectAll(),
  );
  const invites = await selectRows(
    db,
    tables
      .selectFrom('invites')
      .innerJoin('workspaces as w', 'w.id', 'invites.workspace_id')
      .select(['invites.id', 'invites.invited_by as invitedBy', 'invites.role'])
      .where('invites.invited_by', '=', anyOf([...giverIds, ...keys.map(({ id }) => id)]))
      .where(sql<boolean>`(w.id = ${workspaceId} OR w.parent_id = ${workspaceId})`)
      .where(OPEN),
  );
  return { keys, invites };
}

/** Returns whether a workspace has this key. */
export async function hasKey(
  db: Queryable,
  { workspaceId, keyId }: { readonly workspaceId: string; readonly keyId: string },
): Promise<boolean> {
  const key = await selectRow(
    db,
    tables.selectFrom('api_keys').select('id').where('id', '=', keyId).where('workspace_id', '=', workspaceId),
  );
  return key !== undefined;
}

/** Revokes keys, in the order of their ids so that concurrent revocations wait for each other. @returns those that were not revoked before */
export async function revokeKeys(db: Queryable, ids: readonly string[], by: string): Promise<Revoked[]> {
  const locked = await selectRows(
    db,
    tables
      .selectFrom('api_keys')
      .select('id')
      .where('id', '=', anyOf(ids))
      .where('revoked_at', 'is', null)
      .orderBy('id')
      .forUpdate(),
  );
  return selectRows(
    db,
    tables
      .updateTable('api_keys')
      .set({ revoked_at: NOW, revoked_by: by })
      .where('id', '=', anyOf(locked.map(({ id }) => id)))
      .returning(['id', 'workspace_id as workspaceId']),
  );
}
