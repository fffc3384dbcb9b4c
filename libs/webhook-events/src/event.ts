import type { z } from 'zod';

/** One kind of webhook message. */
export interface EventKind<T extends z.ZodType> {
  /** When the message is sent. */
  readonly description: string;
  readonly data: T;
  readonly example: z.output<T>;
}

/** Defines a kind of message; the compiler checks the example. */
export const event = <T extends z.ZodType>(kind: EventKind<T>): EventKind<T> => kind;
