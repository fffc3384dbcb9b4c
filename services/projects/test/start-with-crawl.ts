import { randomBytes } from 'node:crypto';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { JobStatus, RunTrigger } from '@tidemark/contracts/job/v1/job';
import {
  type CreateProjectRequest,
  type CreateProjectsRequest,
  type ListProjectsRequest,
  type Project,
  ProjectsServiceService as Rpc,
  type UpdateProjectRequest,
} from '@tidemark/contracts/projects/v1/projects';
import { fromConfigMessage, type Settings, toConfigChange } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import {
  callerIn,
  type FakeBilling,
  type FakeScrapeWorkers,
  type KeyOptions,
  newWorkspace,
  type RunningService,
  startEmptyArchive,
  startFakeBilling,
  startFakeBrowserPool,
  startFakeScrapeWorkers,
  startService,
  type TestServers,
  until,
} from '@tidemark/testkit';
import { projects } from '../src/service.ts';
import { spawnCrawl } from './crawl-process.ts';
import { withTestServers } from './with-test-servers.ts';

export const SEED = 'https://site.test/';
/** Fetches only the seed, without sitemaps. */
export const ONE_PAGE = { use_sitemap: false, max_pages: 1 };

/** Deadline of a call that creates up to a thousand projects: far above its duration on a loaded machine. */
const CREATE_WITHIN_MS = 60_000;

/** Projects with a real crawl, database and bus, and with fakes of billing, archive and the workers of scrape. */
export interface ProjectsWithCrawl {
  readonly servers: TestServers;
  readonly billing: FakeBilling;
  readonly workers: FakeScrapeWorkers;
  /** Environment of projects. */
  readonly env: Readonly<Record<string, string>>;
  readonly service: RunningService;
  /** HTTP status of the fake site's pages. */
  status: number;
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  start(more?: Readonly<Record<string, string>>): Promise<RunningService>;
  close(): Promise<void>;
}

export const startWithCrawl = (more: Readonly<Record<string, string>> = {}): Promise<ProjectsWithCrawl> =>
  withTestServers((servers) => open(servers, more));

async function open(servers: TestServers, more: Readonly<Record<string, string>>): Promise<ProjectsWithCrawl> {
  const billing = servers.own(await startFakeBilling(servers.nats.url, 1_000_000));
  const archive = servers.own(await startEmptyArchive());
  const shared = { ...servers.env, SEALING_KEYS: randomBytes(32).toString('base64') };
  const allow = { TIDEMARK_EGRESS_ALLOW: 'site.test,127.0.0.1' };
  const browsers = servers.own(await startFakeBrowserPool());
  const around = {
    BILLING_ADDR: billing.address,
    ARCHIVE_ADDR: archive.address,
    MAP_ADDR: '127.0.0.1:1',
    BROWSER_POOL_ADDR: browsers.address,
  };
  const crawl = servers.own(await spawnCrawl({ ...shared, ...allow, ...around }));
  const env = {
    ...shared,
    ...allow,
    CRAWL_ADDR: crawl.address,
    SCRAPE_ADDR: '127.0.0.1:1',
    EXPORT_ADDR: '127.0.0.1:1',
    ...more,
  };
  const controls = { status: 200 };
  const site = () => ({ status: controls.status });
  const workers = servers.own(await startFakeScrapeWorkers({ natsUrl: servers.nats.url, site }));
  const start = async (other: Readonly<Record<string, string>> = {}) =>
    servers.own(await startService(projects, { ...env, ...other }));
  return Object.assign(controls, {
    servers,
    billing,
    workers,
    env,
    service: await start(),
    sql: <Row extends object>(text: string, values: readonly unknown[] = []) => servers.database.sql<Row>(text, values),
    start,
    close: () => servers.close(),
  });
}

const must = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the response is empty');
  return value;
};

/** Returns the config of a response. */
export const configOf = ({ config }: Project): Settings => fromConfigMessage(config);

/** A client of projects for one workspace, with a function per RPC. */
export function projectClient({ peer }: { readonly peer: Peer }, workspaceId = newWorkspace(), key: KeyOptions = {}) {
  const caller = callerIn(workspaceId, key);
  const get = async (id: string): Promise<Project> => must((await peer.call(Rpc.getProject, { id }, caller)).project);
  const run = async (projectId: string, runId: string): Promise<Run> =>
    must((await peer.call(Rpc.getRun, { projectId, runId, withLog: false }, caller)).run);
  return {
    workspaceId,
    get,
    run,
    create: async (config: object = {}, more: Partial<CreateProjectRequest> = {}): Promise<Project> => {
      const blank = { seed: SEED, tags: [], settings: undefined, requestHash: '' };
      const request = { ...blank, config: toConfigChange({ ...config }), ...more };
      return must((await peer.call(Rpc.createProject, request, caller)).project);
    },
    createAll: (seeds: readonly string[], more: Partial<CreateProjectsRequest> = {}) =>
      peer.call(
        Rpc.createProjects,
        {
          seeds: seeds.map((url) => ({ url, requestHash: '' })),
          keys: [],
          tags: [],
          settings: undefined,
          ...more,
        },
        caller,
        { deadlineMs: CREATE_WITHIN_MS },
      ),
    list: (more: Partial<ListProjectsRequest> = {}) =>
      peer.call(Rpc.listProjects, { limit: 1_000, withConfig: false, ...more }, caller),
    update: async (id: string, more: Omit<Partial<UpdateProjectRequest>, 'id' | 'config'>, config?: object) => {
      const request = {
        id,
        nameChange: undefined,
        referenceChange: undefined,
        settings: undefined,
        ...more,
        config: config && toConfigChange({ ...config }),
      };
      return must((await peer.call(Rpc.updateProject, request, caller)).project);
    },
    delete: (id: string) => peer.call(Rpc.deleteProject, { id }, caller),
    apply: async (id: string, projectIds: string[], keys: string[]) =>
      (await peer.call(Rpc.applyConfig, { id, projectIds, keys }, caller)).applied,
    startRun: async (projectId: string, trigger: RunTrigger = 'api') =>
      must((await peer.call(Rpc.startRun, { projectId, trigger }, caller)).run),
    startRuns: async (projectIds: string[]) =>
      (await peer.call(Rpc.startRuns, { projectIds, trigger: 'api' }, caller)).results,
    startTaggedRuns: async (tag: string) =>
      (await peer.call(Rpc.startTaggedRuns, { tag, trigger: 'api' }, caller)).results,
    runs: (
      projectId: string,
      { status, limit = 25, cursor }: { status?: JobStatus; limit?: number; cursor?: string } = {},
    ) => peer.call(Rpc.listRuns, { projectId, status, limit, cursor }, caller),
    cancel: async (projectId: string, runId: string) =>
      must((await peer.call(Rpc.cancelRun, { projectId, runId }, caller)).run),
    ended: (projectId: string, runId: string) =>
      until(`run ${runId} to end`, async () => {
        const found = await run(projectId, runId);
        return found.status !== 'queued' && found.status !== 'running' && found;
      }),
    /** The project after it has handled the end of this run. */
    afterRun: (projectId: string, runId: string) =>
      until(`project ${projectId} to store run ${runId}`, async () => {
        const project = await get(projectId);
        if (project.lastRun?.id === runId) return project;
        throw new Error(JSON.stringify({ lastRun: project.lastRun, run: await run(projectId, runId) }));
      }),
  };
}
