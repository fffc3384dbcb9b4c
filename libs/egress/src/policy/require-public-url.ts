import { AppError } from '@tidemark/errors';
import { EgressRefused } from '../errors/errors.ts';
import type { EgressGuard } from './guard.ts';

/**
 * Makes a check that rejects a URL which the egress guard refuses, as a validation error of the request field `field`. A name
 * that does not resolve passes: that is a failure of the later fetch, not of the input.
 */
export function makeRequirePublicUrl(guard: EgressGuard) {
  /** @throws AppError validation */
  return async (url: string, field = 'url'): Promise<void> => {
    const { hostname, port, protocol } = new URL(url);
    try {
      await guard.admit(hostname, port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));
    } catch (error) {
      if (!(error instanceof EgressRefused)) return;
      const message = `${field}: this address is not on the public web and is not fetched: ${error.reason}`;
      throw new AppError('validation', message, {
        detail: [{ loc: ['body', field], msg: error.reason, type: 'address_refused' }],
      });
    }
  };
}
