import { describe, expect, it } from '@jest/globals';
import { at, exit, HOST, HOUR, MINUTE, wanted } from '../../test/exits-at.ts';
import type { ParityResult } from './exits.ts';

describe('the exit for a page', () => {
  it('is one of the country asked for, or none', async () => {
    const { exits, picked } = at([exit('us', 'US'), exit('de', 'DE')]);
    expect(await picked({ country: 'de' })).toBe('de');
    expect(await exits.pick(wanted({ country: 'FR' }))).toBeUndefined();
    expect([exits.countries, exits.isEmpty]).toEqual([['US', 'DE'], false]);
    const none = at([]).exits;
    expect([none.countries, none.isEmpty]).toEqual([[], true]);
  });

  it('is one of the kind asked for, or none', async () => {
    const { picked } = at([exit('home'), { ...exit('hosted'), kind: 'datacenter' }]);
    expect([await picked({ kind: 'datacenter' }), await picked({ kind: 'mobile' })]).toEqual(['hosted', undefined]);
  });

  it('is the one that last read the host, until it is refused there', async () => {
    const { exits, picked } = at([exit('one'), exit('two')]);
    await exits.report('two', HOST, 'read', 100);
    expect([await picked(), await picked({ host: 'b.example' })]).toEqual(['two', 'one']);
    await exits.report('two', HOST, 'refused', 100);
    expect(await picked()).toBe('one');
  });

  it('is drawn by success, and one that has just failed comes last', async () => {
    const draws = { value: 0 };
    const { exits, picked } = at([exit('bad'), exit('good')], { random: () => draws.value });
    for (let i = 0; i < 30; i++) await exits.report('bad', `h${i}.example`, 'refused', 0);
    const drawn: (string | undefined)[] = [];
    for (let i = 0; i < 100; i++) {
      draws.value = i / 100;
      drawn.push(await picked());
    }
    expect(drawn.filter((name) => name === 'good').length).toBeGreaterThan(90);
    draws.value = 0;
    await exits.report('good', HOST, 'failed', 0);
    expect(await picked()).toBe('bad');
  });

  it('stays with a session while it is alive, and sessions do not share by accident', async () => {
    const draws = { value: 0 };
    const { exits, kill } = at([exit('one'), exit('two')], { random: () => draws.value });
    const [first, second] = [wanted({ session: 'w1 s' }), wanted({ session: 'w2 s' })];
    expect((await exits.pick(first))?.name).toBe('one');
    draws.value = 0.99;
    expect([(await exits.pick(first))?.name, (await exits.pick(second))?.name]).toEqual(['one', 'two']);
    await exits.report('two', HOST, 'read', 0);
    expect((await exits.pick(first))?.name).toBe('one');
    await kill('one');
    expect((await exits.pick(first))?.name).toBe('two');
  });
});

describe('the exit for a page that failed before', () => {
  it('is one that was not tried, where there is one', async () => {
    const { exits, picked } = at([exit('one'), exit('two')]);
    await exits.report('one', HOST, 'read', 1);
    expect([await picked({ tried: ['one'] }), await picked({ tried: ['one', 'two'] })]).toEqual(['two', 'one']);
  });
});

describe('an exit', () => {
  it('that fails three times in a row is dead until a probe succeeds, asked later and later', async () => {
    const { exits, clock, probed, kill, viewOf, answerProbes, picked } = at([exit('one')]);
    await exits.report('one', HOST, 'failed', 0);
    await exits.report('one', HOST, 'failed', 0);
    await exits.report('one', HOST, 'read', 0);
    expect((await viewOf('one'))?.state).toBe('alive');
    await kill('one');
    expect([(await viewOf('one'))?.state, await exits.pick(wanted())]).toEqual(['dead', undefined]);
    const gaps: number[] = [];
    let last = clock.now;
    for (let second = 0; second < 5_000; second++) {
      clock.now += 1_000;
      const before = probed.length;
      await exits.check();
      if (probed.length > before) {
        gaps.push(clock.now - last);
        last = clock.now;
      }
    }
    expect(gaps.slice(0, 7).map((gap) => gap / 1_000)).toEqual([30, 60, 120, 240, 480, 900, 900]);
    answerProbes({ outcome: 'ok', bytes: 7 });
    clock.now += 20 * MINUTE;
    await exits.check();
    expect([(await viewOf('one'))?.state, await picked()]).toEqual(['alive', 'one']);
  });

  it('back without a probe to prove it is dead again at its first failure', async () => {
    const { exits, clock, kill, viewOf, answerProbes } = at([exit('one')]);
    await kill('one');
    answerProbes({ outcome: 'unknown', bytes: 0 });
    clock.now += MINUTE;
    await exits.check();
    expect((await viewOf('one'))?.state).toBe('alive');
    await exits.report('one', HOST, 'failed', 0);
    expect((await viewOf('one'))?.state).toBe('dead');
  });

  it('refused three times by a host is not used for it for an hour, and for other hosts still is', async () => {
    const { exits, clock, refuse, viewOf, picked } = at([exit('one')]);
    await refuse('one');
    expect([await exits.pick(wanted()), await picked({ host: 'b.example' })]).toEqual([undefined, 'one']);
    expect(await viewOf('one')).toMatchObject({ state: 'alive', burnedFor: [HOST] });
    clock.now += HOUR;
    expect([await picked(), (await viewOf('one'))?.burnedFor]).toEqual(['one', []]);
  });

  it('refused now and then, with pages read between or hours apart, is not burned', async () => {
    const { exits, clock, picked } = at([exit('one')]);
    for (let i = 0; i < 10; i++) {
      await exits.report('one', HOST, i % 3 === 2 ? 'read' : 'refused', 0);
      expect(await picked()).toBe('one');
    }
    for (let i = 0; i < 10; i++) {
      clock.now += 2 * HOUR;
      await exits.report('one', HOST, 'refused', 0);
      expect(await picked()).toBe('one');
    }
  });

  it('whose pages differ twice from direct ones is not used until they are the same again', async () => {
    let parity: ParityResult = { parity: 'differs', bytes: 100, exitFailed: false };
    const { exits, clock, viewOf } = at([exit('one')], { checkParity: async () => parity });
    expect(await viewOf('one')).toMatchObject({ parity: 'unknown', parityCheckedAt: undefined });
    await exits.check();
    await exits.check();
    expect(await viewOf('one')).toMatchObject({ state: 'alive', parity: 'differs', bytes: 100 });
    clock.now += 5 * MINUTE;
    await exits.check();
    expect([(await viewOf('one'))?.state, await exits.pick(wanted())]).toEqual(['tampering', undefined]);
    parity = { parity: 'ok', bytes: 100, exitFailed: false };
    clock.now += 5 * MINUTE;
    await exits.check();
    expect(await viewOf('one')).toMatchObject({ state: 'alive', parity: 'ok', parityCheckedAt: new Date(clock.now) });
  });

  it('is shown with what it did, in bounded lists and without its credentials', async () => {
    const { exits, viewOf, refuse } = at([exit('one', 'DE')]);
    for (let i = 0; i < 200; i++) await exits.report('one', `r${i}.example`, 'read', 10);
    for (let i = 0; i < 200; i++) await refuse('one', `b${i}.example`);
    const view = await viewOf('one');
    expect(view).toMatchObject({ name: 'one', country: 'DE', kind: 'residential', requests: 800, bytes: 5_000 });
    expect([view?.adoptedBy.length, view?.burnedFor.length]).toEqual([50, 50]);
    expect(JSON.stringify(await exits.view())).not.toContain('secret');
  });

  it('nobody configured is not reported on', async () => {
    const { exits } = at([]);
    await exits.report('ghost', HOST, 'read', 1);
    expect([await exits.view(), await exits.pick(wanted())]).toEqual([[], undefined]);
  });
});
