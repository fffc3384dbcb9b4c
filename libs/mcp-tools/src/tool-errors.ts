import { TidemarkError } from '@tidemark/sdk';
import { z } from 'zod';

/** The structured content of a refused call. */
export interface ToolError {
  readonly code: string;
  readonly message: string;
  readonly detail?: readonly { readonly loc: readonly PropertyKey[]; readonly msg: string }[];
  readonly request_id?: string;
  readonly retry_after_seconds?: number;
}

export const READ_ONLY: ToolError = {
  code: 'read_only',
  message:
    'this connection may only read stored data; reconnect with write access, or use a key with the scope write, to call this tool',
};

const NO_RESPONSE =
  'the API did not answer in time; a job may have started: check with list_projects or get_job before you repeat the call';

/** Describes an error to the agent. Undefined for an error of this program, which is logged and not shown. */
export function describeToolError(error: unknown): ToolError | undefined {
  if (error instanceof z.ZodError) {
    const detail = error.issues.slice(0, 20).map(({ path, message }) => ({ loc: path, msg: message }));
    const message = detail.map(({ loc, msg }) => (loc.length === 0 ? msg : `${loc.join('.')}: ${msg}`)).join('; ');
    return { code: 'validation', message: `invalid arguments: ${message}`, detail };
  }
  if (!(error instanceof TidemarkError)) return undefined;
  const { code, message, detail, requestId, retryAfterMs } = error;
  if (code === 'scopes') return READ_ONLY;
  // The message names an address of the installation.
  if (error.status === 0) return { code, message: NO_RESPONSE };
  return {
    code,
    message,
    ...(detail === undefined ? {} : { detail: detail.map(({ loc, msg }) => ({ loc, msg })) }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1_000) }),
  };
}
