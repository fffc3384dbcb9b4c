import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { anonymous, fleetEnv, type RunningService, startService, withUnimplemented } from '@tidemark/testkit';
import { credentialFor, fleetAccess } from './auth/fleet-access.ts';
import { defineService } from './define-service.ts';
import { toMetadata } from './grpc-metadata.ts';
import { handle } from './grpc-server.ts';

let isReady: () => Promise<unknown> = async () => undefined;
let service: RunningService;
let client: Client;
beforeAll(async () => {
  const definition = defineService({
    name: 'billing',
    config: {},
    async start(app) {
      app.ready('postgres', () => isReady());
      app.serve(
        Rpc,
        withUnimplemented(Rpc, [
          handle(Rpc.lease, async () => ({ grants: [] })),
          handle(Rpc.balance, () => Promise.reject(new Error('x'))),
          handle(Rpc.usage, async () => ({
            days: [],
            monthPages: 0,
            monthCredits: 0,
            byKind: [],
            byActor: [],
            byProject: [],
            tokens: [],
            limits: [],
          })),
        ]),
      );
    },
  });
  service = await startService(definition, {});
  client = new Client(service.address, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await service.close();
});

const get = async (path: string): Promise<[number, string]> => {
  const response = await fetch(`${service.httpUrl}${path}`);
  return [response.status, await response.text()];
};
const bytes = (value: Buffer): Buffer => value;

describe('the operator endpoints', () => {
  it('report on /healthz that the process runs', async () => {
    expect(await get('/healthz')).toEqual([200, 'ok\n']);
    expect((await get('/elsewhere'))[0]).toBe(404);
  });

  it('report on /readyz whether the service is ready, with the failed checks and their reasons', async () => {
    isReady = async () => undefined;
    expect(await get('/readyz')).toEqual([200, 'ready\n']);
    isReady = () => Promise.reject(new Error('connection refused'));
    expect(await get('/readyz')).toEqual([503, 'postgres: connection refused\n']);
  });

  it('limit the time of a readiness check', async () => {
    isReady = () => new Promise(() => undefined);
    expect(await get('/readyz')).toEqual([503, 'postgres: no response in 2000 ms\n']);
  });

  it('report on /metrics the calls and their durations by service, method and outcome', async () => {
    await service.peer.call(Rpc.usage, {}, anonymous());
    await service.peer.call(Rpc.balance, {}, anonymous()).catch(() => undefined);
    const [status, text] = await get('/metrics');
    expect(status).toBe(200);
    const counted = (method: string, outcome: string) =>
      new RegExp(
        `^tidemark_rpc_server_duration_seconds_count\\{[^}]*name="/tidemark.billing.v1.BillingService/${method}"[^}]*outcome="${outcome}"`,
        'm',
      );
    expect(text).toMatch(counted('Usage', 'ok'));
    expect(text).toMatch(counted('Balance', 'internal'));
  });
});

describe('the standard gRPC services', () => {
  it('include the health check', async () => {
    const serving = await new Promise<Buffer | undefined>((resolve, reject) => {
      client.makeUnaryRequest('/grpc.health.v1.Health/Check', bytes, bytes, Buffer.alloc(0), (error, response) =>
        error === null ? resolve(response) : reject(error),
      );
    });
    // HealthCheckResponse: field 1, SERVING.
    expect(serving).toEqual(Buffer.from([0x08, 0x01]));
  });

  it('include reflection, which lists the services to a caller with a credential', async () => {
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
    const call = { requestId: '', deadlineAtMs: Date.now() + 10_000 };
    const metadata = toMetadata(credentialFor(fleetAccess('operator', fleetEnv), path, call));
    const stream = client.makeBidiStreamRequest(path, bytes, bytes, metadata);
    const response = new Promise<string>((resolve, reject) => {
      stream.on('data', (data: Buffer) => resolve(data.toString('latin1')));
      stream.on('error', reject);
    });
    // ServerReflectionRequest: field 7, list_services.
    stream.write(Buffer.from([0x3a, 0x00]));
    expect(await response).toContain('tidemark.billing.v1.BillingService');
    stream.end();
  });
});
