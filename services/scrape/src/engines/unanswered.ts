import type { Unanswered } from '../domain/ports.ts';

/** The signal of a fetch whose exit failed, so that the page says nothing about the site. */
export const EXIT_FAILED = 'exit failed';

/** A fetch without an answer, in the specification's words. The signal keeps which kind of failure it was. */
export function unanswered(kind: string, reason: string): Unanswered {
  const errorCode = kind === 'timeout' ? 'TIMEOUT' : kind === 'egress' ? 'BLOCKED' : 'NETWORK';
  const signal = kind === 'exit' ? EXIT_FAILED : `network: ${kind.replaceAll('_', ' ')}`;
  return { kind: 'unanswered', errorCode, reason, signal };
}
