import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceProcess, spawnService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { type DiscardServers, newRun, SWEEPING, startDiscardServers } from './discard-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let servers: DiscardServers;
let process: ServiceProcess;
beforeAll(async () => {
  servers = await startDiscardServers(() => process.peer);
}, 120_000);
afterAll(() => servers.close());
const spawn = async (more = {}) => {
  process = await spawnService('archive', MAIN, { ...servers.env, ...SWEEPING, ...more });
};

describe('a sweep', () => {
  it('whose process is killed during the sweep is completed by the next sweep', async () => {
    await spawn();
    const [run, kept] = [newRun(), newRun()];
    const shared = await servers.capture(kept, 'body 0');
    const contents = await Promise.all(Array.from({ length: 20 }, (_, i) => servers.put(`body ${i}`)));
    for (let from = 0; from < 6_000; from += 500) {
      const rows = contents.flatMap((content, i) =>
        Array.from({ length: 25 }, (__, at) => servers.rowOf(`${from}/${i}/${at}`, content)),
      );
      await servers.publish(run, rows);
    }
    const left = async () =>
      Number(
        (await servers.sql<{ n: string }>('SELECT count(*) AS n FROM archive.pages WHERE job_id = $1', [run.jobId]))[0]
          ?.n,
      );
    await until('the pages to be stored', async () => (await left()) === 6_000);
    await servers.discard(run);
    const seen = await until('the deletion of some pages', async () => {
      const count = await left();
      return count < 6_000 && count;
    });
    await process.kill('SIGKILL');
    await process.close();
    expect(seen).toBeGreaterThan(0);
    expect(await left()).toBeGreaterThan(0);

    await spawn();
    await servers.gone(run);
    const names = contents.map(({ sha256 }) => sha256);
    for (const name of names) await servers.pass(name);
    await until('all but the shared body to be moved to the trash', () =>
      names.every((name) => name === shared || servers.isInTrash(name)),
    );
    await process.kill('SIGKILL');
    await process.close();
    await spawn();
    for (const name of names) await servers.pass(name);
    await until('an empty list of candidates', async () => {
      const [row] = await servers.sql<{ n: string }>('SELECT count(*) AS n FROM archive.blob_candidates');
      return row?.n === '0';
    });
    expect(names.filter((name) => servers.isKept(name) || servers.isInTrash(name))).toEqual([shared]);
    expect(await servers.bodyOf(kept)).toBe('body 0');
    await process.close();
  }, 90_000);

  it('whose process died between marking a body and moving it to the trash leaves nothing behind', async () => {
    await spawn();
    const run = newRun();
    const name = await servers.capture(run, 'marked, still in its place');
    await servers.discard(run);
    await servers.gone(run);
    await servers.sql(
      "UPDATE archive.blob_candidates SET in_trash = true, due = now() - interval '1 second' WHERE sha256 = $1",
      [name],
    );
    await until('it to be moved to the trash', () => servers.isInTrash(name));
    await until(
      'the candidate to be marked as trash',
      async () => (await servers.candidates(name))[0]?.in_trash === true,
    );
    await servers.pass(name);
    await until('its deletion', async () => (await servers.candidates(name)).length === 0);
    expect([servers.isKept(name), servers.isInTrash(name)]).toEqual([false, false]);
    await process.close();
  });

  it('collects no blob until events have been consumed for long enough: a delayed row may reference it', async () => {
    await spawn({ CATCH_UP_MINUTES: '30' });
    const [run, later] = [newRun(), newRun()];
    const name = await servers.capture(run, 'waited for');
    await servers.capture(later, 'swept later');
    await servers.discard(run);
    await servers.gone(run);
    await servers.pass(name);
    await servers.discard(later);
    await servers.gone(later);
    expect(await servers.candidates(name)).toMatchObject([{ in_trash: false }]);
    expect(servers.isKept(name)).toBe(true);
    await process.close();
  });

  it('is shared by replicas, which together decide about each body once', async () => {
    await spawn();
    const replica = await startService(archive, { ...servers.env, ...SWEEPING });
    const runs = Array.from({ length: 6 }, () => newRun());
    const names = await Promise.all(runs.map((run, i) => servers.capture(run, `replicated ${i}`)));
    await Promise.all(runs.map((run) => servers.discard(run)));
    for (const run of runs) await servers.gone(run);
    for (const name of names) await servers.pass(name);
    for (const name of names) await until('it to be moved to the trash', () => servers.isInTrash(name));
    for (const name of names) await servers.pass(name);
    for (const name of names)
      await until('the end of its candidacy', async () => (await servers.candidates(name)).length === 0);
    expect(names.filter((name) => servers.isKept(name) || servers.isInTrash(name))).toEqual([]);
    await replica.close();
    await process.close();
  });
});
