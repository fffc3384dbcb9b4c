import type { EventDefinition } from '@tidemark/contracts';
import { currentTrace } from './trace-context.ts';

/** An encoded event. `id` is its business key: consumers store an event with the same id once. */
export interface OutgoingEvent {
  readonly id: string;
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly trace: Readonly<Record<string, string>>;
}

/** Encodes an event with the current trace context. `id` is its business key: consumers store an event with the same id once. */
export function outgoingEvent<T>(event: EventDefinition<T>, id: string, message: T): OutgoingEvent {
  return { id, subject: event.subject, payload: event.codec.encode(message).finish(), trace: currentTrace() };
}
