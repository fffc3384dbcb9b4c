import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KEY, startGateway } from './start-gateway.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const NAMES = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Sends a request; returns its status and whether it states the rate window. */
async function send(path: string, key: string, init: RequestInit = {}): Promise<readonly [number, boolean]> {
  const headers = { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), 'content-type': 'application/json' };
  const response = await fetch(`${gateway.url}${path}`, { ...init, headers });
  await response.arrayBuffer();
  const present = NAMES.filter((name) => /^\d+$/.test(response.headers.get(name) ?? ''));
  expect([0, NAMES.length]).toContain(present.length);
  return [response.status, present.length > 0];
}

const cases: readonly (readonly [string, string, RequestInit, number])[] = [
  ['a success', '/v1/me', {}, 200],
  ['an unknown path', '/v1/nowhere', {}, 404],
  ['a method that the path does not support', '/v1/me', { method: 'PUT' }, 405],
  ['an invalid percent escape', '/v1/me/keys/%zz', { method: 'DELETE' }, 400],
  ['a body that is not JSON', '/v1/me/keys', { method: 'POST', body: '{' }, 400],
  ['a body that is too large', '/v1/me/keys', { method: 'POST', body: `"${'x'.repeat(200_000)}"` }, 413],
  ['an unknown query parameter', '/v1/me?colour=blue', {}, 422],
];

it.each(cases)(
  '%s states the rate window to a valid key, and not to a request without one',
  async (_, path, init, status) => {
    expect(await send(path, KEY, init)).toEqual([status, true]);
    expect((await send(path, '', init))[1]).toBe(false);
    expect((await send(path, 'service_unknown', init))[1]).toBe(false);
  },
);

it('an unknown path and an unsupported method answer 404 and 405 to an invalid key as well', async () => {
  expect(await send('/v1/nowhere', 'service_unknown')).toEqual([404, false]);
  expect(await send('/v1/me', 'service_unknown', { method: 'PUT' })).toEqual([405, false]);
  expect(await send('/v1/me', 'service_unknown')).toEqual([401, false]);
});
