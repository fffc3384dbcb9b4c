import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import type { MailAdmins } from './mail-admins.ts';

/** Mails an alert of credits to the owners and admins of the workspace. Safe to repeat. */
export type MailCreditsLow = (creditsLow: CreditsLow) => Promise<void>;

export function makeMailCreditsLow(mailAdmins: MailAdmins): MailCreditsLow {
  return ({ id: eventId, workspaceId, of, percent, remaining, resetsAt }) =>
    mailAdmins({
      workspaceId,
      eventId,
      write: (workspaceName) => ({
        kind: 'credits_low',
        workspaceName,
        used: `${percent} % of the ${of === 'welcome' ? 'welcome credits' : of}`,
        left: remaining === undefined ? '' : remaining.toLocaleString('en-US'),
        resetsAt: resetsAt?.toISOString().slice(0, 10) ?? '',
      }),
    });
}
