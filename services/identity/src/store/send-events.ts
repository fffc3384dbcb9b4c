import type { OutgoingEvent } from '@tidemark/service';

/** Sends events whose rows are committed. */
export type SendEvents = (events: readonly OutgoingEvent[]) => void;
