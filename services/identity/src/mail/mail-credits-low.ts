import { createHash } from 'node:crypto';
import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { MemberStore } from '../store/member-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';
import type { AccountMails } from './account-mails.ts';

interface Deps {
  readonly pool: pg.Pool;
  readonly members: Pick<MemberStore, 'list'>;
  readonly workspaces: Pick<WorkspaceStore, 'find'>;
  readonly mails: AccountMails;
}

/** Mails an alert of credits to the owners and admins of the workspace. Safe to repeat: a mail is identified by the alert and the address. */
export function makeMailCreditsLow({ pool, members, workspaces, mails }: Deps) {
  return async (alert: CreditsLow): Promise<void> => {
    if (!mails.isOn) return;
    const workspace = await workspaces.find(alert.workspaceId);
    if (workspace === undefined) return;
    const people = (await members.list(alert.workspaceId)).filter(({ role }) => role === 'owner' || role === 'admin');
    const content = {
      workspaceName: workspace.name,
      used: `${alert.percent} % of the ${alert.of === 'welcome' ? 'welcome credits' : alert.of}`,
      left: alert.remaining === undefined ? '' : alert.remaining.toLocaleString('en-US'),
      resetsAt: alert.resetsAt?.toISOString().slice(0, 10) ?? '',
    };
    const sends = await inTransaction(pool, async (db) => {
      const written: (() => void)[] = [];
      for (const { email } of people)
        written.push(await mails.write(db, { kind: 'credits_low', to: email, ...content }, mailId(alert.id, email)));
      return written;
    });
    for (const send of sends) send();
  };
}

const mailId = (alertId: string, email: string): string =>
  `mail_${createHash('sha256').update(`${alertId}\n${email}`).digest('hex').slice(0, 40)}`;
