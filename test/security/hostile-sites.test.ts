import { createServer as createSite, type Server as Site } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HTTP_RESPONSES } from '@tidemark/testkit/cases/http-messages';
import { casesOf } from '@tidemark/testkit/cases/rule-cases';
import { sharedFleet } from '../harness/fleet.ts';
import { within } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { hostilePages } from './hostile-pages.ts';

const fleet = sharedFleet();
let workspace: Workspace;
let site: Server;
let zoo: Site;

const messages = casesOf(HTTP_RESPONSES);

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  // Responds to /<n> with the n-th message and closes the connection.
  site = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const n = Number(/^GET \/(\d+)/.exec(request.toString('latin1'))?.[1] ?? -1);
      socket.end(Buffer.from(messages[n]?.bytes ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'latin1'));
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.2', resolve));
  site.unref();
  // Responds to /<n> with the n-th hostile page, and to other paths with an ordinary page.
  zoo = createSite((request, response) => {
    const path = request.url?.split('?')[0] ?? '/';
    const page = hostilePages[Number(path.slice(1))];
    if (page === undefined) response.end(`<main><p>${'A page like any other. '.repeat(30)}</p></main>`);
    else page.respond(response, path);
  });
  await new Promise<void>((resolve) => zoo.listen(0, '127.0.0.2', resolve));
});
afterAll(async () => {
  site.close();
  zoo.close().closeAllConnections();
  await fleet.close();
});

test('the capture of a response of any form ends in a row', async () => {
  const { port } = site.address() as AddressInfo;
  const order = { config: { max_tier: 'http', respect_robots: false, timeout_seconds: 3 } };
  const captures = await Promise.all(
    messages.map((_, n) => workspace.writer.capture(`http://127.0.0.2:${port}/${n}`, order)),
  );
  for (const { page, job } of captures) {
    expect(job.status).toBe('done');
    expect(['ok', 'thin', 'blocked']).toContain(page.verdict);
    expect(page.reason).not.toBe('');
  }
  expect((await workspace.reader.get('/me')).status).toBe(200);
});

/** Time that a capture may take beyond its own limit, ms: parts of the fleet share the machine with the other tests. */
const BEYOND_TIMEOUT_MS = 30_000;

/** Pages with an expected verdict have time on a busy machine; the others must end soon. */
const timeoutSecondsOf = (n: number): number => (hostilePages[n]?.errorCodes?.includes('OK') === true ? 20 : 4);

test('the capture of any hostile page ends in time with a verdict, and the next page is captured', async () => {
  const { port } = zoo.address() as AddressInfo;
  const address = (path: number | string): string => `http://127.0.0.2:${port}/${path}`;
  const config = { max_tier: 'http', respect_robots: false };
  const capture = async (n: number) => {
    const startedAtMs = performance.now();
    const order = {
      formats: 'markdown,text,cleanHtml,links',
      config: { ...config, timeout_seconds: timeoutSecondsOf(n) },
    };
    const { page, job } = await within(60_000, `page ${n}`, workspace.writer.capture(address(n), order));
    return { page, job, ms: performance.now() - startedAtMs };
  };
  // A few at a time, so that the cost of one page does not cause the timeout of another.
  const captures: Awaited<ReturnType<typeof capture>>[] = [];
  const waiting = hostilePages.keys();
  const worker = async (): Promise<void> => {
    for (const n of waiting) captures[n] = await capture(n);
  };
  await Promise.all([worker(), worker(), worker()]);

  for (const [n, { name, errorCodes }] of hostilePages.entries()) {
    const { page, job, ms } = captures[n] ?? (await capture(n));
    expect({ name, status: job.status, reason: page.reason }).toEqual({
      name,
      status: 'done',
      reason: expect.stringMatching(/./),
    });
    expect([name, ['ok', 'thin', 'blocked', 'skipped']]).toEqual([name, expect.arrayContaining([page.verdict])]);
    if (errorCodes !== undefined) expect([name, errorCodes]).toEqual([name, expect.arrayContaining([page.errorCode])]);
    expect([name, ms < timeoutSecondsOf(n) * 1_000 + BEYOND_TIMEOUT_MS]).toEqual([name, true]);
    if (name === 'the naughty strings') {
      expect(page.text).toContain('田中さんにあげて下さい');
      expect(page.cleanHtml).not.toMatch(/<(?:script|style|svg)\b|<\w[^<>"]*\son\w+\s*=|(?:href|src)="\s*javascript:/i);
    }
  }
  expect((await workspace.writer.capture(address('after'), { config })).page.verdict).toBe('ok');
}, 120_000);
