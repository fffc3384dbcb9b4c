import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HTTP_REQUESTS, type HttpMessage } from '@tidemark/testkit/cases/http-messages';
import type { RuleCases } from '@tidemark/testkit/cases/rule-cases';
import { sharedFleet } from '../harness/fleet.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { until, within } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(() => fleet.close());

const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0);
const stillWorks = async () => expect((await workspace.reader.get('/me')).status).toBe(200);
const STACK = /\bat .+:\d+:\d+|node_modules|\.ts:/;

/** Requests that are sent at the same time. */
const AT_ONCE = 20;
const byRule = HTTP_REQUESTS.map((one) => [`${one.rule} (${one.source})`, one] as const);

/** Returns the title of each request of a rule with its response; empty where the connection was closed without one. */
async function responsesTo({ cases }: RuleCases<HttpMessage>): Promise<[HttpMessage, response: string][]> {
  const responses: [HttpMessage, string][] = [];
  for (let at = 0; at < cases.length; at += AT_ONCE) {
    const sent = cases.slice(at, at + AT_ONCE).map(async (message): Promise<[HttpMessage, string]> => {
      const bytes = Buffer.from(message.bytes, 'latin1');
      return [message, await sendRaw(fleet.url, bytes, { silentAfterMs: message.validity === 'valid' ? 2_000 : 150 })];
    });
    responses.push(...(await Promise.all(sent)));
  }
  return responses;
}

/** Whether a response to a request may be what it is. */
function isExpected({ validity }: HttpMessage, response: string): boolean {
  const status = statusOf(response);
  if (STACK.test(response) || status >= 500) return false;
  if (validity === 'valid') return status >= 200;
  if (validity === 'invalid') return response === '' || status >= 400;
  return response === '' || status > 0;
}

describe('an HTTP request of any form', () => {
  test.each(byRule)('is answered or refused by its validity, and the gateway continues: %s', async (_, requests) => {
    const odd = (await responsesTo(requests)).filter(([message, response]) => !isExpected(message, response));
    expect(odd.map(([{ validity, title }, response]) => `${validity}: ${title}: ${response.slice(0, 60)}`)).toEqual([]);
    await stillWorks();
  });
});

describe('a malformed HTTP request', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['two lengths', 'POST /v1/scrape HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    [
      'a length and chunks',
      'POST /v1/scrape HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'GET /v1/meta HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n'],
    ['a header with a NUL', 'GET /v1/meta HTTP/1.1\r\nHost: x\r\nX-A: b\u0000c\r\n\r\n'],
    ['a header with a space in its name', 'GET /v1/meta HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\n'],
    ['headers of 20 KB', `GET /v1/meta HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['5,000 headers', `GET /v1/meta HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(5_000)}\r\n`],
    ['a path of 20 KB', `GET /v1/${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('is rejected with a 4xx and no internal details: %s', async (_, bytes) => {
    const response = await sendRaw(fleet.url, Buffer.from(bytes, 'latin1'));
    expect(statusOf(response)).toBeGreaterThanOrEqual(400);
    expect(statusOf(response)).toBeLessThan(500);
    expect(response).toContain('"code":"validation"');
    expect(response).not.toMatch(STACK);
    await stillWorks();
  });

  test('is rejected with 400 without a Host header', async () => {
    expect(statusOf(await sendRaw(fleet.url, 'GET /v1/meta HTTP/1.1\r\n\r\n'))).toBe(400);
  });

  test('cannot smuggle a second request in its body', async () => {
    const smuggled = 'GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n';
    const body = `0\r\n\r\n${smuggled}`;
    const response = await sendRaw(
      fleet.url,
      `POST /v1/scrape HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(response.match(/HTTP\/1\.1 \d{3}/g) ?? []).toHaveLength(1);
  });
});

describe('a slow client', () => {
  test('that sends headers slowly is disconnected within 15 seconds and delays no other client', async () => {
    const { hostname, port } = new URL(fleet.url);
    const slow = connect({ host: hostname, port: Number(port) });
    slow.on('error', () => undefined);
    slow.write('GET /v1/meta HTTP/1.1\r\n');
    const drip = setInterval(() => slow.write('X: y\r\n'), 500);
    const closed = new Promise<void>((resolve) => slow.once('close', () => resolve()));
    slow.resume();
    await stillWorks();
    await within(15_000, 'hanging up on slow headers', closed);
    clearInterval(drip);
  });

  test('does not block others: with five hundred silent connections the gateway responds', async () => {
    const { hostname, port } = new URL(fleet.url);
    const idle = Array.from({ length: 500 }, () =>
      connect({ host: hostname, port: Number(port) }).on('error', () => undefined),
    );
    await until('all of them to be connected', () => idle.every((socket) => !socket.connecting));
    const startedAt = performance.now();
    await stillWorks();
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    for (const socket of idle) socket.destroy();
  });
});
