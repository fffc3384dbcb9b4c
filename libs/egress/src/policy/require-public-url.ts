import { AppError } from '@tidemark/errors';
import { EgressRefused } from '../errors/errors.ts';
import type { EgressGuard } from './guard.ts';

/**
 * Rejects a URL which the egress guard refuses, as a validation error of the request field `field`. A name
 * that does not resolve passes: that is a failure of the later fetch, not of the input. @throws AppError validation
 */
export type RequirePublicUrl = (url: string, field?: string) => Promise<void>;

export function makeRequirePublicUrl(guard: EgressGuard): RequirePublicUrl {
  return async (url, field = 'url') => {
    const { hostname, port, protocol } = new URL(url);
    try {
      await guard.admit(hostname, port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));
    } catch (error) {
      if (!(error instanceof EgressRefused)) return;
      const msg = `${error.reason}: not on the public web; expected a public address, or one that the operator permits with TIDEMARK_EGRESS_ALLOW`;
      throw new AppError('validation', `${field}: this address is not fetched: ${msg}`, {
        detail: [{ loc: ['body', field], msg, type: 'address_refused' }],
      });
    }
  };
}
