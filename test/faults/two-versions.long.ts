import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { operatorPeer } from '../../deploy/local/operator-peer.ts';
import { ROOT } from '../../deploy/local/stack-context.ts';
import { migrate } from '../../deploy/migrate.ts';
import { apiOf } from '../harness/api.ts';
import { MANY_CLIENTS, type OwnFleet, startFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { Workspaces } from '../harness/workspaces.ts';
import { previousRelease, unpackRelease } from '../operate/previous-release.ts';
import { TwoInstances } from '../operate/versions.ts';
import { EGRESS_ALLOW, startWeb } from '../web/server.ts';
import { startCrawl } from './crawls.ts';
import { generousCatalogue } from './invariants.ts';

const release = await previousRelease();
const scratch = mkdtempSync(join(tmpdir(), 'tidemark-versions-'));
const PAGES = 300;

/** Sends captures to both gateways in turn, several at a time. */
function startTraffic(urls: readonly string[], key: string, page: string) {
  const removed = new Set<number>();
  const inFlight = urls.map(() => 0);
  const failures: string[] = [];
  const accepted: string[] = [];
  let stopped = false;
  let next = 0;
  const client = async (): Promise<void> => {
    while (!stopped) {
      const offered = urls.map((_, index) => index).filter((index) => !removed.has(index));
      const at = offered[next++ % offered.length] ?? 0;
      inFlight[at] = (inFlight[at] ?? 0) + 1;
      try {
        const { status, text, body } = await apiOf(urls[at] ?? '', key).post('/scrape', { url: page, timeout: 20 });
        if (status === 200 || status === 202) accepted.push((body as { id: string }).id);
        else failures.push(`${status} ${text.slice(0, 200)}`);
      } catch (error) {
        failures.push(String(error));
      } finally {
        inFlight[at] = (inFlight[at] ?? 0) - 1;
      }
    }
  };
  const clients = Promise.all(Array.from({ length: 3 }, client));
  return {
    /** Sends no further request to a gateway, and waits for the responses of those that it has, as a load balancer does. */
    async drain(index: number): Promise<void> {
      removed.add(index);
      await until(`gateway ${index} to have no request`, () => inFlight[index] === 0, { withinMs: 60_000 });
    },
    restore: () => removed.clear(),
    async stop() {
      stopped = true;
      await clients;
      return { failures, accepted };
    },
  };
}

needs('previous-release', release !== undefined, () =>
  describe('two versions side by side', () => {
    let web: Awaited<ReturnType<typeof startWeb>>;
    let servers: OwnFleet;
    let fleet: TwoInstances;
    let old = '';

    beforeAll(async () => {
      web = await startWeb();
      old = await unpackRelease(release ?? '');
      mkdirSync(join(scratch, 'data'));
      servers = await startFleet({ services: [], ephemeral: false, dataDir: join(scratch, 'data') });
      // An empty database, migrated as the old release leaves it.
      for (const schema of await schemasOf(servers)) await servers.sql(`DROP SCHEMA "${schema}" CASCADE`);
      await migrate(servers.databaseUrl, { servicesDir: join(old, 'services'), scratchDir: scratch });
      const plans = { TIDEMARK_CATALOGUE: generousCatalogue(), ...MANY_CLIENTS };
      const { urls } = servers.stack;
      fleet = await TwoInstances.start(
        {
          dataDir: servers.dataDir,
          ...urls,
          egressAllow: EGRESS_ALLOW,
          env: { gateway: plans, identity: { SIGN_UP: 'open', ...plans }, billing: plans },
        },
        old,
      );
    }, 900_000);
    afterAll(async () => {
      await fleet?.stop();
      await servers?.close();
      await web.close();
      rmSync(scratch, { recursive: true, force: true });
    }, 90_000);

    /** Replaces every instance by the code in a folder, under captures and a crawl. Returns what failed. */
    async function rollTo(folder: string, before: () => Promise<void> = async () => undefined) {
      const identity = operatorPeer(servers.dataDir, 'identity', fleet.grpcAddr('identity'));
      const workspace = await new Workspaces(identity, fleet.urls[0] ?? '').make();
      await identity.close();
      const traffic = startTraffic(fleet.urls, workspace.writer.key, web.url('/article'));
      const urls = Array.from({ length: PAGES }, (_, n) => web.url(`/article?w=${workspace.id}&n=${n}`));
      const order = {
        url: web.url('/'),
        crawlMode: 'list_only',
        concurrency: 2,
        delay: 50,
        config: { url_list: urls },
      };
      const crawlId = await startCrawl(workspace.writer, order);
      await before();
      await fleet.replaceAll(folder, async (instance) => {
        traffic.restore();
        await traffic.drain(instance);
      });
      const { failures, accepted } = await traffic.stop();
      await until(
        'the crawl and every capture to end',
        async () => {
          const [row] = await servers.sql<{ done: number; status: string }>(
            'SELECT done, status FROM crawl.runs WHERE id = $1',
            [crawlId],
          );
          const [jobs] = await servers.sql<{ open: string }>(
            `SELECT count(*) AS open FROM scrape.jobs WHERE workspace_id = $1 AND status IN ('queued', 'running')`,
            [workspace.id],
          );
          if (row?.status !== 'done' || jobs?.open !== '0') throw new Error(JSON.stringify([row, jobs]));
          return true;
        },
        { withinMs: 120_000 },
      );
      const [counted] = await servers.sql<{ pages: string; distinct_pages: string }>(
        'SELECT count(*) AS pages, count(DISTINCT url) AS distinct_pages FROM archive.pages WHERE workspace_id = $1 AND job_id = $2',
        [workspace.id, crawlId],
      );
      const jobs = await servers.sql<{ id: string; status: string }>(
        'SELECT id, status FROM scrape.jobs WHERE workspace_id = $1',
        [workspace.id],
      );
      const ended = new Map(jobs.map(({ id, status }) => [id, status]));
      // The logs end with the data folder.
      for (const line of failures.length > 0 ? errorsIn(join(servers.dataDir, 'logs')) : []) console.info(line);
      console.info(
        `${accepted.length} captures accepted during the roll, ${failures.length} failed; crawl: ${JSON.stringify(counted)}`,
      );
      return { failures, lost: accepted.filter((id) => ended.get(id) !== 'done'), counted };
    }

    describe.each([
      [
        'an upgrade',
        () =>
          rollTo(ROOT, async () => {
            await migrate(servers.databaseUrl, { scratchDir: scratch }); // the hook: before the first new instance
          }),
      ],
      ['the way back, which runs the old version on the new schema,', () => rollTo(old)],
    ])('%s', (_, roll) => {
      let rolled: Awaited<ReturnType<typeof rollTo>>;
      beforeAll(async () => {
        rolled = await roll();
      }, 900_000);

      it('loses nothing that was accepted, and stores each page once', () => {
        expect(rolled.lost).toEqual([]);
        expect(rolled.counted).toEqual({ pages: String(PAGES), distinct_pages: String(PAGES) });
      });

      it('fails no call', () => {
        expect(rolled.failures.slice(0, 5)).toEqual([]);
      });
    });
  }),
);

/** Returns the first errors in the logs of the instances. */
function errorsIn(folder: string): string[] {
  const lines = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => /"level":(40|50|60)|"level":"(warn|error|fatal)"/.test(line))
      .slice(0, 5)
      .map((line) => `${file}: ${line.slice(0, 600)}`),
  );
  return lines.slice(0, 40);
}

async function schemasOf({ sql }: OwnFleet): Promise<string[]> {
  const rows = await sql<{ schema: string }>(
    `SELECT schemaname AS schema FROM pg_tables WHERE tablename = '_prisma_migrations'`,
  );
  return rows.map(({ schema }) => schema);
}
