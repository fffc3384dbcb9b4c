import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { until } from '../../test/harness/until.ts';
import type { Figures } from '../archive/figures.ts';
import { costOf, memoryMbOf } from '../crawl/cost.ts';
import { type Arrival, RECEIVERS, startReceivers, temperOf } from './receivers.ts';

const SENDER = resolve(import.meta.dirname, 'sender.ts');
const P95_MOST_MS = 1_000;

export interface SendOptions {
  readonly databaseUrl: string;
  readonly postgresPid: number;
  readonly messages: number;
  /** Messages enqueued per second; 0: all at once. */
  readonly perSecond: number;
}

/** Sends messages to fifty receivers, two of them dead and one slow, and records the delays of the healthy ones. */
export async function measureSending(
  figures: Figures,
  { databaseUrl, postgresPid, messages, perSecond }: SendOptions,
): Promise<void> {
  const receivers = await startReceivers();
  const options = JSON.stringify({ databaseUrl, urls: receivers.urls, messages, perSecond });
  const sender = fork(SENDER, [options], {
    execArgv: ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'],
  });
  try {
    const pid = sender.pid ?? 0;
    await until('the first message', () => receivers.arrivals.length > 0, { withinMs: 60_000 });
    const expected = Array.from({ length: messages }, (_, n) => n % RECEIVERS).filter(
      (place) => temperOf(place) === 'well',
    );
    const healthy = () => receivers.arrivals.filter(({ place }) => temperOf(place) === 'well');
    const watched = [{ name: 'delivery', pid }];
    const { cost } = await costOf([...watched, { name: 'postgres', pid: postgresPid }], [], () =>
      until('all messages to arrive at healthy receivers', () => healthy().length >= expected.length, {
        withinMs: 600_000,
      }),
    );
    const arrived = healthy();
    const name = perSecond === 0 ? 'all at once' : `${perSecond} a second`;
    const rate = arrived.length / cost.seconds;
    figures.add(`${name}: messages taken`, `${rate.toFixed(0)}/s`);
    const p95 = percentile(arrived, 0.95);
    const isOffered = perSecond > 0;
    const delays = `p50 ${percentile(arrived, 0.5)}, p95 ${p95}, longest ${percentile(arrived, 1)} ms`;
    if (isOffered) figures.add(`${name}: delay of the healthy`, delays, `p95 <= ${P95_MOST_MS} ms`, p95 <= P95_MOST_MS);
    else figures.add(`${name}: delay of the healthy`, delays);
    const cpu = [...cost.cpuMsByName].map(([of, ms]) => `${of} ${(ms / arrived.length).toFixed(2)}`).join(', ');
    figures.add(`${name}: cpu ms a message`, cpu);
    figures.add(`${name}: memory of delivery`, `${memoryMbOf(watched).toFixed(0)} MB`);
    figures.add(`${name}: memory, PostgreSQL with it`, `${cost.peakMb.toFixed(0)} MB`);
    figures.add(`${name}: others on the machine`, `${cost.othersCores.toFixed(2)} cores`);
    const twice = arrived.length - new Set(arrived.map(({ id }) => id)).size;
    figures.add(`${name}: healthy, sent twice`, String(twice), '0', twice === 0);
  } finally {
    sender.kill('SIGKILL');
    await receivers.close();
  }
}

function percentile(arrivals: readonly Arrival[], share: number): number {
  const delays = arrivals.map(({ delayMs }) => delayMs).toSorted((a, b) => a - b);
  return delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN;
}
