import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, credentials, Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, RPC_CALLERS } from '@tidemark/contracts';
import { BillingServiceService as Billing, UsageResponse } from '@tidemark/contracts/billing/v1/billing';
import { anonymous, fleetEnv, type RunningService, startService, withUnimplemented } from '@tidemark/testkit';
import { type Certificate, makeAuthority, makeCertificate } from '../../test/certificates.ts';
import { defineService, start } from '../define-service.ts';
import { dial, type Peer } from '../grpc-client.ts';
import { handle } from '../grpc-server.ts';
import { credentialFor, fleetAccess } from './fleet-access.ts';

const PROTO = resolve(import.meta.dirname, '../../../../proto');
const bytes = (value: Buffer): Buffer => value;

/** Every RPC in proto/, as `package.Service/Method`. */
const rpcs = globSync('**/*.proto', { cwd: PROTO }).flatMap((file) => {
  const text = readFileSync(join(PROTO, file), 'utf8');
  const area = /^package (.+);$/m.exec(text)?.[1] ?? '';
  return [...text.matchAll(/^service (\w+) \{([\s\S]*?)^\}/gm)].flatMap(([, service = '', body = '']) =>
    [...body.matchAll(/^ {2}rpc (\w+)\(/gm)].map(([, method]) => `${area}.${service}/${method}`),
  );
});

const asBytes = (rpc: string): MethodDefinition<Buffer, Buffer> => ({
  path: `/${rpc}`,

  requestStream: false,
  responseStream: false,

  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
});

/** RPCs whose handler was called. */
const handled: string[] = [];
const everyRpc = defineService({
  name: 'everything',
  config: {},
  async start(app) {
    const methods = rpcs.map((rpc) =>
      handle(asBytes(rpc), async () => {
        handled.push(rpc);
        return Buffer.alloc(0);
      }),
    );
    app.serve({}, methods);
  },
});

const USAGE = UsageResponse.fromPartial({});

const billing = defineService({
  name: 'billing',
  config: {},
  async start(app) {
    app.serve(
      Billing,
      withUnimplemented(Billing, [
        handle(Billing.lease, async () => ({ grants: [] })),
        handle(Billing.balance, async () => ({ plan: 'free', balance: 1, reserved: 0, usedThisMonth: 0 })),
        handle(Billing.usage, async () => USAGE),
      ]),
    );
  },
});

let service: RunningService;
let client: Client;
beforeAll(async () => {
  service = await startService(everyRpc, {});
  client = new Client(service.address, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await service.close();
});

const opened: { close(): unknown }[] = [];
const own = <T extends { close(): unknown }>(resource: T): T => {
  opened.push(resource);
  return resource;
};
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

/** Calls a path with a message that no proto decoder accepts. @returns the gRPC status */
const call = (path: string, metadata = new Metadata()): Promise<number> =>
  new Promise((done) =>
    client.makeUnaryRequest(path, bytes, bytes, Buffer.from([0xff]), metadata, (error) => done(error?.code ?? 0)),
  );

/** The metadata that identified a caller before calls carried a credential. */
function claimed(): Metadata {
  const metadata = new Metadata();
  const values = { 'x-request-id': 'req', 'x-workspace': 'ws_1', 'x-key': 'key_1', 'x-scope': 'admin' };
  for (const [name, value] of Object.entries(values)) metadata.set(name, value);
  return metadata;
}

function asOperator(path: string): Metadata {
  const metadata = new Metadata();
  const access = fleetAccess(OPERATOR, fleetEnv);
  const credential = credentialFor(access, path, { requestId: '', deadlineAtMs: Date.now() + 10_000 });
  metadata.set('authorization', `Bearer ${credential}`);
  return metadata;
}

describe('every RPC in proto/', () => {
  it('has an entry in the table of callers, and the table has no other', () => {
    expect(rpcs.length).toBeGreaterThan(100);
    expect(Object.keys(RPC_CALLERS).toSorted()).toEqual(rpcs.toSorted());
  });

  it('refuses a call without a credential and one with made-up metadata, before its message is read', async () => {
    const responses = await Promise.all(rpcs.flatMap((rpc) => [call(`/${rpc}`), call(`/${rpc}`, claimed())]));
    expect(new Set(responses)).toEqual(new Set([status.UNAUTHENTICATED]));
    expect(handled).toEqual([]);
  });

  it('answers the operator', async () => {
    handled.length = 0;
    const responses = await Promise.all(rpcs.map((rpc) => call(`/${rpc}`, asOperator(`/${rpc}`))));
    expect(new Set(responses)).toEqual(new Set([status.OK]));
    expect(handled.toSorted()).toEqual(rpcs.toSorted());
  });
});

describe('the standard gRPC services', () => {
  const HEALTH = '/grpc.health.v1.Health';

  it('answer the health check without a credential and nothing else', async () => {
    const check = new Promise((done) =>
      client.makeUnaryRequest(`${HEALTH}/Check`, bytes, bytes, Buffer.alloc(0), (error) => done(error?.code ?? 0)),
    );
    expect(await check).toBe(status.OK);
    for (const path of [
      `${HEALTH}/Watch`,
      `${HEALTH}/List`,
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
    ])
      expect([path, [status.UNAUTHENTICATED, status.UNIMPLEMENTED].includes(await call(path))]).toEqual([path, true]);
  });
});

const newKey = (): string => randomBytes(32).toString('base64');
const peerAs = (name: string, address: string, settings: Parameters<typeof fleetAccess>[1]): Peer =>
  own(dial('billing', address, fleetAccess(name, settings)));
const balance = (peer: Peer) => peer.call(Billing.balance, {}, anonymous(), { deadlineMs: 5_000 });
const causeOf = (call: Promise<unknown>): Promise<ServiceError> =>
  call.then(
    () => Promise.reject(new Error('the call was answered')),
    (error: Error) => error.cause as ServiceError,
  );

describe('a service', () => {
  it('refuses to start without a key of the fleet and states what is expected', async () => {
    const listen = { GRPC_LISTEN: '127.0.0.1:0', HTTP_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' };
    await expect(start(billing, listen)).rejects.toThrow('FLEET_KEYS: expected the key of the fleet');
    await expect(start(billing, { ...listen, FLEET_KEYS: 'hunter2' })).rejects.toThrow('FLEET_KEYS: key 1 has');
    await expect(start(billing, { ...listen, ...fleetEnv, GRPC_CALLERS: '[{"name":"x"}]' })).rejects.toThrow(
      'GRPC_CALLERS: ',
    );
  });

  it('accepts callers with the previous and the current key while the key is rotated, and then only the current', async () => {
    const [old, fresh] = [newKey(), newKey()];
    const rotating = own(await startService(billing, { FLEET_KEYS: `${old},${fresh}` }));
    const rotated = own(await startService(billing, { FLEET_KEYS: fresh }));
    for (const FLEET_KEYS of [old, fresh, `${fresh},${old}`])
      expect(await balance(peerAs('gateway', rotating.address, { FLEET_KEYS }))).toMatchObject({ plan: 'free' });
    await expect(balance(peerAs('gateway', rotated.address, { FLEET_KEYS: old }))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'billing refused the credential of this service',
    });
  });

  it('refuses a service that the table does not list, and counts the refusal in its metrics', async () => {
    const running = own(await startService(billing, {}));
    const refused = await causeOf(balance(peerAs('delivery', running.address, fleetEnv)));
    expect(refused).toMatchObject({ code: status.PERMISSION_DENIED, details: expect.stringContaining('delivery') });
    const text = await (await fetch(`${running.httpUrl}/metrics`)).text();
    expect(text).toMatch(/rpc_server_duration_seconds_count\{[^}]*Balance"[^}]*outcome="forbidden"/);
  });

  it('answers a named caller on its RPCs and refuses it on others', async () => {
    const key = newKey();
    const entry = { name: 'reports', key, rpcs: ['tidemark.billing.v1.BillingService/Usage'] };
    const running = own(await startService(billing, { GRPC_CALLERS: JSON.stringify([entry]) }));
    const peer = peerAs('reports', running.address, { FLEET_KEYS: key });
    expect(await peer.call(Billing.usage, {}, anonymous())).toMatchObject({ monthPages: 0 });
    expect(await causeOf(balance(peer))).toMatchObject({ code: status.PERMISSION_DENIED });
  });
});

describe('mutual TLS', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-tls-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const authority = makeAuthority();
  let files = 0;

  /** Writes a certificate and the authority to trust. @returns the settings of a service that uses them */
  function settingsOf({ cert, key }: Certificate, trusted = authority) {
    files += 1;
    const write = (name: string, text: string): string => {
      const path = join(dir, `${files}-${name}.pem`);
      writeFileSync(path, text);
      return path;
    };
    const GRPC_TLS_CERT = write('cert', cert);
    return { ...fleetEnv, GRPC_TLS_CERT, GRPC_TLS_KEY: write('key', key), GRPC_TLS_CA: write('ca', trusted.cert) };
  }
  const certified = (...names: string[]) => settingsOf(makeCertificate(authority, names));
  const startBilling = async () => own(await startService(billing, certified('billing', OPERATOR)));

  it('connects a service and a caller whose certificates contain their names', async () => {
    const { address } = await startBilling();
    expect(await balance(peerAs('gateway', address, certified('gateway')))).toMatchObject({ plan: 'free' });
  });

  it('refuses a caller without a certificate, and one with a certificate of another authority', async () => {
    const { address } = await startBilling();
    const other = makeAuthority();
    const stranger = settingsOf(makeCertificate(other, ['gateway']));
    for (const settings of [fleetEnv, stranger])
      expect(await causeOf(balance(peerAs('gateway', address, settings)))).toMatchObject({ code: status.UNAVAILABLE });
  });

  it('refuses a caller whose certificate contains the name of another service', async () => {
    const { address } = await startBilling();
    const refused = await causeOf(balance(peerAs('gateway', address, certified('scrape'))));
    expect(refused).toMatchObject({ code: status.UNAUTHENTICATED, details: expect.stringContaining('certificate') });
  });

  it('does not connect to a server whose certificate is for another service', async () => {
    const impostor = own(await startService(billing, certified('archive', OPERATOR)));
    const caller = peerAs('gateway', impostor.address, certified('gateway'));
    expect(await causeOf(balance(caller))).toMatchObject({ code: status.UNAVAILABLE });
  });

  it('is refused at start with only some of its files, or with one that can not be read', async () => {
    const { GRPC_TLS_CA, ...some } = certified('billing');
    await expect(startService(billing, some)).rejects.toThrow('must be set together');
    await expect(startService(billing, { ...some, GRPC_TLS_CA: `${GRPC_TLS_CA}.absent` })).rejects.toThrow(
      'GRPC_TLS_CA can not be read',
    );
  });
});
