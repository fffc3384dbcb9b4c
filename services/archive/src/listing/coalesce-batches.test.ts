import { describe, expect, it } from '@jest/globals';
import type { ListedRun } from '../domain/listed-run.ts';
import { coalesceBatches } from './coalesce-batches.ts';

const run = (no: string): ListedRun => ({
  no,
  id: `run_${no}`,
  workspaceId: 'ws_1',
  projectId: 'prj_1',
  status: 'done',

  listed: 0,
  provisional: 0,
  checked: 0,
  sketched: 0,
  attempts: 0,
  interruptions: 0,

  state: 'listing',
  summary: undefined,
  stuckSince: undefined,
  endedAt: undefined,
  total: undefined,
});

describe('steps along a run', () => {
  it('runs one batch for all concurrent calls, and a new one afterwards', async () => {
    let taken = 0;
    const step = coalesceBatches(async (of) => {
      taken += 1;
      return { run: { ...of, listed: taken }, next: 'end' };
    });
    const [one, other] = await Promise.all([step(run('1')), step(run('1'))]);
    expect([one?.run.listed, other?.run.listed, taken]).toEqual([1, 1, 1]);
    expect((await step(run('1')))?.run.listed).toBe(2);
  });

  it('of different runs are taken side by side, and one that failed is tried again', async () => {
    let fails = true;
    const step = coalesceBatches(async (of) => {
      if (of.no === '1' && fails) throw new Error('crawl is away');
      return { run: of, next: 'end' };
    });
    const [failed, other] = await Promise.allSettled([step(run('1')), step(run('2'))]);
    expect([failed.status, other.status]).toEqual(['rejected', 'fulfilled']);
    fails = false;
    expect(await step(run('1'))).toMatchObject({ next: 'end' });
  });

  it('does not share a batch that started before the run had ended with a call made after its end', async () => {
    const seen: string[] = [];
    const step = coalesceBatches(async (of) => {
      seen.push(of.status);
      return { run: of, next: 'end' };
    });
    const [early, late] = await Promise.all([step({ ...run('1'), status: 'running' }), step(run('1'))]);
    expect([early?.run.status, late?.run.status]).toEqual(['running', 'done']);
    expect(seen).toEqual(['running', 'done']);
  });
});
