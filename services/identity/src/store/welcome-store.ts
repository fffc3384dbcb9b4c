import { createHash } from 'node:crypto';
import type { OutgoingEvent } from '@tidemark/service';
import { mailboxOf } from '../domain/mailbox.ts';
import type { Queryable } from './queryable.ts';
import { publishSnapshot } from './workspace-snapshot.ts';

export interface WelcomeGrant {
  readonly userId: string;
  /** The verified address. */
  readonly email: string;
  readonly workspaceId: string;
}

/** Stores the recipients of welcome credits: each mailbox and each person once. */
export class WelcomeStore {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * Gives a workspace welcome credits, if neither the mailbox nor the person had any and the workspace has none. Called in the transaction
   * that verifies the address. @returns the events to send after the commit
   */
  async grant(db: Queryable, { userId, email, workspaceId }: WelcomeGrant): Promise<OutgoingEvent[]> {
    const mailbox = createHash('sha256').update(mailboxOf(email)).digest();
    const granted = await db.query({
      name: 'grant-welcome',
      text: `INSERT INTO welcome_grants (mailbox, user_id, workspace_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      values: [mailbox, userId, workspaceId],
    });
    if ((granted.rowCount ?? 0) === 0) return [];
    const changed = await db.query({
      name: 'welcome-workspace',
      text: 'UPDATE workspaces SET welcome_of = $2 WHERE id = $1 AND welcome_of IS NULL AND parent_id IS NULL',
      values: [workspaceId, userId],
    });
    return (changed.rowCount ?? 0) === 0 ? [] : publishSnapshot(db, workspaceId, { at: this.#now() });
  }

  /** Returns the workspace that a person made at sign-up; undefined if they own none. */
  async firstOwned(db: Queryable, userId: string): Promise<string | undefined> {
    const { rows } = await db.query<{ workspace_id: string }>({
      name: 'first-owned',
      text: `SELECT workspace_id FROM memberships WHERE user_id = $1 AND role = 'owner' ORDER BY joined_at, workspace_id LIMIT 1`,
      values: [userId],
    });
    return rows[0]?.workspace_id;
  }
}
