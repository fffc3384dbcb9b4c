import type { Unanswered } from '../domain/ports.ts';

/** A fetch without an answer, in the specification's words. The signal keeps which kind of failure it was. */
export function unanswered(kind: string, reason: string): Unanswered {
  const errorCode = kind === 'timeout' ? 'TIMEOUT' : kind === 'egress' ? 'BLOCKED' : 'NETWORK';
  return { kind: 'unanswered', errorCode, reason, signal: `network: ${kind.replaceAll('_', ' ')}` };
}
