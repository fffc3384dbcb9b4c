import type { ServerResponse } from 'node:http';

/** A response as a value. */
export interface SiteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export const textResponse = (status: number, body: string, type = 'text/plain; charset=utf-8'): SiteResponse => ({
  status,
  headers: { 'content-type': type },
  body,
});

export const jsonResponse = (value: unknown): SiteResponse =>
  textResponse(200, JSON.stringify(value), 'application/json');

/** 429 or 503 with Retry-After. */
export const refusal = (status: number, retryAfterSeconds: number): SiteResponse => ({
  status,
  headers: { 'content-type': 'text/plain', 'retry-after': String(retryAfterSeconds) },
  body: 'Try again later.',
});

export const redirectTo = (status: number, location: string): SiteResponse => ({
  status,
  headers: { location },
  body: '',
});

/** Sends a response; a response to HEAD has the headers alone. */
export function send(response: ServerResponse, { status, headers, body }: SiteResponse, isHead: boolean): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // RFC 9110, 8.6: a 304 states no length, or the one that a 200 would have.
  if (status !== 304) response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status).end(isHead ? undefined : body);
}
