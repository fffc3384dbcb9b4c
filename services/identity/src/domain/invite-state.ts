import type { Transitions } from '@tidemark/sql/transitions';

/** State of an invitation. It expires by itself. */
export type InviteState = 'open' | 'accepted' | 'revoked' | 'expired';

/** The state machine of an invitation, which begins as `open`. Statements take both sides of a transition from here. */
export const INVITE_TRANSITIONS = {
  accept: { from: ['open'], to: 'accepted' },
  /** By an admin, by a newer invitation of the address, or with the rights of its maker. */
  revoke: { from: ['open'], to: 'revoked' },
  expire: { from: ['open'], to: 'expired' },
} as const satisfies Transitions<InviteState>;
