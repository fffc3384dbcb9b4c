import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, describe, expect, test } from '@jest/globals';
import { RPC_CALLERS } from '@tidemark/contracts';
import { sharedFleet } from '../harness/fleet.ts';

const fleet = sharedFleet();
afterAll(() => fleet.close());

const bytes = (value: Buffer): Buffer => value;

/** Calls every RPC at an address, without a credential and with metadata that states a caller. @returns the RPCs by gRPC status */
async function statusesAt(address: string): Promise<Map<number, string[]>> {
  const client = new Client(address, credentials.createInsecure());
  const stated = new Metadata();
  for (const [name, value] of Object.entries({ 'x-workspace': 'ws_1', 'x-key': 'key_1', 'x-scope': 'admin' }))
    stated.set(name, value);
  const rpcs = new Map<number, string[]>();
  const call = (rpc: string, metadata: Metadata) =>
    new Promise<void>((done) =>
      client.makeUnaryRequest(`/${rpc}`, bytes, bytes, Buffer.alloc(0), metadata, (error) => {
        const code = error?.code ?? status.OK;
        rpcs.set(code, [...(rpcs.get(code) ?? []), rpc]);
        done();
      }),
    );
  await Promise.all(Object.keys(RPC_CALLERS).flatMap((rpc) => [call(rpc, new Metadata()), call(rpc, stated)]));
  client.close();
  return rpcs;
}

describe('the gRPC ports of the fleet', () => {
  test('refuse every RPC that they serve to a caller without a credential', async () => {
    const refused = new Set<string>();
    for (const [service, address] of Object.entries(fleet.grpc)) {
      const statuses = await statusesAt(address);
      for (const rpc of statuses.get(status.UNAUTHENTICATED) ?? []) refused.add(rpc);
      // A service answers UNIMPLEMENTED to the RPCs of the others.
      const others = [...statuses.keys()].filter((code) => ![16, 12].includes(code));
      expect({ service, others }).toEqual({ service, others: [] });
    }
    expect([...refused].sort()).toEqual(Object.keys(RPC_CALLERS).sort());
  });
});
