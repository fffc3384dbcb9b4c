import { AppError } from '@tidemark/errors';
import { EgressRefused } from './errors.ts';
import type { EgressGuard } from './guard.ts';

/**
 * Refuses an address the egress guard would refuse, while it can still be answered as a wrong input in the field `field` of the body.
 * A name that doesn't resolve is let through: that is a fact about the web, and the page's row tells it.
 */
export function makeAdmitUrl(guard: EgressGuard) {
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
