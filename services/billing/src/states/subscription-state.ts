import type { Transitions } from '@tidemark/sql/transitions';

/** States of a subscription. `expired`: checkout was not completed in time. */
export const SUBSCRIPTION_STATES = ['incomplete', 'expired', 'active', 'past_due', 'ended'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/**
 * The state machine of a subscription, which begins as `incomplete`. `stateAt` decides when; the statements take both sides of a transition from
 * here. A captured payment may be found after its checkout expired, and after the period that it pays for.
 */
export const SUBSCRIPTION_TRANSITIONS = {
  /** A payment of the current period was captured. */
  activate: { from: ['incomplete', 'expired', 'past_due'], to: 'active' },
  /** The checkout was not completed within a day, the workspace has another subscription, or it was deleted. */
  expire: { from: ['incomplete'], to: 'expired' },
  /** The renewal was not paid. */
  missRenewal: { from: ['incomplete', 'expired', 'active'], to: 'past_due' },
  /** It was cancelled or replaced, its renewal remained unpaid, or its workspace was deleted. */
  end: { from: ['incomplete', 'expired', 'active', 'past_due'], to: 'ended' },
} as const satisfies Transitions<SubscriptionState>;

/** The states in which a workspace has the plan. */
export const LIVE_STATES = ['active', 'past_due'] as const satisfies readonly SubscriptionState[];

export const isLive = ({ state }: { readonly state: SubscriptionState }): boolean =>
  state === 'active' || state === 'past_due';

/** States of a subscription at a gateway. `closed`: cancelled, halted after failed payments, or complete. */
export const GATEWAY_STATES = ['created', 'authenticated', 'active', 'unpaid', 'closed'] as const;
export type GatewayState = (typeof GATEWAY_STATES)[number];

/** What is stored of a subscription. Every field only grows, or belongs to the latest `fetchedAtMs`. Times are milliseconds. */
export interface KnownSubscription {
  readonly state: SubscriptionState;
  readonly createdAtMs: number;
  /** End of the latest paid period; undefined before the first payment. */
  readonly paidUntilMs: number | undefined;
  readonly gatewayState: GatewayState;
  /** When `gatewayState` was read; 0: never. */
  readonly fetchedAtMs: number;
  /** True if the subscriber has cancelled. */
  readonly cancelAtEnd: boolean;
}

/** A subscription as read from the gateway, with the ends of the periods that payments were captured for. */
export interface SubscriptionSnapshot {
  readonly fetchedAtMs: number;
  readonly gatewayState: GatewayState;
  readonly cancelAtEnd: boolean;
  readonly paidUntilMs: readonly number[];
}

const HOUR_MS = 3_600_000;
/** A checkout that is not completed by then has expired. */
export const CHECKOUT_MS = 24 * HOUR_MS;
/** Banks in India confirm a renewal up to three days late (RBI e-mandates); until then a missing renewal is no failure. */
const LATE_CONFIRMATION_MS = 72 * HOUR_MS;
/** An unpaid renewal ends the subscription after seven days. */
export const GRACE_MS = 7 * 24 * HOUR_MS;

/**
 * Merges a snapshot. An older snapshot does not change the state at the gateway; its payments count all the same, so that snapshots in any
 * order and number lead to the same result.
 */
export function mergeSnapshot(known: KnownSubscription, snapshot: SubscriptionSnapshot): KnownSubscription {
  const ends = [...snapshot.paidUntilMs, ...(known.paidUntilMs === undefined ? [] : [known.paidUntilMs])];
  const paidUntilMs = ends.length === 0 ? undefined : Math.max(...ends);
  const isNewer = snapshot.fetchedAtMs > known.fetchedAtMs;
  return {
    ...known,
    paidUntilMs,
    gatewayState: isNewer ? snapshot.gatewayState : known.gatewayState,
    fetchedAtMs: Math.max(known.fetchedAtMs, snapshot.fetchedAtMs),
    cancelAtEnd: known.cancelAtEnd || snapshot.cancelAtEnd,
  };
}

/** Returns the state of a subscription at `nowMs`. `ended` is final. */
export function stateAt(known: KnownSubscription, nowMs: number): SubscriptionState {
  const { state, paidUntilMs, gatewayState, cancelAtEnd, createdAtMs } = known;
  if (state === 'ended') return 'ended';
  if (paidUntilMs === undefined) {
    if (gatewayState === 'closed') return 'expired';
    return state === 'expired' || nowMs >= createdAtMs + CHECKOUT_MS ? 'expired' : 'incomplete';
  }
  if (nowMs < paidUntilMs) return 'active';
  if (cancelAtEnd || gatewayState === 'closed' || nowMs >= paidUntilMs + GRACE_MS) return 'ended';
  return gatewayState === 'unpaid' || nowMs >= paidUntilMs + LATE_CONFIRMATION_MS ? 'past_due' : 'active';
}
