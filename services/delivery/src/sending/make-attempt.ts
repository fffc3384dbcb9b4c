import { messageOf } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type { DeliveryResult, OutgoingMessage, Send, Senders } from '../domain/delivery.ts';
import { interruptedReason, MAX_INTERRUPTIONS } from '../domain/interruptions.ts';
import { transitionAfter } from '../domain/retry-schedule.ts';
import type { Claimed } from '../store/claims.ts';
import type { FinishedAttempt } from '../store/finished-attempts.ts';
import type { Destination } from './destination.ts';

export interface AttemptDeps {
  readonly senders: Senders;
  /** Returns the current address of the project's receiver. Rejects where projects is unavailable. */
  readonly currentDestination: (claimed: Claimed, url: string) => Promise<Destination>;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Timeout of an attempt, ms. Must be well below the lease of its claim. */
export const ATTEMPT_WALL_MS = 35_000;

/** Makes one attempt at a delivery. Always resolves: a failure is part of the result. */
export function makeAttempt({
  senders,
  currentDestination,
  now,
  log,
}: AttemptDeps): (claimed: Claimed) => Promise<FinishedAttempt> {
  return async (claimed) => {
    const at = now();
    const beganAt = performance.now();
    const result = await send(claimed).catch((err: unknown): DeliveryResult => {
      log.error({ err: messageOf(err), delivery: claimed.id }, 'delivery attempt failed unexpectedly');
      return { status: 0, error: 'the message could not be sent', answer: '' };
    });
    const endedAt = now();
    const durationMs = performance.now() - beganAt;
    return { claimed, at, endedAt, durationMs, result, transition: transitionAfter(claimed, result, endedAt) };
  };

  async function send(claimed: Claimed): Promise<DeliveryResult> {
    const { receiver, kind, id, event, recipient, body, queueKey, projectId, interrupted } = claimed;
    if (interrupted >= MAX_INTERRUPTIONS) return refused(interruptedReason('sent the message'));
    if (receiver === undefined) return refused('the receiver was deleted');
    const { url, secrets } = receiver.open();
    const destination = projectId === '' ? { url } : await resolveDestination(claimed, url);
    if ('gone' in destination) return refused(destination.gone);
    const message = { id, event, recipient, body, queueKey, service: receiver.service, secrets, url: destination.url };
    return within(senders[kind], message);
  }

  /** Falls back to the stored address where the project's channels can't be read. */
  async function resolveDestination(claimed: Claimed, url: string): Promise<Destination> {
    return currentDestination(claimed, url).catch((err: unknown) => {
      log.warn(
        { err: messageOf(err), delivery: claimed.id },
        'channels of the project could not be read, using the stored address',
      );
      return { url };
    });
  }
}

const refused = (error: string): DeliveryResult => ({ status: 0, error, answer: '', isFinal: true });

async function within(send: Send, message: OutgoingMessage): Promise<DeliveryResult> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<DeliveryResult>((resolve) => {
    timer = setTimeout(() => resolve({ status: 0, error: 'no response in time', answer: '' }), ATTEMPT_WALL_MS);
  });
  return Promise.race([send(message), tooLong]).finally(() => clearTimeout(timer));
}
