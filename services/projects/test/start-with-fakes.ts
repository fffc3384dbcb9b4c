import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { events, newId } from '@tidemark/contracts';
import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import { type Project, ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { toConfigChange } from '@tidemark/project-config';
import { Bus, createLogger, type handle, outgoingEvent, type Peer } from '@tidemark/service';
import {
  callerIn,
  type KeyOptions,
  newWorkspace,
  type RunningService,
  type ServiceProcess,
  spawnService,
  startService,
  type TestServers,
} from '@tidemark/testkit';
import { projects } from '../src/service.ts';
import { type FakeCrawl, startFakeCrawl } from './fake-crawl.ts';
import { type FakeExport, startFakeExport } from './fake-export.ts';
import { type FakeScrape, startFakeScrape } from './fake-scrape.ts';
import { withTestServers } from './with-test-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

type Method<Q, A> = Parameters<typeof handle<Q, A>>[0];

/** Projects on a real database and bus, with fakes of crawl, scrape and export. */
export interface ProjectsWithFakes {
  readonly servers: TestServers;
  readonly crawl: FakeCrawl;
  readonly scrape: FakeScrape;
  readonly exports: FakeExport;
  readonly service: RunningService;
  /** Published changes of health. */
  readonly healthEvents: readonly SiteHealthChanged[];
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Publishes the end of a run. */
  finish(run: Partial<RunFinished>): Promise<void>;
  /** Starts projects in a separate process. */
  spawn(): Promise<ServiceProcess>;
  close(): Promise<void>;
}

export const startWithFakes = (): Promise<ProjectsWithFakes> => withTestServers(open);

async function open(servers: TestServers): Promise<ProjectsWithFakes> {
  const crawl = servers.own(await startFakeCrawl());
  const scrape = servers.own(await startFakeScrape());
  const exports = servers.own(await startFakeExport());
  const env = {
    ...servers.env,
    CRAWL_ADDR: crawl.address,
    SCRAPE_ADDR: scrape.address,
    EXPORT_ADDR: exports.address,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: 'site.test',
    SCHEDULE_SECONDS: '0.2',
  };
  const service = servers.own(await startService(projects, env));
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'silent')));
  const healthEvents: SiteHealthChanged[] = [];
  bus.consume(events.siteHealthChanged, 'delivery', async (batch) => {
    healthEvents.push(...batch.map(({ event }) => event));
  });
  const finish = async (run: Partial<RunFinished>): Promise<void> => {
    const event = RunFinished.fromPartial({ runId: newId('run'), trigger: 'api', status: 'done', ...run });
    await bus.publish(events.runFinished.subject, [
      outgoingEvent(events.runFinished, `finished:${event.runId}`, event),
    ]);
  };
  return {
    servers,
    crawl,
    scrape,
    exports,
    service,
    healthEvents,
    finish,
    spawn: async () => servers.own(await spawnService('projects', MAIN, env)),
    sql: <Row extends object>(text: string, values: readonly unknown[] = []) => servers.database.sql<Row>(text, values),
    close: () => servers.close(),
  };
}

/** A client of projects for one workspace. */
export function rpcClient({ peer }: { readonly peer: Peer }, workspaceId = newWorkspace(), key: KeyOptions = {}) {
  const caller = callerIn(workspaceId, key);
  const call = <Q, A>(method: Method<Q, A>, request: Q): Promise<A> => peer.call(method, request, caller);
  return {
    workspaceId,
    call,
    create: async (config: object = {}): Promise<Project> => {
      const blank = {
        seed: 'https://site.test/',
        tags: [],
        settings: undefined,
        requestHash: '',
      };
      const { project } = await call(Rpc.createProject, { ...blank, config: toConfigChange({ ...config }) });
      if (project === undefined) throw new Error('the response holds no project');
      return project;
    },
    get: async (id: string): Promise<Project> => {
      const { project } = await call(Rpc.getProject, { id });
      if (project === undefined) throw new Error('the response holds no project');
      return project;
    },
    update: (id: string, config: object) =>
      call(Rpc.updateProject, {
        id,
        nameChange: undefined,
        referenceChange: undefined,
        settings: undefined,
        config: toConfigChange({ ...config }),
      }),
  };
}
