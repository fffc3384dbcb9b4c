import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { asObject, asText, ErrorBody, routes } from '@tidemark/api';
import { AppError, isErrorCode } from '@tidemark/errors';
import {
  type FirecrawlRequest,
  firecrawlRoutes,
  Refusal,
  type RestCall,
  respondTo,
  toErrorResponse,
} from '@tidemark/firecrawl';
import type { Api, ApiResponse } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let api: Api;

beforeAll(async () => {
  api = (await fleet.workspaces.make()).writer;
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

/** Returns the error of a response of the REST interface. */
function errorOf({ status, body, headers }: ApiResponse): AppError {
  const { error, code, detail } = ErrorBody.parse(body);
  if (!isErrorCode(code)) throw new Error(`unknown error code ${code}`);
  const retryAfterSeconds = Number(headers.get('retry-after') ?? 0);
  return new AppError(code, error, {
    httpStatus: status,
    ...(detail === undefined ? {} : { detail }),
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });
}

/** Calls the REST interface over HTTP. */
const overHttp: RestCall = async (id, { params = {}, query = {}, body = {}, idempotencyKey = '' } = {}) => {
  const { method, path } = routes[id];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(query).toString();
  const response = await api.request(method.toUpperCase(), search === '' ? filled : `${filled}?${search}`, {
    ...(method === 'post' || method === 'patch' ? { body } : {}),
    ...(idempotencyKey === '' ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
  });
  if (response.status >= 400) throw errorOf(response);
  return response;
};

interface Sent {
  readonly method: 'GET' | 'POST';
  /** Path of the route, with its parameter. */
  readonly route: string;
  readonly id?: string;
  readonly body?: object;
}

const kept = new Map<string, string>();
const mounted = firecrawlRoutes({
  find: async (fingerprint) => kept.get(fingerprint),
  keep: async (fingerprint, jobId) => void kept.set(fingerprint, jobId),
  remove: async (fingerprint) => void kept.delete(fingerprint),
});

/** Answers a request by the library, whose calls go over HTTP. */
async function byLibrary({ method, route, id = '', body = {} }: Sent): Promise<{ status: number; body: unknown }> {
  const found = mounted.find((each) => each.method === method.toLowerCase() && each.path === `/firecrawl/v2${route}`);
  if (found === undefined) throw new Error(`there is no route ${method} ${route}`);
  const request: FirecrawlRequest = {
    hostUrl: fleet.url,
    workspaceId: '',
    fingerprint: JSON.stringify({ route, body }),
    idempotencyKey: '',
    params: { id },
    query: {},
    body,
    isGone: () => false,
    call: overHttp,
  };
  return respondTo(found, request).catch((error: unknown) => {
    if (!(error instanceof AppError || error instanceof Refusal)) throw error;
    const { status, body: envelope } = toErrorResponse(error, method);
    return { status, body: { ...envelope } };
  });
}

/** Answers the same request by the gateway, which mounts the library. */
async function byGateway({ method, route, id = '', body }: Sent): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${fleet.url}/firecrawl/v2${route.replace(':id', id)}`, {
    method,
    headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the library of the interface of Firecrawl, calling the REST interface over HTTP', () => {
  test('answers the state of a crawl as the gateway does', async () => {
    const body = { url: web.url('/article'), limit: 1, sitemap: 'skip' };
    const started = await byLibrary({ method: 'POST', route: '/crawl', body });
    expect(started.status).toBe(200);
    const read: Sent = { method: 'GET', route: '/crawl/:id', id: asText(asObject(started.body)['id']) };
    const ended = await until('the crawl has ended', async () => {
      const state = await byLibrary(read);
      return asObject(state.body)['status'] === 'completed' && state;
    });
    expect(ended.body).toMatchObject({ completed: 1, data: [{ markdown: expect.stringContaining('harbour') }] });
    expect(asJson(ended)).toEqual(await byGateway(read));
  });

  test('scrapes a page to the document that the gateway answers', async () => {
    const sent: Sent = { method: 'POST', route: '/scrape', body: { url: web.url('/article'), formats: ['markdown'] } };
    const [library, gateway] = [await byLibrary(sent), await byGateway(sent)];
    const documentOf = ({ body }: { body: unknown }) => asObject(asObject(body)['data']);
    expect([library.status, gateway.status]).toEqual([200, 200]);
    expect(documentOf(library)['markdown']).toEqual(documentOf(gateway)['markdown']);
    expect(Object.keys(documentOf(library))).toEqual(Object.keys(documentOf(gateway)));
  });

  test.each<readonly [string, Sent]>([
    ['a field that the REST interface refuses', { method: 'POST', route: '/crawl', body: { url: 'no url' } }],
    [
      'a field without an equivalent',
      { method: 'POST', route: '/scrape', body: { url: 'https://example.com/', magic: 1 } },
    ],
    ['an unknown crawl', { method: 'GET', route: '/crawl/:id', id: '00000000-0000-0000-0000-000000000000' }],
  ])('answers %s as the gateway does', async (_, sent) => {
    const gateway = await byGateway(sent);
    expect(gateway.status).toBeGreaterThanOrEqual(400);
    expect(asJson(await byLibrary(sent))).toEqual(gateway);
  });
});
