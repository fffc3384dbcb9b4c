import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@tidemark/service';
import type { AnyJob } from './any-job.ts';
import { type ClaimedJob, type JobReconcilerDeps, openJobReconciler } from './job-reconciler.ts';

/** A process with two free slots and no jobs. */
const idle: JobReconcilerDeps<AnyJob> = {
  attempts: { committed: () => [], runningJobIds: [], freeSlots: 2 },
  renew: async () => new Set<string>(),
  claimExpired: async () => [],
  resume: () => undefined,
  failJob: async () => undefined,
  log: createLogger('jobs', 'silent'),
};

const claimed = (id: string, isPoison = false): ClaimedJob<AnyJob> => ({
  job: { id, workspaceId: 'w', requestId: 'r', status: 'running', attempts: 2, createdAt: new Date(0) },
  isPoison,
  trace: {},
});

describe('openJobReconciler', () => {
  it('stops an attempt whose lease is lost and runs one reconciliation at a time', async () => {
    const calls: string[] = [];
    const stopped: string[] = [];
    let respond = (_: ReadonlySet<string>): void => undefined;
    const reconciler = openJobReconciler({
      ...idle,
      attempts: {
        committed: () => ['owned', 'lost'].map((id) => ({ id, stop: () => void stopped.push(id) })),
        runningJobIds: ['owned', 'lost'],
        freeSlots: 2,
      },
      renew: () => {
        calls.push('renew');
        return new Promise((resolve) => {
          respond = resolve;
        });
      },
      claimExpired: async (_, except) => {
        calls.push(`claim, except ${except}`);
        return [];
      },
    });
    reconciler.close();
    const rounds = [reconciler.runNow(), reconciler.runNow()];
    respond(new Set(['owned']));
    await Promise.all(rounds);
    expect([stopped, calls]).toEqual([['lost'], ['renew', 'claim, except owned,lost']]);
  });

  it('fails a poison job instead of starting it', async () => {
    const moves: string[] = [];
    const reconciler = openJobReconciler({
      ...idle,
      claimExpired: async () => [claimed('exhausted', true), claimed('last')],
      resume: ({ id }) => void moves.push(`resumed ${id}`),
      failJob: async ({ id }) => void moves.push(`failed ${id}`),
    });
    reconciler.close();
    await reconciler.runNow();
    expect(moves).toEqual(['failed exhausted', 'resumed last']);
  });

  it('resumes the other claimed jobs if one cannot be resumed', async () => {
    const resumed: string[] = [];
    const reconciler = openJobReconciler({
      ...idle,
      claimExpired: async () => [claimed('x'), claimed('y')],
      resume: async ({ id }) => {
        if (id === 'x') throw new Error('billing is unavailable');
        resumed.push(id);
      },
    });
    reconciler.close();
    await reconciler.runNow();
    expect(resumed).toEqual(['y']);
  });

  it('claims no jobs if no slot is free', async () => {
    const limits: number[] = [];
    const reconciler = openJobReconciler({
      ...idle,
      attempts: { committed: () => [], runningJobIds: [], freeSlots: 0 },
      claimExpired: async (limit) => {
        limits.push(limit);
        return [];
      },
    });
    reconciler.close();
    await reconciler.runNow();
    expect(limits).toEqual([]);
  });
});
