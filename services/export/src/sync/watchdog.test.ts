import { describe, expect, it } from '@jest/globals';
import { takes } from '@tidemark/testkit';
import { type ProgressLimits, Watchdog } from './watchdog.ts';

const LONG: ProgressLimits = { start: 60_000, source: 60_000, accept: 60_000, finish: 60_000, attempt: 60_000 };

const aborted = (watchdog: Watchdog): Promise<unknown> =>
  new Promise((resolve) => {
    watchdog.signal.addEventListener('abort', () => resolve(watchdog.signal.reason), { once: true });
  });

describe('the watchdog of a sync', () => {
  it.each([
    ['start', 'the destination was not ready to receive rows within 0.02 s'],
    ['source', 'no rows could be read within 0.02 s'],
    ['accept', 'the destination accepted no rows within 0.02 s'],
    ['finish', 'the destination did not finish the write within 0.02 s'],
  ] as const)('aborts a step %s without progress as a temporary failure', async (step, message) => {
    const watchdog = new Watchdog({ ...LONG, [step]: 20 });
    watchdog.enter(step);
    expect(await aborted(watchdog)).toMatchObject({ kind: 'temporary', message });
    watchdog.close();
  });

  it('aborts an attempt that is too long although it makes progress', async () => {
    const watchdog = new Watchdog({ ...LONG, attempt: 20 });
    const timer = setInterval(() => watchdog.progress(), 1);
    expect(await aborted(watchdog)).toMatchObject({ kind: 'temporary', message: 'the sync did not end within 0.02 s' });
    clearInterval(timer);
    watchdog.close();
  });

  it('measures the time of a step from its last progress', async () => {
    const watchdog = new Watchdog({ ...LONG, accept: 2_000 });
    watchdog.enter('accept');
    const startedAtMs = performance.now();
    await takes(1_000);
    watchdog.progress();
    await aborted(watchdog);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(2_900);
    watchdog.close();
  });
});
