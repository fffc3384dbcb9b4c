import type { z } from 'zod';

/** One kind of message: what its data holds, and when it is sent. */
export interface EventKind<T extends z.ZodType> {
  /** When it is sent, in words. */
  readonly says: string;
  readonly data: T;
  readonly example: z.output<T>;
}

/** Describes a kind of message; its example is checked by the compiler. */
export const event = <T extends z.ZodType>(kind: EventKind<T>): EventKind<T> => kind;
