import { describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import type { HostReport } from './host-health.ts';
import { type HostLimiter, type HostState, isPermit, type Pace, type Permit, type Wait } from './host-limiter.ts';
import { PermitReuse } from './permit-reuse.ts';

const EAGER: Pace = { concurrency: 2, delayMs: 0 };
const FAILED: HostReport = { kind: 'failed', trouble: 'silent', why: 'no response', latency: undefined };
const ANSWERED: HostReport = { kind: 'answered', latency: undefined };

/** A limiter that counts its calls and returns preset responses. */
class CountingLimiter implements HostLimiter {
  acquired = 0;
  readonly ends: (HostReport | undefined)[] = [];
  refusal: Wait | undefined;
  state: HostState = 'up';
  latencyDelayMs = 0;

  async acquire(_host: string, { delayMs }: Pace): Promise<Permit | Wait> {
    this.acquired += 1;
    if (this.refusal !== undefined) return this.refusal;
    return {
      delayMs: Math.max(delayMs, this.latencyDelayMs),
      release: async (report) => {
        this.ends.push(report);
        return this.state;
      },
    };
  }

  async hold(): Promise<void> {}
}

function fixture() {
  const limiter = new CountingLimiter();
  const clock = { nowMs: 0 };
  const reuse = new PermitReuse(limiter, () => clock.nowMs);
  const visit = async (pace: Pace = EAGER, report: HostReport | undefined = ANSWERED) => {
    const permit = await reuse.acquire('host.example', pace);
    if (!isPermit(permit)) throw new Error('no permit was granted');
    return permit.release(report);
  };
  return { limiter, clock, reuse, visit };
}

describe('PermitReuse', () => {
  it('acquires one permit for pages that follow each other', async () => {
    const { limiter, visit } = fixture();
    for (let i = 0; i < 50; i += 1) await visit();
    expect(limiter.acquired).toBe(1);
  });

  it('releases a permit that no page reuses', async () => {
    const { limiter, visit } = fixture();
    await visit();
    await until('the permit is released', () => limiter.ends.length > 0);
    expect(limiter.ends).toEqual([ANSWERED]);
  });

  it('acquires again after a quarter of a second, so that a hold by another process takes effect', async () => {
    const { limiter, clock, visit, reuse } = fixture();
    await visit();
    clock.nowMs = 251;
    limiter.refusal = { ms: 5_000, why: '429' };
    expect(await reuse.acquire('host.example', EAGER)).toEqual(limiter.refusal);
  });

  it('never reuses a permit after a hold by this process', async () => {
    const { limiter, reuse, visit } = fixture();
    await visit();
    await reuse.hold('host.example', 1_000, '429');
    limiter.refusal = { ms: 1_000, why: '429' };
    expect(await reuse.acquire('host.example', EAGER)).toEqual(limiter.refusal);
  });

  it('does not reuse the permit of a failed fetch, so that the failure is reported', async () => {
    const { limiter, visit } = fixture();
    limiter.state = 'held';
    expect(await visit(EAGER, FAILED)).toBe('held');
    expect(limiter.ends).toEqual([FAILED]);
  });

  it('does not reuse a permit if a delay applies, or for a page with another pace', async () => {
    const { limiter, visit } = fixture();
    const slow = { concurrency: 2, delayMs: 100 };
    await visit(slow);
    await visit(slow);
    expect(limiter.acquired).toBe(2);
    await visit(EAGER);
    await visit({ concurrency: 9, delayMs: 0 });
    expect(limiter.acquired).toBe(4);
  });

  it('reports every slow response, and reuses no permit of a host whose latency requires a delay', async () => {
    const { limiter, visit } = fixture();
    const slow: HostReport = { kind: 'answered', latency: { ms: 900, isError: false } };
    await visit(EAGER, slow);
    expect(limiter.ends).toEqual([slow]);
    limiter.latencyDelayMs = 200;
    await visit();
    expect(limiter.ends).toEqual([slow, ANSWERED]);
  });

  it('does not reuse the permit of the first response after a failure, so that the response is reported', async () => {
    const { limiter, visit } = fixture();
    await visit(EAGER, FAILED);
    await visit();
    expect(limiter.ends).toEqual([FAILED, ANSWERED]);
  });

  it('does not reuse a permit beyond its maximum age', async () => {
    const { limiter, clock, reuse, visit } = fixture();
    const old = await reuse.acquire('host.example', EAGER);
    clock.nowMs = 20_900;
    await visit();
    clock.nowMs = 21_000;
    if (isPermit(old)) await old.release(ANSWERED);
    expect(limiter.ends).toEqual([ANSWERED]);
  });
});
