import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { corpus } from '../harness/corpora.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { messagesIn } from '../harness/raw-http.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
let workspace: Workspace;
let site: Server;

const folder = corpus('attack/llhttp/test/response');
const messages =
  folder === undefined
    ? []
    : readdirSync(folder).flatMap((file) => messagesIn(readFileSync(join(folder, file), 'utf8')));

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  // Answers /<n> with the n-th message, whatever it is, and hangs up.
  site = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const n = Number(/^GET \/(\d+)/.exec(request.toString('latin1'))?.[1] ?? -1);
      socket.end(Buffer.from(messages[n] ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'latin1'));
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.2', resolve));
  site.unref();
});
afterAll(async () => {
  site.close();
  await fleet.close();
});

test(`whatever a site answers, the capture ends in a row (llhttp: ${messages.length === 0 ? 'ABSENT, see the warning' : `${messages.length} answers`})`, async () => {
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
}, 60_000);
