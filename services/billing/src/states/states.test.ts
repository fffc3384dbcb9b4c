import { describe, expect, it } from '@jest/globals';
import { statesBefore } from '@tidemark/sql/transitions';
import fc from 'fast-check';
import { invoiceState } from './invoice-state.ts';
import {
  laterOrderState,
  laterPaymentState,
  laterRefundState,
  ORDER_STATES,
  PAYMENT_STATES,
  REFUND_STATES,
} from './payment-state.ts';
import {
  GATEWAY_STATES,
  type KnownSubscription,
  mergeSnapshot,
  SUBSCRIPTION_STATES,
  SUBSCRIPTION_TRANSITIONS,
  type SubscriptionSnapshot,
  type SubscriptionState,
  stateAt,
} from './subscription-state.ts';

const DAY_MS = 86_400_000;

const RISING = 'only rises, and ends alike for repeated and reordered messages';

function onlyRises<T extends string>(states: readonly [T, ...T[]], later: (a: T, b: T) => T): void {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...states), { minLength: 1 }), fc.nat(), (messages, seed) => {
      let state = states[0];
      for (const message of messages) {
        const next = later(state, message);
        expect(states.indexOf(next)).toBeGreaterThanOrEqual(states.indexOf(state));
        state = next;
      }
      const shuffled = [...messages, ...messages].sort((a, b) => hash(a, seed) - hash(b, seed));
      expect(shuffled.reduce(later, states[0])).toBe(state);
    }),
  );
}

describe('laterPaymentState', () => {
  it(RISING, () => onlyRises(PAYMENT_STATES, laterPaymentState));
});

describe('laterOrderState', () => {
  it(RISING, () => onlyRises(ORDER_STATES, laterOrderState));
});

describe('laterRefundState', () => {
  it(RISING, () => onlyRises(REFUND_STATES, laterRefundState));
});

describe('invoiceState', () => {
  it('follows the sum of the credit notes', () => {
    expect([0n, 1n, 99n, 100n].map((credited) => invoiceState(100n, credited))).toEqual([
      'paid',
      'partly_refunded',
      'partly_refunded',
      'refunded',
    ]);
  });
});

const known = (overrides: Partial<KnownSubscription> = {}): KnownSubscription => ({
  state: 'incomplete',
  createdAtMs: 0,
  paidUntilMs: undefined,
  gatewayState: 'created',
  fetchedAtMs: 0,
  cancelAtEnd: false,
  ...overrides,
});
const paid = (overrides: Partial<KnownSubscription> = {}) =>
  known({ state: 'active', paidUntilMs: 30 * DAY_MS, gatewayState: 'active', ...overrides });

describe('stateAt', () => {
  it('expires a checkout that is not completed within a day', () => {
    expect([stateAt(known(), DAY_MS - 1), stateAt(known(), DAY_MS)]).toEqual(['incomplete', 'expired']);
  });

  it('activates a subscription that is paid after its checkout expired', () => {
    expect(stateAt(paid({ state: 'expired' }), 2 * DAY_MS)).toBe('active');
  });

  it('keeps a subscription active for three days while the confirmation of a renewal is late', () => {
    expect([29, 30, 32.9, 33, 36.9, 37].map((day) => stateAt(paid(), day * DAY_MS))).toEqual([
      'active',
      'active',
      'active',
      'past_due',
      'past_due',
      'ended',
    ]);
  });

  it('marks a failed renewal as past due for seven days, and then ends', () => {
    const unpaid = paid({ gatewayState: 'unpaid' });
    expect([30, 36.9, 37].map((day) => stateAt(unpaid, day * DAY_MS))).toEqual(['past_due', 'past_due', 'ended']);
  });

  it('ends a cancelled subscription at the end of what was paid, and not before', () => {
    for (const cancelled of [paid({ cancelAtEnd: true }), paid({ gatewayState: 'closed' })])
      expect([29, 30].map((day) => stateAt(cancelled, day * DAY_MS))).toEqual(['active', 'ended']);
  });

  it('keeps an ended subscription ended', () => {
    expect(stateAt(paid({ state: 'ended', paidUntilMs: 90 * DAY_MS }), 31 * DAY_MS)).toBe('ended');
  });
});

describe('mergeSnapshot', () => {
  const snapshots = fc.uniqueArray(
    fc.record({
      fetchedAtMs: fc.integer({ min: 1, max: 1_000 }),
      gatewayState: fc.constantFrom(...GATEWAY_STATES),
      cancelAtEnd: fc.boolean(),
      paidUntilMs: fc.array(fc.integer({ min: 0, max: 90 * DAY_MS }), { maxLength: 2 }),
    }),
    { selector: ({ fetchedAtMs }) => fetchedAtMs, minLength: 1, maxLength: 8 },
  );

  it('leads to the same result for repeated and reordered snapshots, and never shortens the paid time', () => {
    fc.assert(
      fc.property(snapshots, fc.nat(), (events, seed) => {
        const inOrder = events.toSorted((a, b) => a.fetchedAtMs - b.fetchedAtMs).reduce(mergeSnapshot, known());
        const shuffled = [...events, ...events].sort((a, b) => hash(a.fetchedAtMs, seed) - hash(b.fetchedAtMs, seed));
        let last = known();
        for (const snapshot of shuffled) {
          const next = mergeSnapshot(last, snapshot satisfies SubscriptionSnapshot);
          expect(next.paidUntilMs ?? 0).toBeGreaterThanOrEqual(last.paidUntilMs ?? 0);
          last = next;
        }
        expect(last).toEqual(inOrder);
      }),
    );
  });
});

/** Orders values pseudo-randomly by the seed. */
const hash = (value: unknown, seed: number): number => {
  let h = seed % 65_537;
  for (const char of String(value)) h = (h * 31 + char.charCodeAt(0)) % 65_537;
  return h;
};

describe('SUBSCRIPTION_TRANSITIONS', () => {
  const times = fc.integer({ min: 0, max: 90 * DAY_MS });

  it('has every change of state that stateAt makes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SUBSCRIPTION_STATES),
        fc.constantFrom(...GATEWAY_STATES),
        fc.option(times, { nil: undefined }),
        fc.boolean(),
        times,
        (state, gatewayState, paidUntilMs, cancelAtEnd, nowMs) => {
          const isPaid = state === 'active' || state === 'past_due' || state === 'ended';
          fc.pre(!isPaid || paidUntilMs !== undefined);
          const next = stateAt(known({ state, gatewayState, paidUntilMs, cancelAtEnd }), nowMs);
          expect([next, ...statesBefore<SubscriptionState>(SUBSCRIPTION_TRANSITIONS, next)]).toContain(state);
        },
      ),
    );
  });
});
