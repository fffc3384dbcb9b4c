import { createHash } from 'node:crypto';
import type { OutgoingEvent } from '@tidemark/service';
import { changeRows, selectRow } from '@tidemark/sql';
import { mailboxOf } from '../domain/mailbox.ts';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';
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
    const granted = await changeRows(
      db,
      tables
        .insertInto('welcome_grants')
        .values({ mailbox, user_id: userId, workspace_id: workspaceId })
        .onConflict((conflict) => conflict.doNothing()),
    );
    if (granted === 0) return [];
    const changed = await changeRows(
      db,
      tables
        .updateTable('workspaces')
        .set({ welcome_of: userId })
        .where('id', '=', workspaceId)
        .where('welcome_of', 'is', null)
        .where('parent_id', 'is', null),
    );
    return changed === 0 ? [] : publishSnapshot(db, workspaceId, { at: this.#now() });
  }

  /** Returns the workspace that a person made at sign-up; undefined if they own none. */
  async firstOwned(db: Queryable, userId: string): Promise<string | undefined> {
    const first = await selectRow(
      db,
      tables
        .selectFrom('memberships')
        .select('workspace_id')
        .where('user_id', '=', userId)
        .where('role', '=', 'owner')
        .orderBy('joined_at')
        .orderBy('workspace_id')
        .limit(1),
    );
    return first?.workspace_id;
  }
}
