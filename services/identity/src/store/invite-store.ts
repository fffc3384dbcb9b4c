import { newId, type Role } from '@tidemark/contracts';
import type pg from 'pg';
import { LIFETIMES } from '../domain/limits.ts';
import { hashToken, isToken, newToken } from '../domain/secret-token.ts';
import type { Queryable } from './queryable.ts';

export interface InviteRecord {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly expiresAt: Date;
}

export interface NewInvite {
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
}

const OPEN = 'i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()';
const COLUMNS = `i.id, i.workspace_id AS "workspaceId", w.name AS "workspaceName", i.email, i.role, i.invited_by AS "invitedBy",
  i.expires_at AS "expiresAt"`;

/** Stores invitations to workspaces; at most one open one per address and workspace. */
export class InviteStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Creates an invitation in place of an open one of the same address. The caller holds the lock of the workspace. @returns id and token */
  async create(
    db: Queryable,
    { workspaceId, email, role, invitedBy }: NewInvite,
  ): Promise<{ id: string; token: string; expiresAt: Date }> {
    const [id, token] = [newId('ivt'), newToken()];
    await db.query(
      `UPDATE invites SET revoked_at = now()
       WHERE workspace_id = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL`,
      [workspaceId, email],
    );
    const { rows } = await db.query<{ expiresAt: Date }>(
      `INSERT INTO invites (id, workspace_id, email, role, invited_by, token_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7)) RETURNING expires_at AS "expiresAt"`,
      [id, workspaceId, email, role, invitedBy, hashToken(token), LIFETIMES.invite],
    );
    return { id, token, expiresAt: rows[0]?.expiresAt ?? new Date() };
  }

  /** Returns the open invitations of a workspace, newest first. */
  async list(workspaceId: string): Promise<InviteRecord[]> {
    const { rows } = await this.#pool.query<InviteRecord>({
      name: 'list-invites',
      text: `SELECT ${COLUMNS} FROM invites i JOIN workspaces w ON w.id = i.workspace_id
        WHERE i.workspace_id = $1 AND ${OPEN} ORDER BY i.id DESC LIMIT 1000`,
      values: [workspaceId],
    });
    return rows;
  }

  /** Returns the open invitation with this token. */
  async findByToken(token: string): Promise<InviteRecord | undefined> {
    if (!isToken(token)) return undefined;
    const { rows } = await this.#pool.query<InviteRecord>({
      name: 'find-invite',
      text: `SELECT ${COLUMNS} FROM invites i JOIN workspaces w ON w.id = i.workspace_id WHERE i.token_hash = $1 AND ${OPEN}`,
      values: [hashToken(token)],
    });
    return rows[0];
  }

  /** Returns the open invitations of an address, the oldest first. */
  async listOfAddress(email: string): Promise<InviteRecord[]> {
    const { rows } = await this.#pool.query<InviteRecord>({
      name: 'list-invites-of-address',
      text: `SELECT ${COLUMNS} FROM invites i JOIN workspaces w ON w.id = i.workspace_id WHERE i.email = $1 AND ${OPEN} ORDER BY i.id LIMIT 20`,
      values: [email],
    });
    return rows;
  }

  /** Spends an open invitation. @returns false if another request was first, or if it was revoked */
  async accept(db: Queryable, id: string): Promise<boolean> {
    const { rowCount } = await db.query({
      name: 'accept-invite',
      text: `UPDATE invites i SET accepted_at = now() WHERE id = $1 AND ${OPEN}`,
      values: [id],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Revokes an open invitation of a workspace. @returns false if there is none */
  async revoke(db: Queryable, workspaceId: string, id: string): Promise<boolean> {
    const { rowCount } = await db.query(
      `UPDATE invites i SET revoked_at = now() WHERE workspace_id = $1 AND id = $2 AND ${OPEN}`,
      [workspaceId, id],
    );
    return (rowCount ?? 0) > 0;
  }

  /** Revokes the open invitations that a member made: they give rights that the member has lost. */
  async revokeOf(db: Queryable, workspaceId: string, invitedBy: string): Promise<void> {
    await db.query(`UPDATE invites i SET revoked_at = now() WHERE workspace_id = $1 AND invited_by = $2 AND ${OPEN}`, [
      workspaceId,
      invitedBy,
    ]);
  }
}
