import type { Person } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { type CallContext, callerOf } from '@tidemark/service';

/** Returns the signed-in person of a call, in a workspace or in none. @throws AppError forbidden for a key, unauthorized without caller */
export function requirePerson(ctx: CallContext): Person {
  if (ctx.person !== undefined) return ctx.person;
  const caller = callerOf(ctx);
  if (caller.kind === 'person') return caller;
  throw new AppError('forbidden', 'this route concerns a signed-in person; an API key can not use it');
}
