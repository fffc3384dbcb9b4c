// A client outside the fleet, in one file: prints how many pages a workspace captured on each of the last 30 days.
//
//   npm install @grpc/grpc-js @grpc/proto-loader
//   BILLING_ADDR=127.0.0.1:50051 CALLER_NAME=reports CALLER_KEY=<base64> node docs/examples/read-usage.ts ws_…
//
// It needs the folder proto/, and an entry in GRPC_CALLERS with this name, this key and the RPC
// tidemark.billing.v1.BillingService/Usage. The steps are the same in any language with gRPC and a JSON Web Token library.
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const { BILLING_ADDR = '', CALLER_NAME = '', CALLER_KEY = '' } = process.env;
const [WORKSPACE = ''] = process.argv.slice(2);
const DEADLINE_MS = 5_000;
const ATTEMPTS = 3;

const PROTO = join(import.meta.dirname, '../../proto');
const loaded = loadSync('tidemark/billing/v1/billing.proto', { includeDirs: [PROTO], longs: Number, defaults: true });
const service = loaded['tidemark.billing.v1.BillingService'];
const usage = service === undefined || 'format' in service ? undefined : service['Usage'];
if (usage === undefined) throw new Error(`${PROTO} does not define BillingService/Usage`);
const { path, requestSerialize, responseDeserialize } = usage;
const client = new Client(BILLING_ADDR, credentials.createInsecure());

/** Makes the credential of one call: a JSON Web Token for one RPC, valid for at most a minute. */
function makeCredential(): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iat = Math.floor(Date.now() / 1000);
  const caller = { kind: 'program', ws: WORKSPACE, scope: 'read', access: 'all' };
  const claims = { iss: CALLER_NAME, aud: path, iat, exp: iat + 60, caller };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = createHmac('sha256', Buffer.from(CALLER_KEY, 'base64')).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}

/** Sends one call. */
function callOnce(): Promise<{ readonly error: ServiceError | null; readonly response: object | undefined }> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${makeCredential()}`);
  const options = { deadline: Date.now() + DEADLINE_MS };
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, metadata, options, (error, response) =>
      resolve({ error, response }),
    );
  });
}

/** Returns the code and the message of the service's error, or those of gRPC. */
function describeError(error: ServiceError): string {
  const [trailer] = error.metadata.get('tidemark-error-bin');
  if (trailer === undefined) return error.message;
  const { code, message }: { code: string; message: string } = JSON.parse(trailer.toString());
  return `${code}: ${message}`;
}

for (let attempt = 1; ; attempt += 1) {
  const { error, response } = await callOnce();
  // Another attempt is useful after UNAVAILABLE only, with a new credential. Usage changes nothing, so it can be repeated.
  if (error?.code === status.UNAVAILABLE && attempt < ATTEMPTS) {
    await sleep(1_000 * attempt);
    continue;
  }
  if (error === null) console.log(JSON.stringify(response, undefined, 2));
  else console.error(describeError(error));
  process.exitCode = error === null ? 0 : 1;
  break;
}
client.close();
