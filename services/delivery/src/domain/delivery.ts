import type { StatesAfter, Transitions } from '@tidemark/sql/transitions';

/** Status of a delivery. `retrying` waits for its next try, `paused` has used up its tries, `failed` was refused for good. */
export type DeliveryStatus = 'pending' | 'delivering' | 'delivered' | 'retrying' | 'paused' | 'failed';

/**
 * The state machine of a delivery, which begins as `pending`. A claim whose lease has expired is repeated. Statements take both sides of a
 * transition from here.
 */
export const DELIVERY_TRANSITIONS = {
  claim: { from: ['pending', 'retrying', 'delivering'], to: 'delivering' },
  /** The receiver accepted the message. */
  deliver: { from: ['delivering'], to: 'delivered' },
  /** The attempt failed, and another is scheduled. */
  retry: { from: ['delivering'], to: 'retrying' },
  /** The last try failed, or the receiver has accepted nothing for as long. */
  pause: { from: ['delivering', 'pending', 'retrying'], to: 'paused' },
  /** The receiver refused the message for good. */
  refuse: { from: ['delivering'], to: 'failed' },
  redeliver: { from: ['pending', 'retrying', 'delivered', 'paused', 'failed'], to: 'pending' },
} as const satisfies Transitions<DeliveryStatus>;

/** The states of a delivery that waits for an attempt. */
export const WAITING_STATES = [
  'pending',
  'retrying',
] as const satisfies readonly (typeof DELIVERY_TRANSITIONS.pause.from)[number][];

/** The status after an attempt. */
export type AttemptedStatus = Exclude<StatesAfter<typeof DELIVERY_TRANSITIONS, 'delivering'>, 'delivering'>;

/** Cause of an attempt. */
export type AttemptBy = 'schedule' | 'redeliver' | 'test';

/** Result of one attempt. */
export interface DeliveryResult {
  /** Status of the HTTP or SMTP response; 0: there was none. */
  readonly status: number;
  /** Reason for users, without secrets; empty: the message was accepted. */
  readonly error: string;
  /** Start of the response, as plain text. */
  readonly answer: string;
  /** Whether a retry is pointless; absent: derived from `status`. */
  readonly isFinal?: boolean;
}

/** A message to be sent now. */
export interface OutgoingMessage {
  /** The delivery's id, the same at every attempt. */
  readonly id: string;
  readonly event: string;
  /** For chat: slack, teams, discord, mattermost, google_chat; empty otherwise. */
  readonly service: string;
  /** Destination, unmasked. */
  readonly url: string;
  /** For mail: the recipient's address. */
  readonly recipient: string;
  readonly body: string;
  /** Key of its receiver queue. */
  readonly queueKey: string;
  /** For a webhook: the signing secrets, newest first. */
  readonly secrets: readonly string[];
}

/** Sends a message once. Failures of the receiver are part of the result, never a rejection. */
export type Send = (message: OutgoingMessage) => Promise<DeliveryResult>;

/** The sender of each kind of message. */
export type Senders = Readonly<Record<'webhook' | 'chat' | 'mail', Send>>;
