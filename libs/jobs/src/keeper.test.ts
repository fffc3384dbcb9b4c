import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@tidemark/service';
import { type AnyJob, MAX_ATTEMPTS } from './any-job.ts';
import { type KeeperDeps, openKeeper, type Taken } from './keeper.ts';

/** A process with room for two and nothing to do. */
const nothing: KeeperDeps<AnyJob> = {
  attempts: { recorded: () => [], jobsUnderWay: [], freeSlots: 2 },
  renew: async () => new Set<string>(),
  takeOver: async () => [],
  resume: () => undefined,
  giveUp: async () => undefined,
  log: createLogger('jobs', 'silent'),
};

const takenAfter = (id: string, attempts: number): Taken<AnyJob> => ({
  job: { id, workspaceId: 'w', requestId: 'r', status: 'running', attempts, createdAt: new Date(0) },
  trace: {},
});

describe('the keeper of a process', () => {
  it('stops an attempt whose job is no longer ours, and takes nothing over while the table is looked at', async () => {
    const looks: string[] = [];
    const stopped: string[] = [];
    let answer = (_: ReadonlySet<string>): void => undefined;
    const keeper = openKeeper({
      ...nothing,
      attempts: {
        recorded: () => ['ours', 'lost'].map((id) => ({ id, stop: () => void stopped.push(id) })),
        jobsUnderWay: ['ours', 'lost'],
        freeSlots: 2,
      },
      renew: () => {
        looks.push('renew');
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
      takeOver: async (_, except) => {
        looks.push(`take over, but not ${except}`);
        return [];
      },
    });
    keeper.close();
    const rounds = [keeper.go(), keeper.go()];
    answer(new Set(['ours']));
    await Promise.all(rounds);
    expect([stopped, looks]).toEqual([['lost'], ['renew', 'take over, but not ours,lost']]);
  });

  it('ends a job that every attempt at has ended its process, and begins none', async () => {
    const moves: string[] = [];
    const keeper = openKeeper({
      ...nothing,
      takeOver: async () => [takenAfter('worn', MAX_ATTEMPTS + 1), takenAfter('last', MAX_ATTEMPTS)],
      resume: ({ id }) => void moves.push(`began ${id}`),
      giveUp: async ({ id }) => void moves.push(`gave up ${id}`),
    });
    keeper.close();
    await keeper.go();
    expect(moves).toEqual(['gave up worn', 'began last']);
  });

  it('begins the others where one that was taken over can’t be begun', async () => {
    const begun: string[] = [];
    const keeper = openKeeper({
      ...nothing,
      takeOver: async () => [takenAfter('x', 2), takenAfter('y', 2)],
      resume: async ({ id }) => {
        if (id === 'x') throw new Error('billing is away');
        begun.push(id);
      },
    });
    keeper.close();
    await keeper.go();
    expect(begun).toEqual(['y']);
  });

  it('takes nothing over where no attempt has room', async () => {
    const asked: number[] = [];
    const keeper = openKeeper({
      ...nothing,
      attempts: { recorded: () => [], jobsUnderWay: [], freeSlots: 0 },
      takeOver: async (limit) => {
        asked.push(limit);
        return [];
      },
    });
    keeper.close();
    await keeper.go();
    expect(asked).toEqual([]);
  });
});
