import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { work } from '@tidemark/contracts';
import { startNats, type TestNats, takes, until } from '@tidemark/testkit';
import { Bus } from './bus.ts';
import { createLogger } from './logger.ts';

const log = createLogger('test', 'silent');
let nats: TestNats;
const open: Bus[] = [];
beforeAll(async () => {
  nats = await startNats();
});
afterEach(async () => {
  for (const bus of open.splice(0)) await bus.close();
});
afterAll(() => nats.close());

async function busOf(): Promise<Bus> {
  const bus = await Bus.connect(nats.url, 'test', log);
  open.push(bus);
  return bus;
}

describe('a work item', () => {
  it('is processed once, by one of several workers', async () => {
    const [a, b] = [await busOf(), await busOf()];
    const done: string[] = [];
    for (const bus of [a, b]) bus.work(work.batchHost, 2, async ({ host }) => void done.push(host));
    const hosts = Array.from({ length: 20 }, (_, i) => `host-${i}`);
    for (const host of hosts) await a.offer(work.batchHost, host, { jobId: 'j', host });
    await until('all items to be processed', () => done.length >= 20);
    expect([...done].sort()).toEqual([...hosts].sort());
  });

  it('published twice with one id is processed once', async () => {
    const bus = await busOf();
    const done: string[] = [];
    bus.work(work.batchHost, 2, async ({ host }) => void done.push(host));
    await bus.offer(work.batchHost, 'same', { jobId: 'j', host: 'same' });
    await bus.offer(work.batchHost, 'same', { jobId: 'j', host: 'same' });
    await bus.offer(work.batchHost, 'last', { jobId: 'j', host: 'last' });
    await until('the last item to be processed', () => done.includes('last'));
    expect(done).toEqual(['same', 'last']);
  });

  it('is not delivered to a process whose slots are all in use', async () => {
    const bus = await busOf();
    let busy = 0;
    let most = 0;
    let done = 0;
    bus.work(work.batchHost, 3, async () => {
      busy += 1;
      most = Math.max(most, busy);
      await takes(20);
      busy -= 1;
      done += 1;
    });
    for (let i = 0; i < 12; i += 1) await bus.offer(work.batchHost, `slots ${i}`, { jobId: 'j', host: `${i}` });
    await until('all items to be processed', () => done === 12);
    expect(most).toBeLessThanOrEqual(3);
  });

  it('is redelivered after a failure', async () => {
    const bus = await busOf();
    let tries = 0;
    bus.work(work.batchHost, 1, async () => {
      tries += 1;
      if (tries === 1) throw new Error('first attempt fails');
    });
    await bus.offer(work.batchHost, 'fails', { jobId: 'j', host: 'fails' });
    await until('the redelivery', () => tries === 2);
  });
});
