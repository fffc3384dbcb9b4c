// What a sign-in and an authentication cost: argon2 alone and 40 at once, and CPU a request for a cached key and a cached session.
import { performance } from 'node:perf_hooks';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import type { Peer } from '@tidemark/service';
import { Authenticator } from '../../services/gateway/src/middleware/authenticate.ts';
import { SessionCookie } from '../../services/gateway/src/middleware/session-cookie.ts';
import { Passwords } from '../../services/identity/src/proofs/passwords.ts';

const CALLS = 50_000;
const HASHES = 20;
const CONCURRENT = 40;
const PASSWORD = 'correct horse battery staple';

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const print = (name: string, value: number, unit: string) =>
  console.log(`${name.padEnd(58)}${value.toFixed(3)} ${unit}`);

async function timesOf(run: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < HASHES; n += 1) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  return times;
}

const passwords = new Passwords();
const stored = await passwords.hash(PASSWORD);
print('hash a password, median', median(await timesOf(() => passwords.hash(PASSWORD))), 'ms');
print('verify a right password', median(await timesOf(() => passwords.verify(stored, PASSWORD))), 'ms');
print('verify a wrong password', median(await timesOf(() => passwords.verify(stored, 'wrong'))), 'ms');
print('verify for an unknown address', median(await timesOf(() => passwords.verify(undefined, PASSWORD))), 'ms');
const startedAt = performance.now();
await Promise.all(Array.from({ length: CONCURRENT }, () => passwords.verify(stored, PASSWORD)));
const tookMs = performance.now() - startedAt;
print(`${CONCURRENT} verifications at once`, tookMs, 'ms');
print('sign-ins', (CONCURRENT / tookMs) * 1_000, 'per second');

const workspace = { id: 'ws_1', name: '', plan: 'free', requireSecondFactor: false, parentId: '' };
const key = {
  id: 'key_1',
  name: '',
  scopes: ['read'],
  access: accessToWire(ALL_PROJECTS),
  lastFour: '',
  createdBy: '',
};
const session = {
  sessionId: 'ses_1',
  userId: 'usr_1',
  userName: 'Ann',
  email: 'ann@example.com',
  state: 'full',
  role: 'owner',

  isEmailVerified: true,
  hasFactor: true,
  codeFreshMs: 600_000,
  workspace,
};
/** Answers every call alike; an object without a prototype has no type to convert. */
const identity: Peer = Object.assign(Object.create(null), { call: async () => ({ key, ...session }) });
const authenticator = new Authenticator(identity, {});
const cookie = new SessionCookie({ installation: '8787', isInsecure: false, publicUrl: undefined });
const token = 'A'.repeat(43);
const headers: Readonly<Record<string, string>> = { cookie: `theme=dark; __Host-tidemark_8787=${token}` };
const request = { get: (name: string) => headers[name] };

async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 1_000; n += 1) await run();
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / CALLS;
}

const byKey = () => authenticator.authenticate({ authorization: 'Bearer service_x', sessionToken: '' }, 'req', '');
const bySession = () =>
  authenticator.authenticate({ authorization: undefined, sessionToken: cookie.tokenOf(request) }, 'req', '');
print('CPU of a request with a cached key', await cpuOf(byKey), 'ms');
print('CPU of a request with a cached session', await cpuOf(bySession), 'ms');
