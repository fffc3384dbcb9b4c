/** Status of a delivery. `retrying` waits for its next try, `paused` has used up its tries, `failed` was refused for good. */
export type DeliveryStatus = 'pending' | 'delivering' | 'delivered' | 'retrying' | 'paused' | 'failed';

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
