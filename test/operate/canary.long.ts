import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Canary, startCanary } from '../../deploy/canary/run-canary.ts';
import { type OwnFleet, serviceOf, startFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';

/** A round every few seconds instead of each minute: the test passes each page of the site twice. */
const EVERY_SECONDS = 6;
const LIMIT_SECONDS = 120;
const PAGES = 5;

let fleet: OwnFleet;
let canary: Canary;
const stopping = new AbortController();

beforeAll(async () => {
  fleet = await startFleet({ processPerService: true });
  const { admin } = await fleet.workspaces.make();
  canary = await startCanary({
    url: fleet.url,
    key: admin.key,
    host: '127.0.0.7',
    port: 0,
    everySeconds: EVERY_SECONDS,
    limitSeconds: LIMIT_SECONDS,
    signal: stopping.signal,
    log: (message, fields) => console.info(message, fields),
  });
}, 300_000);
afterAll(async () => {
  stopping.abort();
  await canary?.ended;
  await fleet?.close();
}, 60_000);

/** Returns a metric of the canary. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${canary.origin}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`tidemark_canary_${name} `));
  return line === undefined ? Number.NaN : Number(line.split(' ').at(-1));
}

const arrived = (): Promise<number> => metric('changes_total{outcome="arrived"}');

describe('the canary', () => {
  it('receives a webhook about each change of its site within 120 s, also when each page has changed before', async () => {
    await until('two changes of each page to arrive', async () => (await arrived()) >= 2 * PAGES, {
      withinMs: 200_000,
    });
    const latency = await metric('latency_seconds');
    console.info(`${await arrived()} changes arrived, the newest after ${latency} s`);
    expect(latency).toBeLessThan(LIMIT_SECONDS);
    expect(await metric('changes_total{outcome="late"}')).toBe(0);
    expect(await metric('waiting_seconds')).toBeLessThan(LIMIT_SECONDS);
  }, 240_000);

  it('reports the age of a change that no webhook is sent about, and receives it after the fault', async () => {
    await serviceOf(fleet, 'delivery').kill('SIGKILL');
    await until(
      'a change to wait for three rounds',
      async () => (await metric('waiting_seconds')) > 3 * EVERY_SECONDS,
      {
        withinMs: 60_000,
      },
    );
    const before = await arrived();
    await serviceOf(fleet, 'delivery').restart();
    await until(
      'every change to arrive',
      async () => (await metric('waiting_seconds')) < 2 * EVERY_SECONDS && (await arrived()) > before,
      { withinMs: 120_000 },
    );
  }, 200_000);

  it('accepts no message that its project has not signed', async () => {
    const response = await fetch(`${canary.origin}/hook`, { method: 'POST', body: '{"event":"page.changed"}' });
    expect(response.status).toBe(400);
  });
});
