import type { HttpClient } from '@tidemark/egress';
import { AppError, messageOf } from '@tidemark/errors';

export interface GatewayRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Several requests fit into the deadline of a caller. */
const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/**
 * Sends a request to a gateway and returns its JSON response. @throws AppError unavailable without a usable response, not_found, conflict with the
 * gateway's reason for other refusals
 */
export async function callGateway(http: HttpClient, { url, ...request }: GatewayRequest): Promise<unknown> {
  const options = { ...request, timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES, maxRedirects: 0 };
  const { status, body } = await http.fetch(url, options).catch((error: unknown) => {
    throw new AppError('unavailable', 'the payment gateway can not be reached; try again', { cause: error });
  });
  const content = parse(body.toString('utf8'));
  if (status === 429 || status >= 500 || content === undefined)
    throw new AppError('unavailable', `the payment gateway failed with status ${status}; try again`);
  if (status === 404) throw new AppError('not_found', 'the payment gateway does not have this object');
  if (status >= 300) throw new AppError('conflict', `the payment gateway refused the request: ${reasonOf(content)}`);
  return content;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the description that both gateways put into `error`. */
function reasonOf(content: unknown): string {
  const error = field(content, 'error');
  const reason = field(error, 'description') ?? field(error, 'message');
  return typeof reason === 'string' ? reason.slice(0, 300) : 'no reason given';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Reads a response in the expected form. @throws AppError unavailable */
export function expectForm<T>(schema: { parse(value: unknown): T }, content: unknown): T {
  try {
    return schema.parse(content);
  } catch (error) {
    throw new AppError(
      'unavailable',
      `the payment gateway sent an unexpected response: ${messageOf(error).slice(0, 200)}`,
    );
  }
}
