/** Where a delivery stands. `retrying` waits for its next try, `paused` has had them all, `failed` was refused for good. */
export type DeliveryStatus = 'pending' | 'delivering' | 'delivered' | 'retrying' | 'paused' | 'failed';

/** What an attempt is made by. */
export type AttemptBy = 'schedule' | 'redeliver' | 'test';

/** What came of one attempt. */
export interface DeliveryResult {
  /** Of the answer: HTTP's, or SMTP's; 0: there was none. */
  readonly status: number;
  /** For people, with nothing secret in it; empty: it was taken. */
  readonly error: string;
  /** How the answer began, as plain text. */
  readonly answer: string;
  /** Whether trying again would change nothing; absent: what `status` says. */
  readonly isFinal?: boolean;
}

/** A message on its way, as those who send it are given it. */
export interface OutgoingMessage {
  /** The delivery's, the same at every attempt. */
  readonly id: string;
  readonly event: string;
  /** Of a chat: slack, teams, discord, mattermost, google_chat; empty otherwise. */
  readonly service: string;
  /** Where it goes, nothing masked. */
  readonly url: string;
  /** Of a mail: who it is for. */
  readonly recipient: string;
  readonly body: string;
  /** What it queues by. */
  readonly queueKey: string;
  /** Of a webhook: what it is signed with, the newest first. */
  readonly secrets: readonly string[];
}

/** Sends a message once and says what came of it. Never rejects for what the receiver does. */
export type Send = (message: OutgoingMessage) => Promise<DeliveryResult>;

/** How each kind of message is sent. */
export type Senders = Readonly<Record<'webhook' | 'chat' | 'mail', Send>>;
