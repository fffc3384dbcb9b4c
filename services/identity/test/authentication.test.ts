import { randomBytes } from 'node:crypto';
import { Client, credentials, Metadata, type MethodDefinition, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import { type CreateKeyRequest, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { dial, fleetAccess } from '@tidemark/service';
import {
  anonymous,
  callerIn,
  fleetEnv,
  newWorkspace,
  type RunningService,
  startService,
  startTestServers,
  type TestServers,
} from '@tidemark/testkit';
import { identity } from '../src/service.ts';

let servers: TestServers;
let service: RunningService;
let client: Client;
beforeAll(async () => {
  servers = await startTestServers();
  service = servers.own(
    await startService(identity, { ...servers.env, SEALING_KEYS: randomBytes(32).toString('base64') }),
  );
  client = servers.own(new Client(service.address, credentials.createInsecure()));
}, 120_000);
afterAll(() => servers.close());

/** Calls an RPC over a plain socket with this metadata. @returns the gRPC status */
const send = <Q, A>(method: MethodDefinition<Q, A>, request: Q, values: Readonly<Record<string, string>>) =>
  new Promise<number>((done) => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(values)) metadata.set(name, value);
    const { path, requestSerialize, responseDeserialize } = method;
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, (error) =>
      done(error?.code ?? status.OK),
    );
  });

const workspaceRequest = { name: 'Forged', plan: 'scale', idempotencyKey: '' };
const keyRequest: CreateKeyRequest = {
  name: 'forged',
  scopes: ['admin'],
  access: accessToWire(ALL_PROJECTS),
  expiresInDays: undefined,
  rpm: undefined,
};
const rows = async (table: string) => (await servers.database.sql(`SELECT 1 FROM identity.${table}`)).length;

describe('identity', () => {
  it('refuses to create a workspace or a key for a caller that only states an identity in metadata', async () => {
    const stated = { 'x-request-id': 'req', 'x-workspace': newWorkspace(), 'x-key': 'key_x', 'x-scope': 'admin' };
    const [head, payload] = [{ alg: 'none' }, { iss: 'operator', aud: Rpc.createKey.path, iat: 0, exp: 2 ** 40 }].map(
      (part) => Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    for (const metadata of [{}, stated, { ...stated, authorization: `Bearer ${head}.${payload}.` }]) {
      expect(await send(Rpc.createWorkspace, workspaceRequest, metadata)).toBe(status.UNAUTHENTICATED);
      expect(await send(Rpc.createKey, keyRequest, metadata)).toBe(status.UNAUTHENTICATED);
    }
    expect([await rows('workspaces'), await rows('api_keys')]).toEqual([0, 0]);
  });

  it('refuses to create a workspace for the gateway, and a key for any other service', async () => {
    const as = (name: string, FLEET_KEYS = fleetEnv.FLEET_KEYS) =>
      servers.own(dial('identity', service.address, fleetAccess(name, { FLEET_KEYS })));
    const refused = { code: 'unavailable', cause: { code: status.PERMISSION_DENIED } };
    await expect(as('gateway').call(Rpc.createWorkspace, workspaceRequest, anonymous())).rejects.toMatchObject(refused);
    const caller = callerIn(newWorkspace());
    await expect(as('scrape').call(Rpc.createKey, keyRequest, caller)).rejects.toMatchObject(refused);
    const stranger = as('operator', randomBytes(32).toString('base64'));
    await expect(stranger.call(Rpc.createWorkspace, workspaceRequest, anonymous())).rejects.toMatchObject({
      cause: { code: status.UNAUTHENTICATED },
    });
    expect([await rows('workspaces'), await rows('api_keys')]).toEqual([0, 0]);
  });
});
