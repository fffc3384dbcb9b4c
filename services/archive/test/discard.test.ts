import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { pageRow, type RunningService, startService, until } from '@tidemark/testkit';
import { oldestIdAt } from '../src/domain/page-age.ts';
import { archive } from '../src/service.ts';
import { type DiscardServers, newJob, newRun, SWEEPING, startDiscardServers, type TestRun } from './discard-servers.ts';

let servers: DiscardServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startDiscardServers(() => service.peer);
  service = servers.own(await startService(archive, { ...servers.env, ...SWEEPING }));
}, 120_000);
afterAll(() => servers.close());

/** Discards a run and waits until its pages are gone and its body is in the trash. */
async function setAside(run: TestRun, name: string): Promise<void> {
  await servers.discard(run);
  await servers.gone(run);
  await servers.pass(name);
  await until('the body to be moved to the trash', () => servers.isInTrash(name));
}
/** Passes over the time a body stays in the trash, and waits until it has been decided about. */
async function decide(name: string): Promise<void> {
  await servers.pass(name);
  await until('the end of its candidacy', async () => (await servers.candidates(name)).length === 0);
}

describe('a run that crawl has discarded', () => {
  it('leaves neither a page nor a body, and deletes nothing of others', async () => {
    const [run, other] = [newRun(), newRun()];
    const name = await servers.capture(run, 'discarded');
    const otherBlob = await servers.capture(other, 'another run’s');
    await setAside(run, name);
    await decide(name);
    expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([false, false]);
    expect([await servers.bodyOf(other), servers.isKept(otherBlob)]).toEqual(['another run’s', true]);
  });

  it('empties a run only in the workspace of the event', async () => {
    const run = newRun();
    await servers.capture(run, 'not otherBlob to discard');
    const discarded = newRun();
    await servers.discard({ ...discarded, jobId: run.jobId });
    await until('the next check of the discarded run', async () => {
      const rows = await servers.sql(
        'SELECT FROM archive.discarded_runs WHERE job_id = $1 AND emptied_at IS NOT NULL',
        [run.jobId],
      );
      return rows.length === 1;
    });
    expect(await servers.isEmpty(run)).toBe(false);
  });

  it('deletes a page whose event arrives late', async () => {
    const run = newRun();
    const name = await servers.capture(run, 'in time');
    await setAside(run, name);
    await servers.capture(run, 'discarded late');
    await servers.sql("UPDATE archive.discarded_runs SET due = now() - interval '1 second' WHERE job_id = $1", [
      run.jobId,
    ]);
    await servers.gone(run);
    await until('the deletion of the discarded run', async () => {
      const rows = await servers.sql('SELECT FROM archive.discarded_runs WHERE job_id = $1', [run.jobId]);
      return rows.length === 0;
    });
  });
});

describe('a body', () => {
  it('shared by runs and workspaces stays until its last row is deleted', async () => {
    const runs = [newRun(), newRun(), newRun()];
    const names = new Set<string>();
    for (const run of runs) names.add(await servers.capture(run, 'the same page for all'));
    expect(names.size).toBe(1);
    const [name = ''] = names;
    for (const run of runs.slice(0, 2)) {
      await servers.discard(run);
      await servers.gone(run);
      await decide(name);
      expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([true, false]);
    }
    const [, , last = newRun()] = runs;
    expect(await servers.bodyOf(last)).toBe('the same page for all');
    await setAside(last, name);
    await decide(name);
    expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([false, false]);
  });

  it('that a capture found present during its collection stays and is readable throughout', async () => {
    const [old, fresh] = [newRun(), newRun()];
    const name = await servers.capture(old, 'found, not written');
    // The capture puts the bytes, finds them there and writes nothing; its row is still on its way when they are set aside.
    const row = servers.rowOf('found', await servers.put('found, not written'));
    await setAside(old, name);
    expect(servers.isKept(name)).toBe(false);
    await servers.publish(fresh, [row]);
    await until('the body to be readable', async () => (await servers.bodyOf(fresh)) === 'found, not written');
    await decide(name);
    expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([true, false]);
    expect(await servers.bodyOf(fresh)).toBe('found, not written');
  });

  it('that was put again while it was in the trash stays', async () => {
    const [old, fresh] = [newRun(), newRun()];
    const name = await servers.capture(old, 'written anew');
    await setAside(old, name);
    const content = await servers.put('written anew');
    expect(servers.isInTrash(name)).toBe(false);
    // Its check comes before the row arrives: it waits in the trash once more.
    await servers.pass(name);
    await until('it to be moved to the trash again', () => servers.isInTrash(name));
    await servers.publish(fresh, [servers.rowOf('anew', content)]);
    await until('the body to be readable', async () => (await servers.bodyOf(fresh)) === 'written anew');
    await decide(name);
    expect(servers.isKept(name)).toBe(true);
  });

  it('that lost another row while it was in the trash waits again, and is completely deleted at the end', async () => {
    const [first, second] = [newRun(), newRun()];
    const name = await servers.capture(first, 'twice thrown away');
    await setAside(first, name);
    await servers.capture(second, 'twice thrown away');
    expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([true, false]);
    await servers.discard(second);
    await servers.gone(second);
    await servers.pass(name);
    await until('it to be moved to the trash again', () => !servers.isKept(name));
    await decide(name);
    expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([false, false]);
  });

  it('named by pages stored before names were written down stays', async () => {
    const [old, kept] = [newRun(), newRun()];
    const name = await servers.capture(old, 'from before');
    await servers.capture(kept, 'from before');
    await servers.sql(
      'UPDATE archive.pages SET content_key = NULL, screenshot_key = NULL, evidence_key = NULL WHERE job_id = $1',
      [kept.jobId],
    );
    await servers.discard(old);
    await servers.gone(old);
    await decide(name);
    expect(await servers.bodyOf(kept)).toBe('from before');
    expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([true, false]);
  });

  it('is deleted with the screenshot and evidence of its page', async () => {
    const run = newRun();
    const blobs = [await servers.put('content'), await servers.put('picture'), await servers.put('proof')];
    const [content, screenshot, evidence] = blobs;
    await servers.publish(run, [
      pageRow({ id: newId('cap'), url: 'https://e.example/', content, screenshot, evidence }),
    ]);
    await until('the page is stored', async () => !(await servers.isEmpty(run)));
    await servers.discard(run);
    await servers.gone(run);
    for (const { sha256 } of blobs) await servers.pass(sha256);
    for (const { sha256 } of blobs) await until('it is moved to the trash', () => servers.isInTrash(sha256));
    for (const { sha256 } of blobs) await decide(sha256);
    expect(blobs.map(({ sha256 }) => servers.isKept(sha256) || servers.isInTrash(sha256))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('pages of scrapes and batches', () => {
  const DAY_MS = 86_400_000;
  const idOf = (days: number) => `${oldestIdAt(new Date(Date.now() - days * DAY_MS))}${newId('cap').slice(14)}`;

  it('are kept for ninety days; pages of a run are deleted with their run only', async () => {
    const [old, young, run] = [newJob(), newJob(), newRun()];
    const name = newId('cap');
    const rows = [old, young, run].map(async (job, at) => {
      const row = servers.rowOf('aged', await servers.put(`aged ${name} ${at}`), idOf(job === young ? 89 : 91));
      await servers.publish(job, [row]);
      return row.content?.sha256 ?? '';
    });
    const [first = ''] = await Promise.all(rows);
    await until('the old page’s body to be a candidate', async () => (await servers.candidates(first)).length === 1);
    await servers.gone(old);
    await until('the others are stored', async () => !(await servers.isEmpty(young)) && !(await servers.isEmpty(run)));
  });
});
