import { within } from '@tidemark/deadline';
import { messageOf } from '@tidemark/errors';
import { isPoison, poisonReason } from '@tidemark/leased-work';
import { maskUrl, maskUrlTokens } from '@tidemark/project-config';
import type { Logger } from '@tidemark/service';
import type { DeliveryResult, Senders } from '../domain/delivery.ts';
import { transitionAfter } from '../domain/retry-schedule.ts';
import type { Claimed } from '../store/claims.ts';
import type { FinishedAttempt } from '../store/finished-attempts.ts';

export interface AttemptDeps {
  readonly senders: Senders;
  /** Returns why a project's message is not sent any more; undefined: it is sent. Rejects where projects is unavailable. */
  readonly reasonNotToSend: (claimed: Claimed) => Promise<string | undefined>;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Timeout of an attempt, ms. Must be well below the lease of its claim. */
export const ATTEMPT_WALL_MS = 35_000;

/** Makes one attempt at a delivery. Always resolves: a failure is part of the result. */
export function makeAttempt({
  senders,
  reasonNotToSend,
  now,
  log,
}: AttemptDeps): (claimed: Claimed) => Promise<FinishedAttempt> {
  return async (claimed) => {
    const at = now();
    const beganAt = performance.now();
    const { result, url } = await send(claimed).catch((err: unknown): Sent => {
      log.error({ err: messageOf(err), delivery: claimed.id }, 'delivery attempt failed unexpectedly');
      return { result: { status: 0, error: 'the message could not be sent', answer: '' }, url: '' };
    });
    const endedAt = now();
    const durationMs = performance.now() - beganAt;
    return { claimed, at, endedAt, durationMs, url, result, transition: transitionAfter(claimed, result, endedAt) };
  };

  async function send(claimed: Claimed): Promise<Sent> {
    const { receiver, kind, id, event, recipient, body, queueKey, projectId, interruptions } = claimed;
    if (isPoison(interruptions)) return refused(poisonReason('sent the message'));
    if (receiver === undefined) return refused('the receiver was deleted');
    const { url, secrets } = receiver.open();
    const reason = projectId === '' ? undefined : await checkChannel(claimed);
    if (reason !== undefined) return refused(reason);
    const message = { id, event, recipient, body, queueKey, service: receiver.service, secrets, url };
    return {
      result: await within(senders[kind](message), ATTEMPT_WALL_MS, () => NO_RESPONSE),
      url: maskReceiverUrl(kind, url),
    };
  }

  /** A message is sent where the project's channels can't be read. */
  async function checkChannel(claimed: Claimed): Promise<string | undefined> {
    return reasonNotToSend(claimed).catch((err: unknown) => {
      log.warn(
        { err: messageOf(err), delivery: claimed.id },
        'channels of the project could not be read, sending to the stored URL',
      );
      return undefined;
    });
  }
}

/** The result of an attempt, and the masked URL it was sent to. */
interface Sent {
  readonly result: DeliveryResult;
  readonly url: string;
}

const NO_RESPONSE: DeliveryResult = { status: 0, error: 'no response in time', answer: '' };

const refused = (error: string): Sent => ({ result: { status: 0, error, answer: '', isFinal: true }, url: '' });

/** Masks the URL of a receiver like the responses that show channels. A mail has none. */
const maskReceiverUrl = (kind: Claimed['kind'], url: string): string =>
  kind === 'mail' ? '' : kind === 'chat' ? maskUrl(url) : maskUrlTokens(url);
