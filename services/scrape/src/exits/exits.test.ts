import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Exit } from './exit-list.ts';
import { Exits, type ExitsDeps, type ParityResult, type ProbeResult } from './exits.ts';

const exit = (name: string, country = ''): Exit => ({
  name,
  url: `http://user:secret@${name}.example`,
  country,
  kind: 'residential',
});
const HOST = 'a.example';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const wish = (more: { host?: string; country?: string; session?: string } = {}) => ({
  host: HOST,
  country: '',
  session: '',
  ...more,
});

/** Exits at a clock and with a fate the test sets. */
function at(list: readonly Exit[], deps: Partial<ExitsDeps> = {}) {
  const clock = { now: 1_000_000 };
  const probed: string[] = [];
  let probe: ProbeResult = { outcome: 'failed', bytes: 10 };
  const exits = new Exits(list, {
    now: () => clock.now,
    random: () => 0,
    probe: async ({ name }) => {
      probed.push(name);
      return probe;
    },
    ...deps,
  });
  const kill = (name: string) => {
    for (let i = 0; i < 3; i++) exits.report(name, HOST, 'failed', 0);
  };
  const refuse = (name: string, host = HOST) => {
    for (let i = 0; i < 3; i++) exits.report(name, host, 'refused', 5);
  };
  const viewOf = (name: string) => exits.view().find((view) => view.name === name);
  return { exits, clock, probed, kill, refuse, viewOf, answerProbes: (result: ProbeResult) => (probe = result) };
}

describe('the exit for a page', () => {
  it('is one of the country asked for, or none', () => {
    const { exits } = at([exit('us', 'US'), exit('de', 'DE')]);
    expect(exits.pick(wish({ country: 'de' }))?.name).toBe('de');
    expect(exits.pick(wish({ country: 'FR' }))).toBeUndefined();
    expect([exits.hasCountry('DE'), exits.hasCountry('FR'), exits.hasCountry(''), exits.isEmpty]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(
      new Exits([], { now: () => 0, random: () => 0, probe: async () => ({ outcome: 'ok', bytes: 0 }) }).isEmpty,
    ).toBe(true);
  });

  it('is the one that last read the host, until it is refused there', () => {
    const { exits } = at([exit('one'), exit('two')]);
    exits.report('two', HOST, 'read', 100);
    expect([exits.pick(wish())?.name, exits.pick(wish({ host: 'b.example' }))?.name]).toEqual(['two', 'one']);
    exits.report('two', HOST, 'refused', 100);
    expect(exits.pick(wish())?.name).toBe('one');
  });

  it('is drawn by success, and one that has just failed comes last', () => {
    const draws = { value: 0 };
    const { exits } = at([exit('bad'), exit('good')], { random: () => draws.value });
    for (let i = 0; i < 30; i++) exits.report('bad', `h${i}.example`, 'refused', 0);
    const drawn = Array.from({ length: 100 }, (_, i) => {
      draws.value = i / 100;
      return exits.pick(wish())?.name;
    });
    expect(drawn.filter((name) => name === 'good').length).toBeGreaterThan(90);
    draws.value = 0;
    exits.report('good', HOST, 'failed', 0);
    expect(exits.pick(wish())?.name).toBe('bad');
  });

  it('stays with a session while it is alive, and sessions do not share by accident', () => {
    const draws = { value: 0 };
    const { exits, kill } = at([exit('one'), exit('two')], { random: () => draws.value });
    const [first, second] = [wish({ session: 'w1 s' }), wish({ session: 'w2 s' })];
    expect(exits.pick(first)?.name).toBe('one');
    draws.value = 0.99;
    expect([exits.pick(first)?.name, exits.pick(second)?.name]).toEqual(['one', 'two']);
    exits.report('two', HOST, 'read', 0);
    expect(exits.pick(first)?.name).toBe('one');
    kill('one');
    expect(exits.pick(first)?.name).toBe('two');
  });
});

describe('an exit', () => {
  it('that fails three times in a row is dead until a probe succeeds, asked later and later', async () => {
    const { exits, clock, probed, kill, viewOf, answerProbes } = at([exit('one')]);
    exits.report('one', HOST, 'failed', 0);
    exits.report('one', HOST, 'failed', 0);
    exits.report('one', HOST, 'read', 0);
    expect(viewOf('one')?.state).toBe('alive');
    kill('one');
    expect([viewOf('one')?.state, exits.pick(wish())]).toEqual(['dead', undefined]);
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
    expect([viewOf('one')?.state, exits.pick(wish())?.name]).toEqual(['alive', 'one']);
  });

  it('back without a probe to prove it is dead again at its first failure', async () => {
    const { exits, clock, kill, viewOf, answerProbes } = at([exit('one')]);
    kill('one');
    answerProbes({ outcome: 'unknown', bytes: 0 });
    clock.now += MINUTE;
    await exits.check();
    expect(viewOf('one')?.state).toBe('alive');
    exits.report('one', HOST, 'failed', 0);
    expect(viewOf('one')?.state).toBe('dead');
  });

  it('refused three times by a host is not used for it for an hour, and for other hosts still is', () => {
    const { exits, clock, refuse, viewOf } = at([exit('one')]);
    refuse('one');
    expect([exits.pick(wish()), exits.pick(wish({ host: 'b.example' }))?.name]).toEqual([undefined, 'one']);
    expect(viewOf('one')).toMatchObject({ state: 'alive', burnedFor: [HOST] });
    clock.now += HOUR;
    expect([exits.pick(wish())?.name, viewOf('one')?.burnedFor]).toEqual(['one', []]);
  });

  it('refused now and then, with pages read between or hours apart, is not burned', () => {
    const { exits, clock } = at([exit('one')]);
    for (let i = 0; i < 10; i++) {
      exits.report('one', HOST, i % 3 === 2 ? 'read' : 'refused', 0);
      expect(exits.pick(wish())?.name).toBe('one');
    }
    for (let i = 0; i < 10; i++) {
      clock.now += 2 * HOUR;
      exits.report('one', HOST, 'refused', 0);
      expect(exits.pick(wish())?.name).toBe('one');
    }
  });

  it('whose pages differ twice from direct ones is not used until they are the same again', async () => {
    let parity: ParityResult = { parity: 'differs', bytes: 100, exitFailed: false };
    const { exits, clock, viewOf } = at([exit('one')], { checkParity: async () => parity });
    expect(viewOf('one')).toMatchObject({ parity: 'unknown', parityCheckedAt: undefined });
    await exits.check();
    await exits.check();
    expect(viewOf('one')).toMatchObject({ state: 'alive', parity: 'differs', bytes: 100 });
    clock.now += 5 * MINUTE;
    await exits.check();
    expect([viewOf('one')?.state, exits.pick(wish())]).toEqual(['tampering', undefined]);
    parity = { parity: 'ok', bytes: 100, exitFailed: false };
    clock.now += 5 * MINUTE;
    await exits.check();
    expect(viewOf('one')).toMatchObject({ state: 'alive', parity: 'ok', parityCheckedAt: new Date(clock.now) });
  });

  it('is shown with what it did, in bounded lists and without its credentials', () => {
    const { exits, viewOf, refuse } = at([exit('one', 'DE')]);
    for (let i = 0; i < 200; i++) exits.report('one', `r${i}.example`, 'read', 10);
    for (let i = 0; i < 200; i++) refuse('one', `b${i}.example`);
    const view = viewOf('one');
    expect(view).toMatchObject({ name: 'one', country: 'DE', kind: 'residential', requests: 800, bytes: 5_000 });
    expect([view?.adoptedBy.length, view?.burnedFor.length]).toEqual([50, 50]);
    expect(JSON.stringify(exits.view())).not.toContain('secret');
  });

  it('nobody configured is not reported on', () => {
    const { exits } = at([]);
    exits.report('ghost', HOST, 'read', 1);
    expect([exits.view(), exits.pick(wish())]).toEqual([[], undefined]);
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

it('whatever happens, a pick is never dead or burned, and keeps to a session’s exit while that is neither', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 80 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (steps, draws) => {
        const { exits, clock, viewOf } = at(
          NAMES.map((name) => exit(name)),
          { random: () => draws.next().value ?? 0 },
        );
        const kept = new Map<string, { name: string; usedAt: number }>();
        const isFit = (name: string, host: string) =>
          viewOf(name)?.state === 'alive' && viewOf(name)?.burnedFor.includes(host) === false;
        for (const one of steps) {
          if (one.kind === 'wait') clock.now += one.ms;
          else if (one.kind === 'report') exits.report(one.name, one.host, one.outcome, 1);
          else {
            const picked = exits.pick(wish(one));
            if (picked === undefined) expect(NAMES.some((name) => isFit(name, one.host))).toBe(false);
            else {
              expect(isFit(picked.name, one.host)).toBe(true);
              const before = kept.get(one.session);
              // A session idle for half an hour has ended.
              const isKept =
                before !== undefined && clock.now - before.usedAt < HOUR / 2 && isFit(before.name, one.host);
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
