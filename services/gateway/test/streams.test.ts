import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until, untilQuiet } from '@tidemark/testkit';
import { MAX_STREAMS_PER_KEY } from '../src/http/stream-access.ts';
import { type GatewayWithFakes, RUN, RUN_ID, startGatewayWithFakes } from './gateway-with-fakes.ts';

let gateway: GatewayWithFakes;
let streams: OpenStream[] = [];
beforeEach(async () => {
  gateway = await startGatewayWithFakes();
});
afterEach(async () => {
  for (const stream of streams) stream.close();
  streams = [];
  await gateway.close();
});

interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /** Everything received so far. */
  readonly text: () => string;
  readonly hasEnded: () => boolean;
  close(): void;
}

async function openStream(secret: string): Promise<OpenStream> {
  const aborting = new AbortController();
  const response = await fetch(`${gateway.url}/crawl/${RUN_ID}/events`, {
    headers: { authorization: `Bearer ${secret}` },
    signal: aborting.signal,
  });
  let text = '';
  let hasEnded = false;
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  read()
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true;
    });
  const { status, headers } = response;
  const stream = { status, headers, text: () => text, hasEnded: () => hasEnded, close: () => aborting.abort() };
  streams.push(stream);
  return stream;
}

const openMany = (secret: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => openStream(secret)));

const countCalls = () => Object.values(gateway.calls).reduce((sum, count) => sum + count, 0);

const EVENTS_MS = 15_000;

describe('event streams of one job', () => {
  it('cause the calls of one poller while the job is idle, whatever their number', async () => {
    gateway.secrets.add('a');
    const many = await openMany('a', 40);
    await until('the first event of each', () => many.every((stream) => stream.text().includes('event: progress')));
    const before = { ...gateway.calls };
    const startedAt = performance.now();
    await until('three more polls', () => gateway.calls.getRun >= before.getRun + 3);
    // One poller waits at least half a second between two polls. 40 streams that poll on their own cause three polls within 40 ms.
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(gateway.calls.listEnded).toBe(before.listEnded);
  });

  it('receive a change of the job, and its end, on every stream', async () => {
    gateway.secrets.add('a').add('b');
    const all = [...(await openMany('a', 3)), ...(await openMany('b', 3))];
    await until('the first event of each', () => all.every((stream) => stream.text().includes('event: progress')));
    gateway.run = { ...RUN, paused: true };
    await until('the change', () => all.every((stream) => stream.text().includes('"paused":true')));
    gateway.run = { ...RUN, status: 'cancelled', stop: 'cancelled', paused: false };
    await until('the end', () => all.every((stream) => stream.hasEnded()));
    for (const stream of all) expect(stream.text()).toMatch(/event: done\ndata: .*"stop":"cancelled"\}\n\n$/);
  });

  it('cause no call after the last one was closed', async () => {
    gateway.secrets.add('a');
    const many = await openMany('a', 3);
    await until('the first event of each', () => many.every((stream) => stream.text().includes('event: progress')));
    for (const stream of many) stream.close();
    // Longer than the interval of an idle poller.
    await untilQuiet('the number of calls', countCalls, { forMs: 2_500 });
  });
});

describe('an event stream', () => {
  it('ends with an event that states the reason within five seconds after its key was revoked, and no other stream ends', async () => {
    gateway.secrets.add('revoked').add('kept');
    const [stream, other] = await Promise.all([openStream('revoked'), openStream('kept')]);
    await until('the first event', () => stream.text().includes('event: progress'));
    const revokedAt = performance.now();
    gateway.secrets.delete('revoked');
    await until('the end', () => stream.hasEnded(), { withinMs: EVENTS_MS });
    // Five seconds, and ten for a machine under load.
    expect(performance.now() - revokedAt).toBeLessThan(15_000);
    expect(stream.text()).toMatch(
      /event: closed\ndata: \{"code":"unauthorized","error":"this API key is not valid"\}\n\n$/,
    );
    expect(other.hasEnded()).toBe(false);
  });

  it('ends with an event that states the reason if its job disappears', async () => {
    gateway.secrets.add('a');
    const stream = await openStream('a');
    await until('the first event', () => stream.text().includes('event: progress'));
    gateway.run = undefined;
    await until('the end', () => stream.hasEnded(), { withinMs: EVENTS_MS });
    expect(stream.text()).toMatch(/event: closed\ndata: \{"code":"not_found"/);
  });

  it('is refused with 429 if its key has the maximum of open streams, until one of them is closed', async () => {
    gateway.secrets.add('a').add('b');
    const open = await openMany('a', MAX_STREAMS_PER_KEY);
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await openStream('a');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await until('the error', () => refused.text().includes(`${MAX_STREAMS_PER_KEY} open event streams`));
    expect((await openStream('b')).status).toBe(200);
    open[0]?.close();
    await until('a free slot', async () => (await openStream('a')).status === 200, { withinMs: EVENTS_MS });
  });
});
