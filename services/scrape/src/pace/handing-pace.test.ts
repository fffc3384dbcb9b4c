import { describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { HandingPace } from './handing-pace.ts';
import { type HostState, isTurn, type Pace, type PaceKeeper, type Turn, type Wait } from './pace-keeper.ts';
import type { Outcome } from './patience.ts';

const EAGER: Pace = { concurrency: 2, delayMs: 0 };
const FAILED: Outcome = { trouble: 'silent', why: 'no answer' };

/** A keeper that counts what it is asked, and says what it is told to. */
class CountingPace implements PaceKeeper {
  asked = 0;
  readonly ends: (Outcome | undefined)[] = [];
  says: Wait | undefined;
  state: HostState = 'up';

  async ask(): Promise<Turn | Wait> {
    this.asked += 1;
    if (this.says !== undefined) return this.says;
    return {
      done: async (outcome) => {
        this.ends.push(outcome);
        return this.state;
      },
    };
  }

  async hold(): Promise<void> {}
}

function handing() {
  const keeper = new CountingPace();
  const clock = { nowMs: 0 };
  const pace = new HandingPace(keeper, () => clock.nowMs);
  const visit = async (how: Pace = EAGER, outcome: Outcome | undefined = 'answered') => {
    const turn = await pace.ask('host.example', how);
    if (!isTurn(turn)) throw new Error('no turn was given');
    return turn.done(outcome);
  };
  return { keeper, clock, pace, visit };
}

describe('turns handed on within a process', () => {
  it('are asked for once, however many pages go one after the other', async () => {
    const { keeper, visit } = handing();
    for (let i = 0; i < 50; i += 1) await visit();
    expect(keeper.asked).toBe(1);
  });

  it('are given back when nobody comes', async () => {
    const { keeper, visit } = handing();
    await visit();
    await until('the turns to be given back', () => keeper.ends.length > 0);
    expect(keeper.ends).toEqual(['answered']);
  });

  it('are asked for again after a quarter of a second, so that a hold by another process is heard', async () => {
    const { keeper, clock, visit, pace } = handing();
    await visit();
    clock.nowMs = 251;
    keeper.says = { ms: 5_000, why: '429' };
    expect(await pace.ask('host.example', EAGER)).toEqual(keeper.says);
  });

  it('are never handed on past a hold of this process', async () => {
    const { keeper, pace, visit } = handing();
    await visit();
    await pace.hold('host.example', 1_000, '429');
    keeper.says = { ms: 1_000, why: '429' };
    expect(await pace.ask('host.example', EAGER)).toEqual(keeper.says);
  });

  it('are not handed on by a fetch that failed: the host hears of it', async () => {
    const { keeper, visit } = handing();
    keeper.state = 'held';
    expect(await visit(EAGER, FAILED)).toBe('held');
    expect(keeper.ends).toEqual([FAILED]);
  });

  it('are not handed on where time is kept between two starts, nor to a page that goes at another pace', async () => {
    const { keeper, visit } = handing();
    const slow = { concurrency: 2, delayMs: 100 };
    await visit(slow);
    await visit(slow);
    expect(keeper.asked).toBe(2);
    await visit(EAGER);
    await visit({ concurrency: 9, delayMs: 0 });
    expect(keeper.asked).toBe(4);
  });

  it('are not handed on by the first answer after a failure: failures are counted from one answer to the next', async () => {
    const { keeper, visit } = handing();
    await visit(EAGER, FAILED);
    await visit();
    expect(keeper.ends).toEqual([FAILED, 'answered']);
  });

  it('are not kept for longer than what they were given for', async () => {
    const { keeper, clock, pace, visit } = handing();
    const old = await pace.ask('host.example', EAGER);
    clock.nowMs = 20_900;
    await visit();
    clock.nowMs = 21_000;
    if (isTurn(old)) await old.done('answered');
    expect(keeper.ends).toEqual(['answered']);
  });
});
