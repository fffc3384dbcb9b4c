import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Exit } from './exit-list.ts';
import { type ExitRequest, Exits, type ExitsDeps, type ParityResult, type ProbeResult } from './exits.ts';
import { LocalExitStore } from './local-exit-store.ts';

const exit = (name: string, country = ''): Exit => ({
  name,
  url: `http://user:secret@${name}.example`,
  country,
  kind: 'residential',
});
const HOST = 'a.example';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const wanted = (more: Partial<ExitRequest> = {}): ExitRequest => ({
  host: HOST,
  country: '',
  kind: '',
  session: '',
  tried: [],
  ...more,
});

/** Exits at a clock and with a fate the test sets. */
function at(list: readonly Exit[], deps: Partial<ExitsDeps> = {}) {
  const clock = { now: 1_000_000 };
  const probed: string[] = [];
  let probe: ProbeResult = { outcome: 'failed', bytes: 10 };
  const exits = new Exits(list, {
    store: new LocalExitStore(),
    now: () => clock.now,
    random: () => 0,
    probe: async ({ name }) => {
      probed.push(name);
      return probe;
    },
    ...deps,
  });
  const kill = async (name: string) => {
    for (let i = 0; i < 3; i++) await exits.report(name, HOST, 'failed', 0);
  };
  const refuse = async (name: string, host = HOST) => {
    for (let i = 0; i < 3; i++) await exits.report(name, host, 'refused', 5);
  };
  const viewOf = async (name: string) => (await exits.view()).find((view) => view.name === name);
  const picked = async (more: Partial<ExitRequest> = {}) => (await exits.pick(wanted(more)))?.name;
  return {
    exits,
    clock,
    probed,
    picked,
    kill,
    refuse,
    viewOf,
    answerProbes: (result: ProbeResult) => (probe = result),
  };
}

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

const NAMES = ['one', 'two', 'three'];
const step = fc.oneof(
  fc.record({
    kind: fc.constant('report' as const),
    name: fc.constantFrom(...NAMES),
    host: fc.constantFrom('a.example', 'b.example'),
    outcome: fc.constantFrom('read' as const, 'refused' as const, 'failed' as const),
  }),
  fc.record({
    kind: fc.constant('pick' as const),
    host: fc.constantFrom('a.example', 'b.example'),
    session: fc.constantFrom('', 's1', 's2'),
  }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20 * MINUTE }) }),
);

it('whatever happens, a pick is never dead or burned, and keeps to a session’s exit while that is neither', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      async (steps, draws) => {
        const { exits, clock, viewOf } = at(
          NAMES.map((name) => exit(name)),
          { random: () => draws.next().value ?? 0 },
        );
        const kept = new Map<string, { name: string; usedAt: number }>();
        const isFit = async (name: string, host: string) => {
          const view = await viewOf(name);
          return view?.state === 'alive' && !view.burnedFor.includes(host);
        };
        for (const one of steps) {
          if (one.kind === 'wait') clock.now += one.ms;
          else if (one.kind === 'report') await exits.report(one.name, one.host, one.outcome, 1);
          else {
            const picked = await exits.pick(wanted({ host: one.host, session: one.session }));
            if (picked === undefined)
              expect(await Promise.all(NAMES.map((name) => isFit(name, one.host)))).toEqual([false, false, false]);
            else {
              expect(await isFit(picked.name, one.host)).toBe(true);
              const before = kept.get(one.session);
              // A session idle for half an hour has ended.
              const isKept =
                before !== undefined && clock.now - before.usedAt < HOUR / 2 && (await isFit(before.name, one.host));
              if (isKept) expect(picked.name).toBe(before.name);
              if (one.session !== '') kept.set(one.session, { name: picked.name, usedAt: clock.now });
            }
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});
