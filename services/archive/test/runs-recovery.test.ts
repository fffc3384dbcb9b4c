import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceProcess, spawnService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { type MadePage, newRunOf, type ProjectRun, type RunServers, startRunServers } from './run-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let servers: RunServers;
let process: ServiceProcess;
beforeAll(async () => {
  servers = await startRunServers(() => process.peer);
}, 120_000);
afterAll(() => servers.close());

const PAGES = 6_000;
const site: MadePage[] = Array.from({ length: PAGES }, (_, i) => ({
  url: `https://example.com/${i}`,
  ...(i % 10 === 0 ? { markdown: `${i % 100 === 0 ? 'ebb' : 'flow'} ${i}` } : {}),
}));
const progressOf = async ({ runId }: ProjectRun) => {
  const [row] = await servers.sql<{ listed: number; settled: boolean }>(
    "SELECT listed, state = 'settled' AS settled FROM archive.runs WHERE id = $1",
    [runId],
  );
  return row;
};

describe('a run that is being listed', () => {
  it('by a process that is killed is completed by other instances, each page and its words once', async () => {
    process = await spawnService('archive', MAIN, servers.env);
    const run = newRunOf();
    await servers.read(run, site);
    await until('the rows to be stored', async () => {
      const [row] = await servers.sql<{ n: number }>('SELECT count(*)::int AS n FROM archive.pages WHERE job_id = $1', [
        run.runId,
      ]);
      return row?.n === PAGES;
    });
    await servers.finish(run);
    const seen = await until(
      'some of the pages to be listed',
      async () => (await progressOf(run))?.listed || undefined,
    );
    await process.kill('SIGKILL');
    await process.close();
    expect(seen).toBeGreaterThan(0);

    // The claim of the dead process runs out; two others find it.
    await servers.sql('UPDATE archive.runs SET due = now() WHERE id = $1 AND due IS NOT NULL', [run.runId]);
    process = await spawnService('archive', MAIN, servers.env);
    const replica = await startService(archive, servers.env);
    await servers.rested(run);
    const numbers: (number | undefined)[] = [];
    for (let after = 0, isMore = true; isMore; ) {
      const response = await servers.query(run, { after, limit: 1_000 });
      numbers.push(...response.pages.map(({ known }) => known?.number));
      ({ last: after, isMore } = response);
    }
    expect(numbers).toEqual(site.map((_, i) => i + 1));
    let found = 0;
    for (let after = 0, isMore = true; isMore; ) {
      const response = await servers.search(run, 'ebb', { after });
      found += response.pages.length;
      ({ last: after, isMore } = response);
    }
    expect(found).toBe(PAGES / 100);
    await replica.close();
    await process.close();
  }, 120_000);
});
