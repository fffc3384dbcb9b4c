import type { EgressGuard } from '@tidemark/egress';
import type { Sealer } from '@tidemark/sealing';
import { type App, Coalescer, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import type { OpenChannels } from '../channels/project-channels.ts';
import { makeSendChat } from '../chat/send-chat.ts';
import type { DeliveryResult, Senders } from '../domain/delivery.ts';
import { newSecret } from '../domain/new-secret.ts';
import { makePost } from '../http/post-message.ts';
import { makeSendMail } from '../mail/mailer.ts';
import { type Claimed, Claims } from '../store/claims.ts';
import { type FinishedAttempt, writeAttempts } from '../store/finished-attempts.ts';
import { postponeBacklog } from '../store/postpone-backlog.ts';
import { Queue } from '../store/queue.ts';
import { Receivers } from '../store/receivers.ts';
import { type Destination, destinationOf } from './destination.ts';
import { Dispatcher } from './dispatcher.ts';
import { makeAttempt } from './make-attempt.ts';
import { makeSendWebhook } from './send-webhook.ts';

/** How long the end of an attempt is tried to be written. */
const WRITE_RETRY_MS = 60_000;
const MAX_ATTEMPTS_PER_WRITE = 100;
/** One mail, well within the time of an attempt. */
const MAIL_TIMEOUT_MS = 30_000;

export interface SendingDeps {
  readonly pool: pg.Pool;
  readonly sealer: Sealer;
  readonly guard: EgressGuard;
  /** Asked before every attempt: an answer of a moment ago serves. */
  readonly openChannels: OpenChannels;
  readonly now: () => Date;
  readonly mail: { readonly url: string; readonly from: string };
  readonly pollIntervalMs: number;
}

/** The queue and who empties it. */
export interface Sending {
  readonly queue: Queue;
  readonly receivers: Receivers;
  readonly dispatcher: Dispatcher;
}

/** Begins to send what is due. */
export function openSending(app: Pick<App<unknown>, 'own' | 'log'>, deps: SendingDeps): Sending {
  const { pool, sealer, openChannels, now, pollIntervalMs } = deps;
  const receivers = new Receivers(pool, sealer, newSecret);
  const finishedAttempts = new Coalescer<FinishedAttempt, undefined>((batch) => writeAndPostpone(batch), {
    maxBatch: MAX_ATTEMPTS_PER_WRITE,
  });
  const dispatcher = app.own(
    new Dispatcher({
      claims: new Claims(pool, sealer),
      attempt: makeAttempt({ senders: openSenders(deps), currentDestination, now, log: app.log }),
      writeAttempt: (end) => retryWhileDatabaseUnavailable(() => finishedAttempts.add(end), WRITE_RETRY_MS),
      ...{ now, pollIntervalMs, log: app.log },
    }),
  );
  const queue = new Queue(receivers, now, (queueKeys) => dispatcher.wake(queueKeys));
  return { queue, receivers, dispatcher };

  /** A brake that fails is put on by the next attempt that does. */
  async function writeAndPostpone(batch: readonly FinishedAttempt[]): Promise<readonly undefined[]> {
    const written = await writeAttempts(pool, batch);
    await postponeBacklog(pool, batch).catch((err: unknown) =>
      app.log.warn({ err }, 'deliveries could not be held back'),
    );
    return written;
  }

  /** A receiver that has moved is kept where it is now, and what waits for it moves with it. */
  async function currentDestination(claimed: Claimed, known: string): Promise<Destination> {
    const { workspaceId, projectId, kind, receiverId: id, receiver } = claimed;
    const destination = destinationOf(await openChannels(workspaceId, projectId), claimed, known);
    if ('url' in destination && destination.url !== known) {
      const service = receiver?.service ?? '';
      await receivers.upsert(pool, [{ id, workspaceId, projectId, kind, service, url: destination.url }]);
    }
    return destination;
  }
}

/** A mail host that is gone takes with it what was to be sent through it. */
const noMailHost = async (): Promise<DeliveryResult> => ({
  status: 0,
  error: 'there is no mail host any more',
  answer: '',
  isFinal: true,
});

function openSenders({ guard, mail, now }: SendingDeps): Senders {
  const post = makePost(guard);
  return {
    webhook: makeSendWebhook(post, now),
    chat: makeSendChat(post),
    mail: mail.url === '' ? noMailHost : makeSendMail({ ...mail, withinMs: MAIL_TIMEOUT_MS }),
  };
}
