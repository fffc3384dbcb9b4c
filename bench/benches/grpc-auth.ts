// What the credential of a gRPC call costs: made and verified alone, and as part of whole calls on loopback.
import { randomBytes } from 'node:crypto';
import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';
import { ALL_PROJECTS, type KeyCaller } from '@tidemark/contracts';
import {
  type CallGuard,
  createLogger,
  credentialFor,
  fleetAccess,
  makeCallGuard,
  parseSharedKeys,
} from '@tidemark/service';
import { channelCredentials, serverNameOptions, type TlsFiles } from '../../libs/service/src/auth/tls.ts';
import { createGrpcServer, handle, listen } from '../../libs/service/src/grpc-server.ts';
import { makeAuthority, makeCertificate } from '../../libs/service/test/certificates.ts';

const CALLS = 20_000;
const ROUNDS = 7;
const CONCURRENT = 32;
const ID = '01j5xq2w8se6fa7t0a6q1n3k2m';

const bytes = (value: Buffer): Buffer => value;
const method: MethodDefinition<Buffer, Buffer> = {
  path: '/tidemark.archive.v1.ArchiveService/GetPage',

  requestStream: false,
  responseStream: false,

  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
};
const caller: KeyCaller = {
  kind: 'key',
  workspaceId: `ws_${ID}`,
  keyId: `key_${ID}`,
  scope: 'write',
  access: ALL_PROJECTS,
};
const FLEET_KEYS = randomBytes(32).toString('base64');
const access = fleetAccess('gateway', { FLEET_KEYS });
const guard = makeCallGuard({ fleetKeys: parseSharedKeys(FLEET_KEYS), named: new Map(), now: Date.now });
const credential = (): string =>
  credentialFor(access, method.path, { caller, requestId: `req_${ID}`, deadlineAtMs: Date.now() + 10_000 });

function signed(): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${credential()}`);
  return metadata;
}

/** The headers of a call without a credential, which state the caller. */
function stated(): Metadata {
  const metadata = new Metadata();
  metadata.set('x-request-id', `req_${ID}`);
  metadata.set('x-workspace', caller.workspaceId);
  metadata.set('x-key', caller.keyId);
  metadata.set('x-scope', caller.scope);
  return metadata;
}

interface Variant {
  readonly name: string;
  readonly metadata: () => Metadata;
  readonly guard: CallGuard;
  readonly tls?: TlsFiles;
}

const authority = makeAuthority();
const { cert, key } = makeCertificate(authority, ['archive', 'gateway']);
const tls: TlsFiles = { cert: Buffer.from(cert), key: Buffer.from(key), ca: Buffer.from(authority.cert) };
const unverified: CallGuard = () => ({ caller, requestId: `req_${ID}`, service: 'gateway' });
const variants: readonly Variant[] = [
  { name: 'caller stated, not verified', metadata: stated, guard: unverified },
  { name: 'credential', metadata: signed, guard },
  { name: 'caller stated, not verified, mutual TLS', metadata: stated, guard: unverified, tls },
  { name: 'credential, mutual TLS', metadata: signed, guard, tls },
];

const cpuUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Returns CPU µs per run of a function. */
function measure(run: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = cpuUs();
    for (let i = 0; i < CALLS; i += 1) run();
    return (cpuUs() - before) / CALLS;
  });
  return median(rounds.slice(1));
}

async function open(variant: Variant) {
  const log = createLogger('bench', 'fatal');
  const methods = [handle(method, async (request) => request)];
  const server = createGrpcServer([{ definition: {}, methods }], { service: 'archive', log, ...variant });
  const port = await listen(server, '127.0.0.1:0', variant.tls);
  const channel = variant.tls === undefined ? credentials.createInsecure() : channelCredentials(variant.tls);
  const client = new Client(`127.0.0.1:${port}`, channel, { ...serverNameOptions(variant.tls, 'archive') });
  const message = randomBytes(200);
  const call = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + 10_000 };
      client.makeUnaryRequest(method.path, bytes, bytes, message, variant.metadata(), options, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  return {
    name: variant.name,
    /** Sends calls, some of them concurrently. @returns CPU µs per call, of client and server together */
    async round(): Promise<number> {
      const before = cpuUs();
      const callers = Array.from({ length: CONCURRENT }, async () => {
        for (let i = 0; i < CALLS / CONCURRENT / 4; i += 1) await call();
      });
      await Promise.all(callers);
      return ((cpuUs() - before) / CALLS) * 4;
    },
    close() {
      client.close();
      server.forceShutdown();
    },
  };
}

const example = credential();
console.log(`credential of ${example.length} characters: CPU µs, median of ${ROUNDS - 1} rounds of ${CALLS}`);
console.log(`  make    ${measure(credential).toFixed(1)}`);
const received = { path: method.path, authorization: [`Bearer ${example}`] };
console.log(`  verify  ${measure(() => guard(received)).toFixed(1)}`);
const opened = await Promise.all(variants.map(open));
const results = new Map<string, number[]>();
// The variants alternate, so that a change of the machine's load affects all.
for (let round = 0; round <= ROUNDS; round += 1)
  for (const variant of opened) {
    const cost = await variant.round();
    if (round > 0) results.set(variant.name, [...(results.get(variant.name) ?? []), cost]);
  }
console.log(
  `whole calls, ${CONCURRENT} at once, client and server in one process: CPU µs a call, median of ${ROUNDS} rounds`,
);
for (const [name, costs] of results) console.log(`  ${median(costs).toFixed(0).padStart(4)}  ${name}`);
for (const variant of opened) variant.close();
