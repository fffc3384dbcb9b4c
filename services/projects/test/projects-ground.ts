import { randomBytes } from 'node:crypto';
import type { Caller } from '@tidemark/contracts';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import {
  type CreateProjectRequest,
  type CreateProjectsRequest,
  type ListProjectsRequest,
  type Project,
  ProjectsServiceService as Rpc,
  type UpdateProjectRequest,
} from '@tidemark/contracts/projects/v1/projects';
import type { Peer } from '@tidemark/service';
import {
  callerIn,
  type FakeBilling,
  type FakeScrapeWorkers,
  type Ground,
  newWorkspace,
  type RunningService,
  startEmptyArchive,
  startFakeBilling,
  startFakeBrowserPool,
  startFakeScrapeWorkers,
  startService,
  until,
} from '@tidemark/testkit';
import { projects } from '../src/service.ts';
import { spawnCrawl } from './crawl-process.ts';
import { openOnGround } from './on-ground.ts';

export const SEED = 'https://site.test/';
/** Reads the seed alone and asks no map. */
export const ONE_PAGE = { use_sitemap: false, max_pages: 1 };

/** Projects beside a real crawl, database and bus; who fetches pages and who pays for them are fakes. */
export interface ProjectsGround {
  readonly ground: Ground;
  readonly billing: FakeBilling;
  readonly workers: FakeScrapeWorkers;
  /** What a process of projects is told. */
  readonly env: Readonly<Record<string, string>>;
  readonly service: RunningService;
  /** HTTP status of the made-up site's pages. */
  status: number;
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  start(more?: Readonly<Record<string, string>>): Promise<RunningService>;
  close(): Promise<void>;
}

export const openProjects = (more: Readonly<Record<string, string>> = {}): Promise<ProjectsGround> =>
  openOnGround((ground) => open(ground, more));

async function open(ground: Ground, more: Readonly<Record<string, string>>): Promise<ProjectsGround> {
  const billing = ground.own(await startFakeBilling(ground.nats.url, 1_000_000));
  const archive = ground.own(await startEmptyArchive());
  const shared = { ...ground.env, SEALING_KEYS: randomBytes(32).toString('base64') };
  const allow = { TIDEMARK_EGRESS_ALLOW: 'site.test,127.0.0.1' };
  const browsers = ground.own(await startFakeBrowserPool());
  const around = {
    BILLING_ADDR: billing.address,
    ARCHIVE_ADDR: archive.address,
    MAP_ADDR: '127.0.0.1:1',
    BROWSER_POOL_ADDR: browsers.address,
  };
  const crawl = ground.own(await spawnCrawl({ ...shared, ...allow, ...around }));
  const env = {
    ...shared,
    ...allow,
    CRAWL_ADDR: crawl.address,
    SCRAPE_ADDR: '127.0.0.1:1',
    EXPORT_ADDR: '127.0.0.1:1',
    ...more,
  };
  const face = { status: 200 };
  const site = () => ({ status: face.status });
  const workers = ground.own(await startFakeScrapeWorkers({ natsUrl: ground.nats.url, site }));
  const start = async (other: Readonly<Record<string, string>> = {}) =>
    ground.own(await startService(projects, { ...env, ...other }));
  return Object.assign(face, {
    ground,
    billing,
    workers,
    env,
    service: await start(),
    sql: <Row extends object>(text: string, values: readonly unknown[] = []) => ground.database.sql<Row>(text, values),
    start,
    close: () => ground.close(),
  });
}

const must = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the answer holds nothing');
  return value;
};

/** The config an answer tells. */
export const configOf = ({ configJson }: Project): Record<string, unknown> => JSON.parse(configJson);

/** A workspace's way to its projects. */
export function clientIn({ peer }: { readonly peer: Peer }, workspaceId = newWorkspace(), key: Partial<Caller> = {}) {
  const caller = callerIn(workspaceId, key);
  const get = async (id: string): Promise<Project> => must((await peer.call(Rpc.getProject, { id }, caller)).project);
  const run = async (projectId: string, runId: string): Promise<Run> =>
    must((await peer.call(Rpc.getRun, { projectId, runId, withLog: false }, caller)).run);
  return {
    workspaceId,
    get,
    run,
    create: async (config: object = {}, more: Partial<CreateProjectRequest> = {}): Promise<Project> => {
      const blank = { seed: SEED, name: '', keeping: undefined, idempotencyKey: '', requestHash: '' };
      const asked = { ...blank, configJson: JSON.stringify(config), ...more };
      return must((await peer.call(Rpc.createProject, asked, caller)).project);
    },
    createAll: (seeds: readonly string[], more: Partial<CreateProjectsRequest> = {}) =>
      peer.call(
        Rpc.createProjects,
        {
          seeds: seeds.map((url) => ({ url, name: '', idempotencyKey: '', requestHash: '' })),
          templateProjectId: '',
          keys: [],
          keeping: undefined,
          ...more,
        },
        caller,
      ),
    list: (more: Partial<ListProjectsRequest> = {}) =>
      peer.call(Rpc.listProjects, { health: '', limit: 0, cursor: '', withConfig: false, ...more }, caller),
    update: async (id: string, more: Omit<Partial<UpdateProjectRequest>, 'id' | 'configJson'>, config?: object) => {
      const asked = { id, keeping: undefined, ...more, configJson: config === undefined ? '' : JSON.stringify(config) };
      return must((await peer.call(Rpc.updateProject, asked, caller)).project);
    },
    delete: (id: string) => peer.call(Rpc.deleteProject, { id }, caller),
    apply: async (id: string, projectIds: string[], keys: string[]) =>
      (await peer.call(Rpc.applyConfig, { id, projectIds, keys }, caller)).applied,
    startRun: async (projectId: string, trigger = '') =>
      must((await peer.call(Rpc.startRun, { projectId, trigger }, caller)).run),
    startRuns: async (projectIds: string[]) =>
      (await peer.call(Rpc.startRuns, { projectIds, trigger: '' }, caller)).outcomes,
    runs: (projectId: string, { status = '', limit = 25, cursor = '' } = {}) =>
      peer.call(Rpc.listRuns, { projectId, status, limit, cursor, fullOnly: false }, caller),
    cancel: async (projectId: string, runId: string) =>
      must((await peer.call(Rpc.cancelRun, { projectId, runId }, caller)).run),
    ended: (projectId: string, runId: string) =>
      until(`run ${runId} to end`, async () => {
        const found = await run(projectId, runId);
        return found.status !== 'queued' && found.status !== 'running' && found;
      }),
    /** The project once it knows of the end of this run. */
    heard: (projectId: string, runId: string) =>
      until(`project ${projectId} to hear of ${runId}`, async () => {
        const project = await get(projectId);
        return project.lastRun?.id === runId && project;
      }),
  };
}
