import { EgressRefused, FetchFailed } from '@tidemark/egress';
import type { TestStep } from './driver.ts';

/** Yields the steps of a test whose server could not be reached. @throws what is no failure of the dialler */
export function* dialFailure(error: unknown): Generator<TestStep, void> {
  if (error instanceof EgressRefused)
    return yield { name: 'address', ok: false, message: `the address is not allowed: ${error.reason}` };
  if (!(error instanceof FetchFailed)) throw error;
  yield { name: 'address', ok: true, message: 'the address is allowed' };
  yield { name: 'connect', ok: false, message: `no connection: ${error.message}` };
}
