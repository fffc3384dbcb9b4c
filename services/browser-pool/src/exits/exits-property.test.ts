import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exit, exitRequest, HOUR, MINUTE, startTestExits } from '../../test/test-exits.ts';

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

describe('Exits.pick', () => {
  it('never returns a dead or burned exit, and keeps the exit of a session while it is usable', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 80 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        async (steps, draws) => {
          const { exits, clock, viewOf } = startTestExits(
            NAMES.map((name) => exit(name)),
            { random: () => draws.next().value ?? 0 },
          );
          const kept = new Map<string, { name: string; usedAt: number }>();
          const isUsable = async (name: string, host: string) => {
            const view = await viewOf(name);
            return view?.state === 'alive' && !view.burnedFor.includes(host);
          };
          /** Returns the exit that a session must keep. A session idle for half an hour has ended. */
          const keptBy = async (session: string, host: string): Promise<string | undefined> => {
            const before = kept.get(session);
            if (before === undefined || clock.now - before.usedAt >= HOUR / 2) return undefined;
            return (await isUsable(before.name, host)) ? before.name : undefined;
          };
          const expectPick = async (host: string, session: string): Promise<void> => {
            const picked = await exits.pick(exitRequest({ host, session }));
            if (picked === undefined) {
              expect(await Promise.all(NAMES.map((name) => isUsable(name, host)))).toEqual([false, false, false]);
              return;
            }
            expect(await isUsable(picked.name, host)).toBe(true);
            expect(picked.name).toBe((await keptBy(session, host)) ?? picked.name);
            if (session !== '') kept.set(session, { name: picked.name, usedAt: clock.now });
          };
          for (const one of steps) {
            if (one.kind === 'wait') clock.now += one.ms;
            else if (one.kind === 'report') await exits.report(one.name, one.host, one.outcome, 1);
            else await expectPick(one.host, one.session);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
