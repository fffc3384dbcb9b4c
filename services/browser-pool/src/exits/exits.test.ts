import { describe, expect, it } from '@jest/globals';
import { exit, exitRequest, HOST, HOUR, MINUTE, startTestExits } from '../../test/test-exits.ts';
import type { ParityResult } from './exits.ts';

describe('Exits.pick', () => {
  it('returns an exit of the requested country, or none', async () => {
    const { exits, picked } = startTestExits([exit('us', 'US'), exit('de', 'DE')]);
    expect(await picked({ country: 'de' })).toBe('de');
    expect(await exits.pick(exitRequest({ country: 'FR' }))).toBeUndefined();
    expect([exits.countries, exits.isEmpty]).toEqual([['US', 'DE'], false]);
    const none = startTestExits([]).exits;
    expect([none.countries, none.isEmpty]).toEqual([[], true]);
  });

  it('returns an exit of the requested kind, or none', async () => {
    const { picked } = startTestExits([exit('home'), { ...exit('hosted'), kind: 'datacenter' }]);
    expect([await picked({ kind: 'datacenter' }), await picked({ kind: 'mobile' })]).toEqual(['hosted', undefined]);
  });

  it('returns the exit that last read the host, until the host refuses it', async () => {
    const { exits, picked } = startTestExits([exit('one'), exit('two')]);
    await exits.report('two', HOST, 'read', 100);
    expect([await picked(), await picked({ host: 'b.example' })]).toEqual(['two', 'one']);
    await exits.report('two', HOST, 'refused', 100);
    expect(await picked()).toBe('one');
  });

  it('chooses by success rate, and an exit that has just failed last', async () => {
    const draws = { value: 0 };
    const { exits, picked } = startTestExits([exit('bad'), exit('good')], { random: () => draws.value });
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

  it('keeps the exit of a session while it is alive, and separates sessions', async () => {
    const draws = { value: 0 };
    const { exits, kill } = startTestExits([exit('one'), exit('two')], { random: () => draws.value });
    const [first, second] = [exitRequest({ session: 'w1 s' }), exitRequest({ session: 'w2 s' })];
    expect((await exits.pick(first))?.name).toBe('one');
    draws.value = 0.99;
    expect([(await exits.pick(first))?.name, (await exits.pick(second))?.name]).toEqual(['one', 'two']);
    await exits.report('two', HOST, 'read', 0);
    expect((await exits.pick(first))?.name).toBe('one');
    await kill('one');
    expect((await exits.pick(first))?.name).toBe('two');
  });
});

describe('Exits.pick after a failure', () => {
  it('returns an exit that was not tried, if there is one', async () => {
    const { exits, picked } = startTestExits([exit('one'), exit('two')]);
    await exits.report('one', HOST, 'read', 1);
    expect([await picked({ tried: ['one'] }), await picked({ tried: ['one', 'two'] })]).toEqual(['two', 'one']);
  });
});

describe('the health of an exit', () => {
  it('is dead after three consecutive failures until a probe succeeds, probed at growing intervals', async () => {
    const { exits, clock, probed, kill, viewOf, setProbeResult, picked } = startTestExits([exit('one')]);
    await exits.report('one', HOST, 'failed', 0);
    await exits.report('one', HOST, 'failed', 0);
    await exits.report('one', HOST, 'read', 0);
    expect((await viewOf('one'))?.state).toBe('alive');
    await kill('one');
    expect([(await viewOf('one'))?.state, await exits.pick(exitRequest())]).toEqual(['dead', undefined]);
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
    setProbeResult({ outcome: 'ok', bytes: 7 });
    clock.now += 20 * MINUTE;
    await exits.check();
    expect([(await viewOf('one'))?.state, await picked()]).toEqual(['alive', 'one']);
  });

  it('is dead again after one failure if no probe has succeeded', async () => {
    const { exits, clock, kill, viewOf, setProbeResult } = startTestExits([exit('one')]);
    await kill('one');
    setProbeResult({ outcome: 'unknown', bytes: 0 });
    clock.now += MINUTE;
    await exits.check();
    expect((await viewOf('one'))?.state).toBe('alive');
    await exits.report('one', HOST, 'failed', 0);
    expect((await viewOf('one'))?.state).toBe('dead');
  });

  it('excludes an exit for an hour from a host that refused it three times, and not from other hosts', async () => {
    const { exits, clock, refuse, viewOf, picked } = startTestExits([exit('one')]);
    await refuse('one');
    expect([await exits.pick(exitRequest()), await picked({ host: 'b.example' })]).toEqual([undefined, 'one']);
    expect(await viewOf('one')).toMatchObject({ state: 'alive', burnedFor: [HOST] });
    clock.now += HOUR;
    expect([await picked(), (await viewOf('one'))?.burnedFor]).toEqual(['one', []]);
  });

  it('does not burn an exit for refusals that are separated by read pages or by hours', async () => {
    const { exits, clock, picked } = startTestExits([exit('one')]);
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

  it('is tampering after two differing parity checks, until a check is equal again', async () => {
    let parity: ParityResult = { parity: 'differs', bytes: 100, exitFailed: false };
    const { exits, clock, viewOf } = startTestExits([exit('one')], { checkParity: async () => parity });
    expect(await viewOf('one')).toMatchObject({ parity: 'unknown', parityCheckedAt: undefined });
    await exits.check();
    await exits.check();
    expect(await viewOf('one')).toMatchObject({ state: 'alive', parity: 'differs', bytes: 100 });
    clock.now += 5 * MINUTE;
    await exits.check();
    expect([(await viewOf('one'))?.state, await exits.pick(exitRequest())]).toEqual(['tampering', undefined]);
    parity = { parity: 'ok', bytes: 100, exitFailed: false };
    clock.now += 5 * MINUTE;
    await exits.check();
    expect(await viewOf('one')).toMatchObject({ state: 'alive', parity: 'ok', parityCheckedAt: new Date(clock.now) });
  });

  it('is returned with bounded lists and without credentials', async () => {
    const { exits, viewOf, refuse } = startTestExits([exit('one', 'DE')]);
    for (let i = 0; i < 200; i++) await exits.report('one', `r${i}.example`, 'read', 10);
    for (let i = 0; i < 200; i++) await refuse('one', `b${i}.example`);
    const view = await viewOf('one');
    expect(view).toMatchObject({ name: 'one', country: 'DE', kind: 'residential', requests: 800, bytes: 5_000 });
    expect([view?.adoptedBy.length, view?.burnedFor.length]).toEqual([50, 50]);
    expect(JSON.stringify(await exits.view())).not.toContain('secret');
  });

  it('ignores reports about an exit that is not configured', async () => {
    const { exits } = startTestExits([]);
    await exits.report('ghost', HOST, 'read', 1);
    expect([await exits.view(), await exits.pick(exitRequest())]).toEqual([[], undefined]);
  });
});
