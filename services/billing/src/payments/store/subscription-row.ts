import type { StoredLine } from '../../documents/document.ts';
import type { GatewayState, SubscriptionState } from '../../states/subscription-state.ts';
import type { BillingPeriod } from '../port/gateway.ts';

/** Plan and price of a subscription from its next period on. */
export interface NextPlan {
  readonly plan: string;
  readonly period: BillingPeriod;
  readonly netMinor: number;
  readonly grossMinor: number;
  readonly lines: readonly StoredLine[];
}

/** A subscription as stored. Amounts are minor units; bigint columns are read as text. */
export interface SubscriptionRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly gatewayId: string | null;
  readonly state: SubscriptionState;
  readonly gatewayState: GatewayState;
  readonly fetchedAt: Date | null;
  readonly plan: string;
  readonly period: BillingPeriod;
  readonly currency: string;
  readonly netMinor: string;
  readonly grossMinor: string;
  readonly dueMinor: string;
  readonly dueNetMinor: string;
  readonly dueLines: readonly StoredLine[];
  readonly renewalLines: readonly StoredLine[];
  readonly taxNote: string;
  readonly replaces: string | null;
  readonly allowanceAdded: number;
  readonly anchorAt: Date | null;
  readonly firstFrom: Date | null;
  readonly firstUntil: Date | null;
  readonly paidFrom: Date | null;
  readonly paidUntil: Date | null;
  readonly paidNetMinor: string;
  readonly cancelAtEnd: boolean;
  readonly next: NextPlan | null;
  readonly closing: 'now' | 'cycle_end' | null;
  readonly card: string;
  /** When a renewal was found unpaid; null: none is. */
  readonly pastDueAt: Date | null;
  /** Reminders of that renewal that were sent. */
  readonly reminders: number;
  readonly createdAt: Date;
}

export const SUBSCRIPTION_COLUMNS = `id, workspace_id AS "workspaceId", gateway_id AS "gatewayId", state, gateway_state AS "gatewayState",
  fetched_at AS "fetchedAt", plan, period, currency, net_minor AS "netMinor", gross_minor AS "grossMinor", due_minor AS "dueMinor",
  due_net_minor AS "dueNetMinor", due_lines AS "dueLines", renewal_lines AS "renewalLines", tax_note AS "taxNote", replaces,
  allowance_added AS "allowanceAdded", anchor_at AS "anchorAt", first_from AS "firstFrom", first_until AS "firstUntil", paid_from AS "paidFrom",
  paid_until AS "paidUntil", paid_net_minor AS "paidNetMinor", cancel_at_end AS "cancelAtEnd", next, closing, card, past_due_at AS "pastDueAt", reminders, created_at AS "createdAt"`;
