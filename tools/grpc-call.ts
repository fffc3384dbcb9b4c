// `node --conditions=tidemark-source tools/grpc-call.ts <host:port> <package.Service/Method> [JSON] [options]`: calls an RPC and prints
// its response as JSON. With --token it prints a credential for the RPC instead, for grpcurl and similar programs.
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { MethodDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ALL_PROJECTS, type Caller, highestScope, OPERATOR, onOwnBehalf } from '@tidemark/contracts';
import { messageOf } from '@tidemark/errors';
import { type CallContext, credentialFor, dial, type FleetAccess, fleetAccess } from '@tidemark/service';
import { asObject, readJson } from '../deploy/local/json-file.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PROTO = join(ROOT, 'proto');
const HELP = `node --conditions=tidemark-source tools/grpc-call.ts <host:port> <package.Service/Method> [JSON] [options]

Calls an RPC and prints its response as JSON.
  --caller NAME       signs as this caller; default operator
  --workspace ID      acts for this workspace
  --key-id ID         id of an API key of the workspace
  --scope SCOPE       read, write or admin, for a key or a named caller; default read
  --deadline SECONDS  default 10
  --token             prints a credential for the RPC, valid for a minute, instead of calling

The key is GRPC_CALLER_KEY, else FLEET_KEYS, else the one of the local stack in .tidemark/. For mutual TLS set GRPC_TLS_CERT,
GRPC_TLS_KEY and GRPC_TLS_CA. JSON has the field names of the proto in camelCase; bytes are base64.
`;

type JsonMethod = MethodDefinition<object, object>;

/** Returns the method that a proto file defines. @throws Error if there is none */
function loadMethod(rpc: string): JsonMethod {
  const [service = '', method = ''] = rpc.split('/');
  const folder = service.split('.').slice(0, -1).join('/');
  const files = globSync(`${folder}/*.proto`, { cwd: PROTO });
  const package_ = loadSync(files, {
    includeDirs: [PROTO],
    longs: String,
    enums: String,
    bytes: String,
    defaults: true,
  });
  const found = Object.values(asObject(package_[service])).find((one) => asObject(one)['path'] === `/${rpc}`);
  if (files.length === 0 || !isMethod(found))
    throw new Error(`${service}/${method} is not in proto/; expected package.Service/Method`);
  return found;
}

const isMethod = (value: unknown): value is JsonMethod => typeof asObject(value)['requestSerialize'] === 'function';

function accessOf(name: string): FleetAccess {
  const { GRPC_CALLER_KEY, FLEET_KEYS } = process.env;
  const { keys } = readJson(join(ROOT, '.tidemark/fleet.json'));
  const key = GRPC_CALLER_KEY || FLEET_KEYS || (typeof keys === 'string' ? keys : '');
  return fleetAccess(name, { ...process.env, FLEET_KEYS: key });
}

/** Returns the caller of the options: a key, the operator on its own behalf, or the named program. */
function callerOf(
  { caller, scope, 'key-id': keyId }: { readonly caller: string; readonly scope: string; readonly 'key-id'?: string },
  workspaceId: string,
): Caller {
  const rights = { workspaceId, scope: highestScope([scope]), access: ALL_PROJECTS };
  if (keyId !== undefined) return { kind: 'key', keyId, ...rights };
  return caller === OPERATOR ? onOwnBehalf(OPERATOR, workspaceId) : { kind: 'program', program: caller, ...rights };
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      token: { type: 'boolean', default: false },
      caller: { type: 'string', default: OPERATOR },
      workspace: { type: 'string' },
      'key-id': { type: 'string' },
      scope: { type: 'string', default: 'read' },
      deadline: { type: 'string', default: '10' },
    },
  });
  const rpcAt = values.token && positionals.length === 1 ? 0 : 1;
  const [address = '', rpc] = [positionals[0], positionals[rpcAt]];
  if (values.help || rpc === undefined) return void process.stdout.write(HELP);
  const access = accessOf(values.caller);
  const caller = values.workspace === undefined ? undefined : callerOf(values, values.workspace);
  const call: CallContext = { requestId: `cli-${crypto.randomUUID()}`, ...(caller === undefined ? {} : { caller }) };
  const deadlineMs = Number(values.deadline) * 1000;
  if (values.token) {
    // At least a minute: it is pasted into another program.
    const deadlineAtMs = Date.now() + Math.max(deadlineMs, 60_000);
    return void process.stdout.write(`${credentialFor(access, `/${rpc}`, { ...call, deadlineAtMs })}\n`);
  }
  const service = rpc.split('.').at(1) ?? rpc;
  const peer = dial(service === 'browser' ? 'browser-pool' : service, address, access);
  try {
    const request = asObject(JSON.parse(positionals[2] ?? '{}'));
    const response = await peer.call(loadMethod(rpc), request, call, { deadlineMs });
    process.stdout.write(`${JSON.stringify(response, undefined, 2)}\n`);
  } finally {
    await peer.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
  console.error(`grpc-call: ${messageOf(error)}${cause}`);
  process.exitCode = 1;
}
