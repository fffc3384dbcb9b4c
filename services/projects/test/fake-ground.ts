import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Caller, facts, newId } from '@tidemark/contracts';
import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import { type Project, ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { Bus, createLogger, type handle, outgoing, type Peer } from '@tidemark/service';
import {
  callerIn,
  type Ground,
  newWorkspace,
  type RunningService,
  type ServiceProcess,
  spawnService,
  startService,
} from '@tidemark/testkit';
import { projects } from '../src/service.ts';
import { type FakeCrawl, startFakeCrawl } from './fake-crawl.ts';
import { type FakeExport, startFakeExport } from './fake-export.ts';
import { type FakeScrape, startFakeScrape } from './fake-scrape.ts';
import { openOnGround } from './on-ground.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

type Method<Q, A> = Parameters<typeof handle<Q, A>>[0];

/** Projects on a real database and bus, between a crawl and a scrape that only say what they were asked. */
export interface FakeGround {
  readonly ground: Ground;
  readonly crawl: FakeCrawl;
  readonly scrape: FakeScrape;
  readonly exports: FakeExport;
  readonly service: RunningService;
  /** Changes of health as they came off the bus. */
  readonly heard: readonly SiteHealthChanged[];
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Tells projects of the end of a run. */
  finish(fact: Partial<RunFinished>): Promise<void>;
  /** Starts projects in a process of its own. */
  spawn(): Promise<ServiceProcess>;
  close(): Promise<void>;
}

export const openOnFakes = (): Promise<FakeGround> => openOnGround(open);

async function open(ground: Ground): Promise<FakeGround> {
  const crawl = ground.own(await startFakeCrawl());
  const scrape = ground.own(await startFakeScrape());
  const exports = ground.own(await startFakeExport());
  const env = {
    ...ground.env,
    CRAWL_ADDR: crawl.address,
    SCRAPE_ADDR: scrape.address,
    EXPORT_ADDR: exports.address,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: 'site.test',
    SCHEDULE_SECONDS: '0.2',
  };
  const service = ground.own(await startService(projects, env));
  const bus = ground.own(await Bus.connect(ground.nats.url, 'test', createLogger('test', 'silent')));
  const heard: SiteHealthChanged[] = [];
  bus.consume(facts.siteHealthChanged, 'delivery', async (batch) => {
    heard.push(...batch.map(({ fact }) => fact));
  });
  const finish = async (more: Partial<RunFinished>): Promise<void> => {
    const fact = RunFinished.fromPartial({ runId: newId('run'), trigger: 'api', status: 'done', ...more });
    await bus.publish(facts.runFinished.subject, [outgoing(facts.runFinished, `finished:${fact.runId}`, fact)]);
  };
  return {
    ...{ ground, crawl, scrape, exports, service, heard, finish },
    spawn: async () => ground.own(await spawnService('projects', MAIN, env)),
    sql: <Row extends object>(text: string, values: readonly unknown[] = []) => ground.database.sql<Row>(text, values),
    close: () => ground.close(),
  };
}

/** A workspace's way to projects. */
export function askIn({ peer }: { readonly peer: Peer }, workspaceId = newWorkspace(), key: Partial<Caller> = {}) {
  const caller = callerIn(workspaceId, key);
  const ask = <Q, A>(method: Method<Q, A>, request: Q): Promise<A> => peer.call(method, request, caller);
  return {
    workspaceId,
    ask,
    create: async (config: object = {}): Promise<Project> => {
      const blank = { seed: 'https://site.test/', name: '', keeping: undefined, idempotencyKey: '', requestHash: '' };
      const { project } = await ask(Rpc.createProject, { ...blank, configJson: JSON.stringify(config) });
      if (project === undefined) throw new Error('nothing was made');
      return project;
    },
    get: async (id: string): Promise<Project> => {
      const { project } = await ask(Rpc.getProject, { id });
      if (project === undefined) throw new Error('nothing was found');
      return project;
    },
    update: (id: string, config: object) =>
      ask(Rpc.updateProject, { id, keeping: undefined, configJson: JSON.stringify(config) }),
  };
}
