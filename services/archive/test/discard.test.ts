import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { PageRow } from '@tidemark/contracts/page/v1/page';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { oldestIdAt } from '../src/domain/page-age.ts';
import { archive } from '../src/service.ts';
import { type DiscardGround, layDiscardGround, newJob, newRun, SWEEPING, type TestRun } from './discard-ground.ts';

let ground: DiscardGround;
let service: RunningService;
beforeAll(async () => {
  ground = await layDiscardGround(() => service.peer);
  service = ground.own(await startService(archive, { ...ground.env, ...SWEEPING }));
}, 120_000);
afterAll(() => ground.close());

/** Discards a run and waits until its pages are gone and its body is aside. */
async function setAside(run: TestRun, name: string): Promise<void> {
  await ground.discard(run);
  await ground.gone(run);
  await ground.pass(name);
  await until('the body to be set aside', () => ground.isAside(name));
}
/** Passes over the time a body is kept aside, and waits until it has been decided about. */
async function decide(name: string): Promise<void> {
  await ground.pass(name);
  await until('the body to be decided about', async () => (await ground.candidates(name)).length === 0);
}

describe('a run that crawl has discarded', () => {
  it('leaves neither a page nor a body behind, and takes nothing from others', async () => {
    const [run, other] = [newRun(), newRun()];
    const name = await ground.capture(run, 'discarded');
    const theirs = await ground.capture(other, 'another run’s');
    await setAside(run, name);
    await decide(name);
    expect([ground.isKept(name), ground.isAside(name)]).toEqual([false, false]);
    expect([await ground.bodyOf(other), ground.isKept(theirs)]).toEqual(['another run’s', true]);
  });

  it('is only emptied in its own workspace, whoever tells of it', async () => {
    const run = newRun();
    await ground.capture(run, 'not theirs to discard');
    const told = newRun();
    await ground.discard({ ...told, jobId: run.jobId });
    await until('the discarded run to be looked at', async () => {
      const rows = await ground.sql('SELECT FROM archive.discarded_runs WHERE job_id = $1 AND emptied_at IS NOT NULL', [
        run.jobId,
      ]);
      return rows.length === 1;
    });
    expect(await ground.isEmpty(run)).toBe(false);
  });

  it('takes with it a page that is told late', async () => {
    const run = newRun();
    const name = await ground.capture(run, 'in time');
    await setAside(run, name);
    await ground.capture(run, 'told late');
    await ground.sql("UPDATE archive.discarded_runs SET due = now() - interval '1 second' WHERE job_id = $1", [
      run.jobId,
    ]);
    await ground.gone(run);
    await until('the run to be forgotten', async () => {
      const rows = await ground.sql('SELECT FROM archive.discarded_runs WHERE job_id = $1', [run.jobId]);
      return rows.length === 0;
    });
  });
});

describe('a body', () => {
  it('shared by runs and workspaces stays until its last row goes', async () => {
    const runs = [newRun(), newRun(), newRun()];
    const names = new Set<string>();
    for (const run of runs) names.add(await ground.capture(run, 'the same page for all'));
    expect(names.size).toBe(1);
    const [name = ''] = names;
    for (const run of runs.slice(0, 2)) {
      await ground.discard(run);
      await ground.gone(run);
      await decide(name);
      expect([ground.isKept(name), ground.isAside(name)]).toEqual([true, false]);
    }
    const [, , last = newRun()] = runs;
    expect(await ground.bodyOf(last)).toBe('the same page for all');
    await setAside(last, name);
    await decide(name);
    expect([ground.isKept(name), ground.isAside(name)]).toEqual([false, false]);
  });

  it('that a capture found “already there” as it was being collected stays, and is read all the while', async () => {
    const [old, fresh] = [newRun(), newRun()];
    const name = await ground.capture(old, 'found, not written');
    // The capture puts the bytes, finds them there and writes nothing; its row is still on its way when they are set aside.
    const row = ground.rowOf('found', await ground.put('found, not written'));
    await setAside(old, name);
    expect(ground.isKept(name)).toBe(false);
    await ground.tell(fresh, [row]);
    await until('the page is read', async () => (await ground.bodyOf(fresh)) === 'found, not written');
    await decide(name);
    expect([ground.isKept(name), ground.isAside(name)]).toEqual([true, false]);
    expect(await ground.bodyOf(fresh)).toBe('found, not written');
  });

  it('that was put again while it was set aside stays', async () => {
    const [old, fresh] = [newRun(), newRun()];
    const name = await ground.capture(old, 'written anew');
    await setAside(old, name);
    const content = await ground.put('written anew');
    // Destroyed before the row arrives: what is in its place is never touched.
    await decide(name);
    await ground.tell(fresh, [ground.rowOf('anew', content)]);
    await until('the page is read', async () => (await ground.bodyOf(fresh)) === 'written anew');
    expect(ground.isKept(name)).toBe(true);
  });

  it('that lost another row while it was aside waits again, and all of it goes in the end', async () => {
    const [first, second] = [newRun(), newRun()];
    const name = await ground.capture(first, 'twice thrown away');
    await setAside(first, name);
    await ground.capture(second, 'twice thrown away');
    expect([ground.isKept(name), ground.isAside(name)]).toEqual([true, true]);
    await ground.discard(second);
    await ground.gone(second);
    await ground.pass(name);
    await until('it to be set aside again', () => !ground.isKept(name));
    await decide(name);
    expect([ground.isKept(name), ground.isAside(name)]).toEqual([false, false]);
  });

  it('named by pages stored before names were written down stays', async () => {
    const [old, kept] = [newRun(), newRun()];
    const name = await ground.capture(old, 'from before');
    await ground.capture(kept, 'from before');
    await ground.sql(
      'UPDATE archive.pages SET content_key = NULL, screenshot_key = NULL, evidence_key = NULL WHERE job_id = $1',
      [kept.jobId],
    );
    await ground.discard(old);
    await ground.gone(old);
    await decide(name);
    expect(await ground.bodyOf(kept)).toBe('from before');
    expect([ground.isKept(name), ground.isAside(name)]).toEqual([true, false]);
  });

  it('goes with its page’s screenshot and evidence', async () => {
    const run = newRun();
    const blobs = [await ground.put('content'), await ground.put('picture'), await ground.put('proof')];
    const [content, screenshot, evidence] = blobs;
    await ground.tell(run, [
      PageRow.create({ id: newId('cap'), url: 'https://e.example/', content, screenshot, evidence }),
    ]);
    await until('the page is stored', async () => !(await ground.isEmpty(run)));
    await ground.discard(run);
    await ground.gone(run);
    for (const { sha256 } of blobs) await ground.pass(sha256);
    for (const { sha256 } of blobs) await until('it is set aside', () => ground.isAside(sha256));
    for (const { sha256 } of blobs) await decide(sha256);
    expect(blobs.map(({ sha256 }) => ground.isKept(sha256) || ground.isAside(sha256))).toEqual([false, false, false]);
  });
});

describe('pages of scrapes and batches', () => {
  const DAY_MS = 86_400_000;
  const idOf = (days: number) => `${oldestIdAt(new Date(Date.now() - days * DAY_MS))}${newId('cap').slice(14)}`;

  it('are kept for ninety days; a run’s pages go with their run alone', async () => {
    const [old, young, run] = [newJob(), newJob(), newRun()];
    const name = newId('cap');
    const rows = [old, young, run].map(async (job, at) => {
      const row = ground.rowOf('aged', await ground.put(`aged ${name} ${at}`), idOf(job === young ? 89 : 91));
      await ground.tell(job, [row]);
      return row.content?.sha256 ?? '';
    });
    const [first = ''] = await Promise.all(rows);
    await until('the old page’s body to be a candidate', async () => (await ground.candidates(first)).length === 1);
    await ground.gone(old);
    await until('the others are stored', async () => !(await ground.isEmpty(young)) && !(await ground.isEmpty(run)));
  });
});
