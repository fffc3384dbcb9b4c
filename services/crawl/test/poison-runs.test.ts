import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_INTERRUPTIONS, SUSPECT_INTERRUPTIONS } from '@tidemark/leased-work';
import { type FakeScrapeWorkers, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl } from './crawl-servers.ts';

let servers: CrawlServers;
let workers: FakeScrapeWorkers | undefined;
const running: RunningService[] = [];
beforeAll(async () => {
  servers = await openCrawl();
}, 120_000);
afterEach(async () => {
  await workers?.close();
  workers = undefined;
  for (const service of running.splice(0)) await service.close();
});
afterAll(() => servers.close());

const start = async (): Promise<RunningService> => {
  const service = await servers.start();
  running.push(service);
  return service;
};
const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  servers.servers.database.sql<Row>(text, values);

const DEAD = 'dead';
/** Makes the lease of a run one that expired because its owner died. */
const killOwner = (ids: readonly string[]) =>
  sql(`UPDATE crawl.runs SET owner = '${DEAD}', lease_until = now() - interval '1 second' WHERE id = ANY($1)`, [ids]);
const ownersOf = async (ids: readonly string[]): Promise<(string | null)[]> => {
  const text = 'SELECT owner FROM crawl.runs WHERE id = ANY($1) ORDER BY created_at';
  return (await sql<{ owner: string | null }>(text, [ids])).map(({ owner }) => owner);
};
const isClaimed = async (id: string): Promise<boolean> => {
  const [owner] = await ownersOf([id]);
  return owner !== DEAD && owner !== null;
};

describe('a run', () => {
  it('whose owner dies several times in a row without progress ends with an error that states the reason', async () => {
    const client = clientIn(await start());
    const { id } = await client.start();
    await until('the seed to be offered', async () => (await client.get(id)).total > 0);
    for (let death = 1; death < MAX_INTERRUPTIONS; death += 1) {
      await killOwner([id]);
      await until(`the run to be claimed after death ${death}`, () => isClaimed(id));
      expect((await client.get(id)).status).toBe('running');
    }
    await killOwner([id]);
    expect(await client.ended(id)).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^the run was stopped: the process that worked on it ended 5 times in a row/),
    });
  });

  it('continues after any number of deaths if pages end between them', async () => {
    const client = clientIn(await start());
    const { id } = await client.start();
    await until('the seed to be offered', async () => (await client.get(id)).total > 0);
    for (let death = 1; death <= MAX_INTERRUPTIONS + 2; death += 1) {
      await sql('UPDATE crawl.runs SET known = known + 1, done = done + 1 WHERE id = $1', [id]);
      await killOwner([id]);
      await until(`the run to be claimed after death ${death}`, () => isClaimed(id));
    }
    expect((await client.get(id)).status).toBe('running');
  });

  it('does not count a restart that releases its lease as a death', async () => {
    const client = clientIn(await start());
    const { id } = await client.start();
    for (const _ of [1, 2]) {
      await until('the run to be claimed', () => isClaimed(id));
      await running.pop()?.close();
      expect(await ownersOf([id])).toEqual([null]);
      await start();
    }
    await until('the run to be claimed', () => isClaimed(id));
    const [row] = await sql<{ status: string; deaths: number }>('SELECT status, deaths FROM crawl.runs WHERE id = $1', [
      id,
    ]);
    expect(row).toEqual({ status: 'running', deaths: 0 });
  });

  it('that may have ended its process is claimed alone, and no longer counts as such once a page has ended', async () => {
    const client = clientIn(await start());
    const ids = [(await client.start()).id, (await client.start()).id];
    await until('both seeds to be offered', async () => {
      const runs = await Promise.all(ids.map((id) => client.get(id)));
      return runs.every(({ total }) => total > 0);
    });
    await sql(
      `UPDATE crawl.runs SET deaths = ${SUSPECT_INTERRUPTIONS}, progress_at_death = done + known, owner = '${DEAD}',
        lease_until = now() - interval '1 second' WHERE id = ANY($1)`,
      [ids],
    );
    const owners = await until('one of them to be claimed', async () => {
      const now = await ownersOf(ids);
      return now.some((owner) => owner !== DEAD) && now;
    });
    expect(owners.filter((owner) => owner === DEAD)).toHaveLength(1);
    workers = await servers.workers((url) => ({ links: url === `${HOME}/` ? [`${HOME}/a`] : [] }));
    const ended = await Promise.all(ids.map((id) => client.ended(id)));
    expect(ended.map(({ status }) => status)).toEqual(['done', 'done']);
  });
});
