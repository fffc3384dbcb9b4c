import { createHash } from 'node:crypto';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { MemberStore } from '../store/member-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';
import type { AccountMail, AccountMails } from './account-mails.ts';

export interface MailAdminsDeps {
  readonly pool: pg.Pool;
  readonly members: Pick<MemberStore, 'list'>;
  readonly workspaces: Pick<WorkspaceStore, 'find'>;
  readonly mails: AccountMails;
}

export interface AdminMail {
  readonly workspaceId: string;
  /** Identifies the event that the mail is about; with the address, the mail. */
  readonly eventId: string;
  readonly write: (workspaceName: string) => Omit<AccountMail, 'to'>;
}

/** Mails the owners and admins of a workspace. Safe to repeat: a mail is identified by its event and the address. */
export type MailAdmins = (adminMail: AdminMail) => Promise<void>;

export function makeMailAdmins({ pool, members, workspaces, mails }: MailAdminsDeps): MailAdmins {
  return async ({ workspaceId, eventId, write }) => {
    if (!mails.isOn) return;
    const workspace = await workspaces.find(workspaceId);
    if (workspace === undefined) return;
    const people = (await members.list(workspaceId)).filter(({ role }) => role === 'owner' || role === 'admin');
    const mail = write(workspace.name);
    const sends = await inTransaction(pool, async (db) => {
      const written: (() => void)[] = [];
      for (const { email } of people)
        written.push(await mails.write(db, { ...mail, to: email }, mailId(eventId, email)));
      return written;
    });
    for (const send of sends) send();
  };
}

const mailId = (eventId: string, email: string): string =>
  `mail_${createHash('sha256').update(`${eventId}\n${email}`).digest('hex').slice(0, 40)}`;
