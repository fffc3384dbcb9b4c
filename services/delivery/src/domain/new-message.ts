/** Receiver of messages: a project's webhook, chat channel or mail recipients, or the webhook of one job. */
export interface MessageReceiver {
  /** `prj_…:webhook`, `prj_…:chat`, `prj_…:mail`, or the id of a job. */
  readonly id: string;
  readonly workspaceId: string;
  /** Empty for a job's webhook. */
  readonly projectId: string;
  readonly kind: 'webhook' | 'chat' | 'mail';
  /** For chat: slack, teams, discord, mattermost, google_chat; empty otherwise. */
  readonly service: string;
  /** Address, unmasked; for mail: `mailto:`. */
  readonly url: string;
  /** For a job's webhook: the signing secret, sealed under `id`. A project's secret is generated when it is first needed. */
  readonly sealedSecret?: Buffer;
}

/** A message to be delivered at least once. */
export interface NewMessage {
  /** Idempotency key, such as `run_…:run.finished:webhook`. */
  readonly key: string;
  readonly receiver: MessageReceiver;
  /** The run, crawl or batch the message reports; empty: none. */
  readonly runId: string;
  readonly event: string;
  /** For mail: the recipient's address; empty otherwise. */
  readonly recipient: string;
  readonly createdAt: Date;
  readonly isTest?: boolean;
  /** Builds the body from the delivery's id; the stored bytes are signed and sent at every attempt. For mail: {subject, text, html} as JSON. */
  readonly body: (id: string) => string;
}
