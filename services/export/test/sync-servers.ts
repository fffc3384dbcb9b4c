import { randomBytes } from 'node:crypto';
import { type EventDefinition, events, newId } from '@tidemark/contracts';
import {
  CreateDestinationRequest,
  type Destination,
  DestinationSettings,
  DestinationServiceService as Rpc,
  type Sync,
} from '@tidemark/contracts/export/v1/destinations';
import { ExportServiceService as Connections } from '@tidemark/contracts/export/v1/export';
import type { JobStatus, RunTrigger } from '@tidemark/contracts/job/v1/job';
import { Bus, createLogger, outgoingEvent, type Peer } from '@tidemark/service';
import {
  callerIn,
  createDatabase,
  type KeyOptions,
  newWorkspace,
  startService,
  startTestServers,
  until,
} from '@tidemark/testkit';
import { exportService } from '../src/service.ts';
import { CRAWLED_AT, type FakePage, type FakeRun, startFakeSources } from './fake-sources.ts';

type Servers = Awaited<ReturnType<typeof prepareSyncs>>;

/** Real servers: a database and a bus of export, a database of the user, and fakes of the services that hold the rows. */
export async function prepareSyncs() {
  const servers = await startTestServers();
  const userDatabase = await createDatabase();
  servers.own(userDatabase);
  const sources = servers.own(await startFakeSources());
  const names = ['ARCHIVE', 'CRAWL', 'DIFF', 'MAP'];
  const env = {
    ...servers.env,
    ...Object.fromEntries(names.map((name) => [`${name}_ADDR`, sources.address])),
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: '127.0.0.1',
  };
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'fatal')));
  const publish = async <T>(event: EventDefinition<T>, id: string, message: T): Promise<void> => {
    await bus.prepare();
    await bus.publish(event.subject, [outgoingEvent(event, id, message)]);
  };
  return { servers, userDatabase, sources, env, publish, close: () => servers.close() };
}

/** As `prepareSyncs`, with the service in the test's process. */
export async function startSyncs() {
  const prepared = await prepareSyncs();
  const service = prepared.servers.own(await startService(exportService, prepared.env));
  return { ...prepared, service, peer: service.peer };
}

export const pages = (...words: number[]): FakePage[] =>
  words.map((count, index) => ({ url: `https://a.example/${index}`, words: count }));

let seconds = 0;

/** The calls of one workspace with its connection to the database of the user. */
export function workspaceOf({ userDatabase, sources, publish }: Servers, peer: Peer, key: KeyOptions = {}) {
  const workspaceId = newWorkspace();
  const caller = callerIn(workspaceId, key);
  const url = new URL(userDatabase.url);
  const server = {
    host: url.hostname,
    port: url.port,
    database: url.pathname.slice(1),
    user: url.username,
    tls: 'off',
  };
  const rows = async (table: string | undefined): Promise<Record<string, unknown>[]> => {
    const found = await userDatabase.sql<{ t: string | null }>('SELECT to_regclass($1) AS t', [`public."${table}"`]);
    return found[0]?.t == null ? [] : userDatabase.sql(`SELECT * FROM public."${table}" ORDER BY url, _run_id`);
  };
  const connect = async (config: object = {}): Promise<string> => {
    const configJson = JSON.stringify({ ...server, ...config });
    const request = {
      provider: 'postgresql',
      name: 'Ours',
      configJson,
      secrets: { password: decodeURIComponent(url.password) },
    };
    const { connection } = await peer.call(Connections.createConnection, request, caller);
    return connection?.id ?? '';
  };
  const create = async (settings: Partial<DestinationSettings> = {}, projectId = ''): Promise<Destination> => {
    const connectionId = settings.connectionId ?? (await connect());
    const table = `t_${newId('dst').slice(-12)}`;
    const request = CreateDestinationRequest.fromPartial({
      projectId,
      settings: { name: 'Warehouse', connectionId, table, ...settings },
    });
    const { destination } = await peer.call(Rpc.createDestination, request, caller);
    if (destination === undefined) throw new Error('the response contains no destination');
    return destination;
  };
  const update = async (id: string, settings: Partial<DestinationSettings>) => {
    const request = { id, settings: DestinationSettings.fromPartial(settings) };
    return (await peer.call(Rpc.updateDestination, request, caller)).destination;
  };
  /** Adds a finished run with a record. */
  const addRun = (projectId: string, run: Partial<FakeRun> = {}): string => {
    seconds += 1;
    const runId = newId('run');
    const finishedAt = new Date(CRAWLED_AT.getTime() + seconds * 1_000);
    const record = { status: 'made' as const, isVerdict: true };
    sources.runs.set(runId, { projectId, pages: pages(1, 2), finishedAt, record, ...run });
    return runId;
  };
  const finish = async (runId: string, more: { status?: JobStatus; trigger?: RunTrigger } = {}): Promise<void> => {
    const run = sources.runs.get(runId);
    if (run === undefined) throw new Error('the run is unknown');
    await publish(events.runFinished, `finished:${runId}:${Math.random()}`, {
      runId,
      workspaceId,
      projectId: run.projectId,
      trigger: 'manual',
      status: 'done',
      stop: 'finished',

      finishedAt: run.finishedAt,
      pages: run.pages.length,
      counts: {},
      creditsUsed: 0,
      hasCoverage: true,
      ...more,
    });
  };
  let version = 0;
  /** Publishes that the workspace was suspended, or that it is active again. */
  const suspend = async (suspended = true): Promise<void> => {
    version += 1;
    const at = new Date();
    const own = { workspaceId, version, parentId: '', plan: 'scale', cap: 0, isWelcome: false, suspendedAt: at };
    const snapshot = { ...own, state: suspended ? ('suspended' as const) : ('active' as const) };
    await publish(events.workspaceChanged, `workspace:${workspaceId}:${version}`, { snapshot, at });
  };
  const syncsOf = async (destinationId: string, projectId = ''): Promise<Sync[]> =>
    (await peer.call(Rpc.listSyncs, { destinationId, projectId, limit: 100 }, caller)).syncs;
  /** Waits until a destination has this many ended syncs. */
  const ended = (destinationId: string, count = 1): Promise<Sync[]> =>
    until(`${count} ended syncs`, async () => {
      const syncs = (await syncsOf(destinationId)).filter(({ status }) => status !== 'queued' && status !== 'running');
      return syncs.length >= count ? syncs : undefined;
    });
  const start = async (id: string, of: { ofProjectId?: string; runId?: string } = {}): Promise<Sync[]> =>
    (await peer.call(Rpc.startSync, { id, ...of }, caller)).syncs;
  return { workspaceId, caller, rows, connect, create, update, addRun, finish, suspend, syncsOf, ended, start };
}
