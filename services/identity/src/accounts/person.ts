import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/** A caller that is a signed-in person. */
export interface Person extends Caller {
  readonly userId: string;
  readonly sessionId: string;
}

/** Returns the person of a call. @throws AppError forbidden for a key */
export function requirePerson(caller: Caller): Person {
  const { userId, sessionId } = caller;
  if (userId === undefined || sessionId === undefined)
    throw new AppError('forbidden', 'this route concerns a signed-in person; an API key can not use it');
  return { ...caller, userId, sessionId };
}
