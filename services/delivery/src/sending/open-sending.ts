import type { EgressGuard } from '@tidemark/egress';
import type { Sealer } from '@tidemark/sealing';
import { type App, Coalescer, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import type { OpenChannels } from '../channels/project-channels.ts';
import { makeSendChat } from '../chat/send-chat.ts';
import type { DeliveryResult, Senders } from '../domain/delivery.ts';
import { newSecret } from '../domain/new-secret.ts';
import { makePost } from '../http/post-message.ts';
import { openMailBody } from '../mail/account-messages.ts';
import { type MailerOptions, makeSendMail } from '../mail/mailer.ts';
import { type Claimed, Claims } from '../store/claims.ts';
import { type FinishedAttempt, writeAttempts } from '../store/finished-attempts.ts';
import { postponeBacklog } from '../store/postpone-backlog.ts';
import { Queue } from '../store/queue.ts';
import { Receivers } from '../store/receivers.ts';
import { reasonNotToSend } from './destination.ts';
import { Dispatcher } from './dispatcher.ts';
import { makeAttempt } from './make-attempt.ts';
import { makeSendWebhook } from './send-webhook.ts';

/** Longest retry of storing an attempt while the database is unavailable, ms. */
const WRITE_RETRY_MS = 60_000;
const MAX_ATTEMPTS_PER_WRITE = 100;
/** Timeout of one mail, ms. Must be below the timeout of an attempt. */
const MAIL_TIMEOUT_MS = 30_000;

export interface SendingDeps {
  readonly pool: pg.Pool;
  readonly sealer: Sealer;
  readonly guard: EgressGuard;
  /** Called before every attempt; may be cached briefly. */
  readonly openChannels: OpenChannels;
  readonly now: () => Date;
  /** An empty URL: no mail host. */
  readonly mail: Pick<MailerOptions, 'url' | 'from' | 'openSocket'>;
  readonly pollIntervalMs: number;
}

/** The delivery queue and its dispatcher. */
export interface Sending {
  readonly queue: Queue;
  readonly receivers: Receivers;
  readonly dispatcher: Dispatcher;
}

/** Starts sending due deliveries. */
export function openSending(app: Pick<App<unknown>, 'own' | 'log'>, deps: SendingDeps): Sending {
  const { pool, sealer, openChannels, now, pollIntervalMs } = deps;
  const receivers = new Receivers(pool, sealer, newSecret);
  const finishedAttempts = new Coalescer<FinishedAttempt, undefined>((batch) => writeAndPostpone(batch), {
    maxBatch: MAX_ATTEMPTS_PER_WRITE,
  });
  const dispatcher = app.own(
    new Dispatcher({
      claims: new Claims(pool, sealer),
      attempt: makeAttempt({ senders: openSenders(deps), reasonNotToSend: checkChannel, now, log: app.log }),
      writeAttempt: (end) => retryWhileDatabaseUnavailable(() => finishedAttempts.add(end), WRITE_RETRY_MS),

      now,
      pollIntervalMs,
      log: app.log,
    }),
  );
  const queue = new Queue(receivers, now, (queueKeys) => dispatcher.wake(queueKeys));
  return { queue, receivers, dispatcher };

  /** Stores attempts. A failed postponement is repeated by the next failed attempt. */
  async function writeAndPostpone(batch: readonly FinishedAttempt[]): Promise<readonly undefined[]> {
    const written = await writeAttempts(pool, batch);
    await postponeBacklog(pool, batch).catch((err: unknown) =>
      app.log.warn({ err }, 'backlog of a failing receiver was not postponed'),
    );
    return written;
  }

  async function checkChannel(claimed: Claimed): Promise<string | undefined> {
    return reasonNotToSend(await openChannels(claimed.workspaceId, claimed.projectId), claimed);
  }
}

/** Fails mails that were queued before the mail host was removed from the configuration. */
const noMailHost = async (): Promise<DeliveryResult> => ({
  status: 0,
  error: 'no mail host is configured any more',
  answer: '',
  isFinal: true,
});

/** Sends mails; the body of a mail about an account is stored sealed. */
function openSendMail(sealer: Sealer, mail: SendingDeps['mail']): Senders['mail'] {
  const send = makeSendMail({ url: mail.url, from: mail.from, openSocket: mail.openSocket, withinMs: MAIL_TIMEOUT_MS });
  return (message) => send({ ...message, body: openMailBody(sealer, message) });
}

function openSenders({ sealer, guard, mail, now }: SendingDeps): Senders {
  const post = makePost(guard);
  return {
    webhook: makeSendWebhook(post, now),
    chat: makeSendChat(post),
    mail: mail.url === '' ? noMailHost : openSendMail(sealer, mail),
  };
}
