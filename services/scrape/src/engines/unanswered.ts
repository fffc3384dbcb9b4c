import type { Unanswered } from '../domain/ports.ts';

/** Signal of a fetch whose exit failed; the result does not describe the site. */
export const EXIT_FAILED = 'exit failed';

/** Converts a failure kind to the error code and signal of the specification. */
export function unanswered(kind: string, reason: string): Unanswered {
  const errorCode = kind === 'timeout' ? 'TIMEOUT' : kind === 'egress' ? 'BLOCKED' : 'NETWORK';
  const signal = kind === 'exit' ? EXIT_FAILED : `network: ${kind.replaceAll('_', ' ')}`;
  return { kind: 'unanswered', errorCode, reason, signal };
}
