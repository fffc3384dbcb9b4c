import { isNativeError } from 'node:util/types';

/** A failure that the user can resolve. Its message states what happened, what was expected and what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

/** Returns the message of any thrown value, including errors of another realm. */
export const messageOf = (thrown: unknown): string => (isNativeError(thrown) ? thrown.message : String(thrown));
