import { events } from '@tidemark/contracts';
import { auditEvent, type OutgoingEvent } from '@tidemark/service';

/** The workspace of a change, and the person or key that requested it. */
export interface RequestedBy {
  readonly workspaceId: string;
  readonly actorId: string;
}

/** What a workspace does with its payments. `credits.bought` follows a payment, and is done by billing itself. */
export type PaymentAction =
  | 'billing_details.changed'
  | 'subscription.ordered'
  | 'subscription.change_scheduled'
  | 'subscription.kept'
  | 'subscription.cancelled'
  | 'card.change_started'
  | 'credits.ordered'
  | 'credits.bought';

/** Returns the entry of the audit log of a change. It is written in the transaction of the change. */
export const audited = (
  by: RequestedBy,
  action: PaymentAction,
  subjectId: string,
  detail: Readonly<Record<string, string | number>> = {},
): OutgoingEvent => auditEvent(events.billingAudited, by, { action, subjectId, detail, at: new Date() });
