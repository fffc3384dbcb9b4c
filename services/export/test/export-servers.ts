import { randomBytes } from 'node:crypto';
import {
  type Connection,
  type CreateConnectionRequest,
  ExportServiceService as Rpc,
  type UpdateConnectionRequest,
} from '@tidemark/contracts/export/v1/export';
import { stopTelemetry } from '@tidemark/service';
import {
  callerIn,
  createDatabase,
  type KeyOptions,
  newWorkspace,
  type RunningService,
  startNats,
  startService,
  type TestDatabase,
} from '@tidemark/testkit';
import { exportService } from '../src/service.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';

/** Connections need no rows. */
const NO_SOURCES = {
  ARCHIVE_ADDR: '127.0.0.1:1',
  CRAWL_ADDR: '127.0.0.1:1',
  DIFF_ADDR: '127.0.0.1:1',
  MAP_ADDR: '127.0.0.1:1',
};

export const SECRET = 'sk-of-the-customer';

/** The export service on a real database, with a fake provider on its allow-list. */
export interface ExportServers {
  readonly database: TestDatabase;
  readonly provider: FakeProvider;
  readonly service: RunningService;
  close(): Promise<void>;
}

export async function startExportServers(more: Readonly<Record<string, string>> = {}): Promise<ExportServers> {
  const database = await createDatabase();
  const provider = await startFakeProvider();
  const nats = await startNats();
  const service = await startService(exportService, {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    ...NO_SOURCES,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: provider.site.host,
    ...more,
  });
  const close = async () => {
    await service.close();
    await provider.close();
    await nats.close();
    await database.close();
    await stopTelemetry();
  };
  return { database, provider, service, close };
}

const required = (connection: Connection | undefined): Connection => {
  if (connection === undefined) throw new Error('the response contains no connection');
  return connection;
};

/** Returns the connection calls of one caller. */
export function connectionsIn(
  { service, provider }: ExportServers,
  workspaceId = newWorkspace(),
  key: KeyOptions = {},
) {
  const caller = callerIn(workspaceId, key);
  const { peer } = service;
  const configJson = JSON.stringify({ base_url: `${provider.site.origin}/v1/`, model: 'small' });
  return {
    workspaceId,
    create: async (given: Partial<CreateConnectionRequest> = {}) => {
      const blank = { provider: 'openai', name: 'Ours', configJson, secrets: { api_key: SECRET } };
      return required((await peer.call(Rpc.createConnection, { ...blank, ...given }, caller)).connection);
    },
    list: (limit = 0, cursor = '') => peer.call(Rpc.listConnections, { limit, cursor }, caller),
    get: async (id: string) => required((await peer.call(Rpc.getConnection, { id }, caller)).connection),
    update: async (id: string, more: Omit<Partial<UpdateConnectionRequest>, 'configJson'>, config?: object) => {
      const changes = { configJson: config === undefined ? '' : JSON.stringify(config) };
      const request = { id, name: undefined, secrets: {}, ...more, ...changes };
      return required((await peer.call(Rpc.updateConnection, request, caller)).connection);
    },
    drop: (id: string) => peer.call(Rpc.deleteConnection, { id }, caller),
    test: async (id: string) =>
      required((await peer.call(Rpc.testConnection, { id }, caller, { deadlineMs: 20_000 })).connection),
    open: (id: string) => peer.call(Rpc.openConnection, { id }, caller),
  };
}
