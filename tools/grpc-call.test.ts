import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { billing } from '@tidemark/billing';
import { newId, RPC_CALLERS } from '@tidemark/contracts';
import { CLOCK_SKEW_SECONDS, LIFETIME_SECONDS } from '@tidemark/service';
import {
  fleetEnv,
  type RunningService,
  startFakeIdentity,
  startService,
  startTestServers,
  type TestServers,
} from '@tidemark/testkit';

const ROOT = resolve(import.meta.dirname, '..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/grpc.md'), 'utf8');
const USAGE = 'tidemark.billing.v1.BillingService/Usage';
const REPORTS = randomBytes(32).toString('base64');
const WORKSPACE = newId('ws');

/** Node's cache of compiled modules: the program starts in half the time. */
const CACHED = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };

let servers: TestServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startTestServers();
  const entry = { name: 'reports', key: REPORTS, rpcs: [USAGE], workspaces: [WORKSPACE] };
  const identity = servers.own(await startFakeIdentity());
  const env = { ...servers.env, IDENTITY_ADDR: identity.address, GRPC_CALLERS: JSON.stringify([entry]) };
  service = servers.own(await startService(billing, env));
}, 120_000);
afterAll(() => servers.close());

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> =>
  new Promise((done) => {
    const flags = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', join(ROOT, file)];
    execFile(process.execPath, [...flags, ...args], { env: { PATH: '', ...CACHED, ...env } }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

describe('the command tools/grpc-call.ts', () => {
  const call = (args: readonly string[], env: Readonly<Record<string, string>> = fleetEnv) =>
    run('tools/grpc-call.ts', args, env);

  it('calls an RPC as the operator and prints its response as JSON', async () => {
    const { code, stdout, stderr } = await call([service.address, USAGE, '{}', '--workspace', WORKSPACE]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ monthPages: '0', monthCredits: '0' });
  });

  it('calls as a named caller, which is refused on other RPCs', async () => {
    const as = ['--caller', 'reports', '--workspace', WORKSPACE];
    const env = { GRPC_CALLER_KEY: REPORTS };
    const [allowed, refused] = await Promise.all([
      call([service.address, USAGE, '{}', ...as], env),
      call([service.address, 'tidemark.billing.v1.BillingService/Balance', '{}', ...as], env),
    ]);
    expect(allowed.code).toBe(0);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('reports may not call') });
  });

  it('prints a credential for another program with --token, and explains itself with --help', async () => {
    const [token, help] = await Promise.all([call(['--token', USAGE]), call(['--help'])]);
    const [, payload = ''] = token.stdout.split('.');
    const { iss, aud, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect({ iss, aud, seconds: exp - iat }).toEqual({ iss: 'operator', aud: `/${USAGE}`, seconds: LIFETIME_SECONDS });
    expect(help.stdout).toContain('tools/grpc-call.ts <host:port> <package.Service/Method>');
  });

  it('names what is wrong with an unknown RPC or a missing key', async () => {
    const [unknown, keyless] = await Promise.all([
      call([service.address, 'tidemark.billing.v1.BillingService/Print']),
      call([service.address, USAGE], { FLEET_KEYS: 'short' }),
    ]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('is not in proto/') });
    expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining('key 1 has') });
  });
});

describe('the example client docs/examples/read-usage.ts', () => {
  const read = (workspace: string, key = REPORTS) =>
    run('docs/examples/read-usage.ts', [workspace], {
      BILLING_ADDR: service.address,
      CALLER_NAME: 'reports',
      CALLER_KEY: key,
    });

  it('prints the usage of a workspace of its entry', async () => {
    const { code, stdout } = await read(WORKSPACE);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).days).toHaveLength(30);
  });

  it('is refused for another workspace and with another key', async () => {
    const [other, forged] = await Promise.all([read(newId('ws')), read(WORKSPACE, randomBytes(32).toString('base64'))]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('PERMISSION_DENIED') });
    expect(forged).toMatchObject({ code: 1, stderr: expect.stringContaining('UNAUTHENTICATED') });
  });
});

describe('docs/grpc.md', () => {
  it('names every proto service with each of its RPCs, and no other', () => {
    const listed = [...DOCUMENT.matchAll(/^\| `(tidemark\.[\w.]+)` \| (.+?) \|/gm)].flatMap(([, name, methods = '']) =>
      [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => `${name}/${method}`),
    );
    expect(listed.toSorted()).toEqual(Object.keys(RPC_CALLERS).toSorted());
  });

  it('states the lifetime and the clock skew of the code, and names files that exist', () => {
    expect(DOCUMENT).toContain(`at most ${LIFETIME_SECONDS} s`);
    expect(DOCUMENT).toContain(`differ by up to ${CLOCK_SKEW_SECONDS} s`);
    const files = [...DOCUMENT.matchAll(/`((?:docs|tools|libs|proto|deploy)\/[\w./-]+)`/g)].map(
      ([, file = '']) => file,
    );
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => globSync(file, { cwd: ROOT }).length === 0)).toEqual([]);
  });
});
