import { isNativeError } from 'node:util/types';

/** A failure the person at the keyboard can act on. Its message is one sentence: what happened, what was expected, what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

/** The message of anything thrown, errors of another realm (a test's sandbox has one of its own) included. */
export const messageOf = (thrown: unknown): string => (isNativeError(thrown) ? thrown.message : String(thrown));
