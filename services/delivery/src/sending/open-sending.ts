import type { EgressGuard } from '@tidemark/egress';
import type { Sealer } from '@tidemark/sealing';
import { type App, Coalescer, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import { makeSendChat } from '../chat/send-chat.ts';
import type { Outcome, Senders } from '../domain/delivery.ts';
import { makeSendMail } from '../mail/mailer.ts';
import { newSecret } from '../secrets/new-secret.ts';
import { brake } from '../store/brake.ts';
import { type Claimed, Claims } from '../store/claims.ts';
import { type AttemptEnd, writeEnds } from '../store/ends.ts';
import { Queue } from '../store/queue.ts';
import { Receivers } from '../store/receivers.ts';
import { Dispatcher } from './dispatcher.ts';
import { type Destination, makeAttempt } from './make-attempt.ts';
import { makePost } from './post-message.ts';
import { destinationOf, type OpenChannels } from './project-channels.ts';
import { makeSendWebhook } from './send-webhook.ts';

/** How long the end of an attempt is tried to be written. */
const AWAY_MS = 60_000;
const ENDS_AT_ONCE = 100;
/** One mail, well within the time of an attempt. */
const MAIL_WITHIN_MS = 30_000;

export interface SendingDeps {
  readonly pool: pg.Pool;
  readonly sealer: Sealer;
  readonly guard: EgressGuard;
  /** Asked before every attempt: an answer of a moment ago serves. */
  readonly openChannels: OpenChannels;
  readonly now: () => Date;
  readonly mail: { readonly url: string; readonly from: string };
  readonly lookEveryMs: number;
}

/** The queue and who empties it. */
export interface Sending {
  readonly queue: Queue;
  readonly receivers: Receivers;
  readonly dispatcher: Dispatcher;
}

/** Begins to send what is due. */
export function openSending(app: Pick<App<unknown>, 'own' | 'log'>, deps: SendingDeps): Sending {
  const { pool, sealer, openChannels, now, lookEveryMs } = deps;
  const receivers = new Receivers(pool, sealer, newSecret);
  const ends = new Coalescer<AttemptEnd, undefined>((batch) => writeAndBrake(batch), { maxBatch: ENDS_AT_ONCE });
  const dispatcher = app.own(
    new Dispatcher({
      claims: new Claims(pool, sealer),
      attempt: makeAttempt({ senders: openSenders(deps), whereNow, now, log: app.log }),
      writeEnd: (end) => retryWhileDatabaseUnavailable(() => ends.add(end), AWAY_MS),
      ...{ now, lookEveryMs, log: app.log },
    }),
  );
  const queue = new Queue(receivers, now, (lanes) => dispatcher.wake(lanes));
  return { queue, receivers, dispatcher };

  /** A brake that fails is put on by the next attempt that does. */
  async function writeAndBrake(batch: readonly AttemptEnd[]): Promise<readonly undefined[]> {
    const written = await writeEnds(pool, batch);
    await brake(pool, batch).catch((err: unknown) => app.log.warn({ err }, 'deliveries could not be held back'));
    return written;
  }

  /** A receiver that has moved is kept where it is now, and what waits for it moves with it. */
  async function whereNow(claimed: Claimed, known: string): Promise<Destination> {
    const { workspaceId, projectId, kind, receiverId: id, receiver } = claimed;
    const destination = destinationOf(await openChannels(workspaceId, projectId), claimed, known);
    if ('url' in destination && destination.url !== known) {
      const service = receiver?.service ?? '';
      await receivers.keep(pool, [{ id, workspaceId, projectId, kind, service, url: destination.url }]);
    }
    return destination;
  }
}

/** A mail host that is gone takes with it what was to be sent through it. */
const noMailHost = async (): Promise<Outcome> => ({
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
    mail: mail.url === '' ? noMailHost : makeSendMail({ ...mail, withinMs: MAIL_WITHIN_MS }),
  };
}
