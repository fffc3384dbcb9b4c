import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import { type MailAdminsDeps, makeMailAdmins } from './mail-admins.ts';

/** Makes a function that mails an alert of credits to the owners and admins of the workspace. Safe to repeat. */
export function makeMailCreditsLow(deps: MailAdminsDeps) {
  const mailAdmins = makeMailAdmins(deps);
  return ({ id: eventId, workspaceId, of, percent, remaining, resetsAt }: CreditsLow): Promise<void> =>
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
