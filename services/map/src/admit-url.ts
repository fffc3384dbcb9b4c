import { type EgressGuard, EgressRefused } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';

/** Refuses an address the egress guard would refuse, while it can still be answered as a wrong input. A name that doesn’t resolve is let through: that is a fact about the web. */
export function makeAdmitUrl(guard: EgressGuard) {
  return async (url: string): Promise<void> => {
    const { hostname, port, protocol } = new URL(url);
    try {
      await guard.admit(hostname, port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));
    } catch (error) {
      if (!(error instanceof EgressRefused)) return;
      const message = `url: this address is not on the public web and is not fetched: ${error.reason}`;
      throw new AppError('validation', message, {
        detail: [{ loc: ['body', 'url'], msg: error.reason, type: 'address_refused' }],
      });
    }
  };
}
