import type { RowOfQuery } from '@tidemark/sql';
import type { StoredLine } from '../../documents/document.ts';
import { tables } from '../../store/tables.ts';
import type { BillingPeriod } from '../port/gateway.ts';

/** Plan and price of a subscription from its next period on. */
export interface NextPlan {
  readonly plan: string;
  readonly period: BillingPeriod;
  readonly netMinor: number;
  readonly grossMinor: number;
  readonly lines: readonly StoredLine[];
}

export const SUBSCRIPTION_COLUMNS = [
  'id',
  'workspace_id as workspaceId',
  'gateway_id as gatewayId',
  'state',
  'gateway_state as gatewayState',
  'fetched_at as fetchedAt',
  'plan',
  'period',
  'currency',
  'net_minor as netMinor',
  'gross_minor as grossMinor',
  'due_minor as dueMinor',
  'due_net_minor as dueNetMinor',
  'due_lines as dueLines',
  'renewal_lines as renewalLines',
  'tax_note as taxNote',
  'replaces',
  'allowance_added as allowanceAdded',
  'anchor_at as anchorAt',
  'first_from as firstFrom',
  'first_until as firstUntil',
  'paid_from as paidFrom',
  'paid_until as paidUntil',
  'paid_net_minor as paidNetMinor',
  'cancel_at_end as cancelAtEnd',
  'next',
  'closing',
  'card',
  'past_due_at as pastDueAt',
  'reminders',
  'created_at as createdAt',
] as const;

export const SUBSCRIPTIONS = tables.selectFrom('subscriptions').select(SUBSCRIPTION_COLUMNS);

/** A subscription as stored. Amounts are minor units; bigint columns are read as text. */
export type SubscriptionRow = RowOfQuery<typeof SUBSCRIPTIONS>;
