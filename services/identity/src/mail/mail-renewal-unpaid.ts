import type { RenewalUnpaid } from '@tidemark/contracts/billing/v1/events';
import type { MailAdmins } from './mail-admins.ts';

/** Mails an unpaid renewal, or the end of the plan after it, to the owners and admins. Safe to repeat. */
export type MailRenewalUnpaid = (renewalUnpaid: RenewalUnpaid) => Promise<void>;

export function makeMailRenewalUnpaid(mailAdmins: MailAdmins): MailRenewalUnpaid {
  return ({ id: eventId, workspaceId, plan, amountMinor, currency, hasEnded, endsAt }) =>
    mailAdmins({
      workspaceId,
      eventId,
      write: (workspaceName) => ({
        kind: hasEnded ? 'plan_ended' : 'renewal_unpaid',

        workspaceName,
        plan,
        amount: formatMinor(amountMinor, currency),
        endsAt: endsAt?.toISOString().slice(0, 10) ?? '',
      }),
    });
}

/** Formats minor units with the digits of their currency, such as INR 2,242.00. */
function formatMinor(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const { maximumFractionDigits = 2 } = format.resolvedOptions();
  return format.format(minor / 10 ** maximumFractionDigits).replace('\u00a0', ' ');
}
