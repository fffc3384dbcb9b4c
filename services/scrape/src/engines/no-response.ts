import type { NoResponse } from '../domain/ports.ts';

/** Signal of a fetch whose exit failed; the result does not describe the site. */
export const EXIT_FAILED = 'exit failed';

/** Converts a failure kind to the error code and signal of the specification. */
export function noResponse(kind: string, reason: string): NoResponse {
  const errorCode = kind === 'timeout' ? 'TIMEOUT' : kind === 'egress' ? 'BLOCKED' : 'NETWORK';
  const signal = kind === 'exit' ? EXIT_FAILED : `network: ${kind.replaceAll('_', ' ')}`;
  return { kind: 'no_response', errorCode, reason, signal };
}
