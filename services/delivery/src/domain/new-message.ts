/** Whom a message goes to: a project's webhook, its chat channel, its readers of mail, or the webhook of one job. */
export interface MessageReceiver {
  /** `prj_…:webhook`, `prj_…:chat`, `prj_…:mail`, or the id of a job. */
  readonly id: string;
  readonly workspaceId: string;
  /** Empty of a job's. */
  readonly projectId: string;
  readonly kind: 'webhook' | 'chat' | 'mail';
  /** Of a chat: slack, teams, discord, mattermost, google_chat; empty otherwise. */
  readonly service: string;
  /** Where it is, nothing masked; of mail: `mailto:`. */
  readonly url: string;
  /** Of a job's webhook: the signing secret, sealed under `id`. A project's secret is generated when it is first needed. */
  readonly sealedSecret?: Buffer;
}

/** A message that is to be delivered, once and until it is. */
export interface NewMessage {
  /** What it tells of, to whom: told twice, it is one. Such as `run_…:run.finished:webhook`. */
  readonly key: string;
  readonly receiver: MessageReceiver;
  /** The run, crawl or batch it tells of; empty: none. */
  readonly runId: string;
  readonly event: string;
  /** Of a mail: the address it goes to; empty otherwise. */
  readonly recipient: string;
  readonly createdAt: Date;
  readonly isTest?: boolean;
  /** The bytes that are signed and sent, each time the same: made with the delivery's id in it. Of a mail: {subject, text, html} as JSON. */
  readonly body: (id: string) => string;
}
