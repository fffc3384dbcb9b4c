import { EgressRefused, FetchFailed } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import { ExpressionError } from '@tidemark/expressions';
import { redacted } from '../connections/redacted.ts';
import { DestinationError } from '../destinations/driver.ts';
import type { SyncFailure } from '../domain/sync.ts';

/** The sync cannot be written yet, such as while the record of its run is being built. It is tried again without being counted. */
export class SyncNotReady extends Error {
  override readonly name = 'SyncNotReady';
}

const HINTS: Readonly<Record<SyncFailure['code'], string>> = {
  temporary: 'It is tried again. Test the connection if it fails again.',
  refused:
    'Check the user, its password and its rights, test the connection, then set the status of the destination to active.',
  invalid: 'Change the table, the columns or the shape of the destination, then start the sync again.',
  not_found: 'The run or job was deleted: there is nothing to write.',
  internal: 'Start the sync again.',
};

const APP_CODES: Readonly<Partial<Record<AppError['code'], SyncFailure['code']>>> = {
  not_found: 'not_found',
  unavailable: 'temporary',
  conflict: 'temporary',
  rate_limited: 'temporary',
  validation: 'invalid',
};

/** Returns a failure as it is stored and shown. @throws what is no failure of the destination or of the source */
export function toSyncFailure(error: unknown, secrets: readonly string[]): SyncFailure {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error)) throw error;
  const message = error instanceof EgressRefused ? `the address is not allowed: ${error.reason}` : error.message;
  return { code, message: redacted(message, secrets), hint: HINTS[code] };
}

function codeOf(error: unknown): SyncFailure['code'] | undefined {
  if (error instanceof DestinationError) return error.kind;
  if (error instanceof EgressRefused || error instanceof ExpressionError) return 'invalid';
  // A certificate that is not accepted stays so until the user changes it or the connection.
  if (error instanceof FetchFailed) return error.kind === 'tls' ? 'refused' : 'temporary';
  return error instanceof AppError ? APP_CODES[error.code] : undefined;
}

export const failureOf = (code: SyncFailure['code'], message: string): SyncFailure => ({
  code,
  message,
  hint: HINTS[code],
});
