import type { Operations } from '@tidemark/sdk';

type Route = keyof Operations;

/** An error with which the server answered. */
export class Refused extends Error {
  readonly code: string;

  constructor({ error = 'The server refused the request.', code = '' }: { error?: string; code?: string }) {
    super(error);
    this.code = code;
  }
}

/** Whether a call failed with this code of the interface. */
export const isRefused = (error: unknown, code: string): boolean => error instanceof Refused && error.code === code;

/** What a call sends. `id` replaces the only parameter of a path. */
interface Sent<R extends Route> {
  readonly id?: string;
  readonly query?: Operations[R]['query'];
  readonly body?: Operations[R]['body'];
}

/** Calls a route of the interface with the session of the browser. @throws Refused */
export function call<R extends Route>(
  route: R,
  { id = '', query = {}, body }: Sent<R> = {},
): Promise<Operations[R]['result']> {
  const [method = 'GET', path = ''] = route.split(' ');
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return send(method, `/v1${path.replace('{id}', encodeURIComponent(id))}${search}`, body);
}

/** Sends the fields of a form to the route that the form names. @throws Refused */
export const callForm = (path: string, fields: Readonly<Record<string, string>>): Promise<{ state?: string }> =>
  send('POST', `/v1${path}`, fields);

/** The part of an authorization request that a person decides on. */
export interface AccessRequest {
  readonly client: string;
  readonly returnsTo: string;
  readonly person: string;
  readonly grants: readonly ('read' | 'write')[];
}

/** Reads the authorization request in the query of the page. @throws Refused */
export const readAccessRequest = (query: string): Promise<AccessRequest> => send('GET', `/oauth/request${query}`);

/** Sends the decision of the person. @throws Refused */
export const decideAccess = (decision: Readonly<Record<string, string>>): Promise<{ readonly redirectTo: string }> =>
  send('POST', '/oauth/consent', decision);

async function send<T>(method: string, url: string, body?: unknown): Promise<T> {
  const json =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, { method, credentials: 'same-origin', ...json });
  const text = await response.text();
  const parsed = JSON.parse(text === '' ? '{}' : text);
  if (!response.ok) throw new Refused(parsed);
  return parsed;
}
