// What sub-accounts cost: requests/s of a key in its own workspace and, with x-service-tenant, in a sub-account; CPU of the cached check; leases/s.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@tidemark/contracts';
import { BillingServiceService as Billing } from '@tidemark/contracts/billing/v1/billing';
import { anonymous, callerIn, newWorkspace } from '@tidemark/testkit';
import { startBillingServers } from '../../services/billing/test/billing-servers.ts';
import { SubAccounts } from '../../services/gateway/src/middleware/sub-accounts.ts';
import { startAccountSite } from '../../test/accounts/account-site.ts';
import { apiOf } from '../../test/harness/api.ts';
import { TestServers } from '../../tools/testing/test-servers.ts';
import { type LoadResult, runLoad } from '../shared/load.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const CALLS = 50_000;
const CONNECTIONS = 16;
const PLAN = 'self_hosted';

const print = (name: string, value: string) => console.log(`${name.padEnd(58)}${value}`);
const printLoad = (name: string, { perSecond, p50Ms, p95Ms, errors }: LoadResult) =>
  print(
    name,
    `${perSecond.toFixed(0).padStart(6)}/s  p50 ${p50Ms.toFixed(1)} ms  p95 ${p95Ms.toFixed(1)} ms  errors ${errors}`,
  );
const load = (once: () => Promise<unknown>) => runLoad(once, { connections: CONNECTIONS, seconds: SECONDS });

/** Writes the catalogue with a rate limit that the load does not reach. @returns its path */
function withoutRateLimit(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tidemark-bench-')), 'catalogue.json');
  const text = readFileSync(new URL('../../libs/catalogue/catalogue.json', import.meta.url), 'utf8');
  writeFileSync(file, text.replaceAll(/"rpm": \d+/g, '"rpm": 1000000'));
  return file;
}

/** Requests of a key through a gateway and identity. */
async function requests(): Promise<void> {
  const TIDEMARK_CATALOGUE = withoutRateLimit();
  const gateway = { TIDEMARK_CATALOGUE };
  const site = await startAccountSite({ identity: { TIDEMARK_DEFAULT_PLAN: PLAN, TIDEMARK_CATALOGUE }, gateway });
  try {
    const owner = await site.people.signUp();
    const { secret } = (await owner.post('/me/keys', { name: 'bench', scopes: ['admin'] })).body as { secret: string };
    const { id: child } = (await owner.post('/orgs/children', { name: 'bench', cap: 0 })).body as { id: string };
    const api = apiOf(site.url, secret);
    const get = async (headers: Readonly<Record<string, string>>) => {
      const { status, text } = await api.get('/auth/members', headers);
      if (status !== 200) throw new Error(text);
    };
    const inChild = { 'x-service-tenant': child };
    for (const headers of [{}, inChild]) await runLoad(() => get(headers), { connections: CONNECTIONS, seconds: 1 });
    printLoad('requests of a key in its own workspace', await load(() => get({})));
    printLoad('requests of the key with x-service-tenant', await load(() => get(inChild)));
  } finally {
    await site.close();
  }
}

/** CPU of the check of the header once it is cached. */
async function cachedCheck(): Promise<void> {
  const workspace = { id: 'ws_2', name: '', plan: PLAN, requireSecondFactor: false, parentId: 'ws_1' };
  const children = new SubAccounts(Object.assign(Object.create(null), { call: async () => ({ workspace }) }));
  const { caller } = callerIn('ws_1', { keyId: 'key_1' });
  const limits = {
    plan: PLAN,
    features: [],
    rpm: 1,
    workspaceRpm: 1,
    suspension: undefined,
    isGrant: false,
    person: undefined,
  };
  const enter = () => children.enter({ caller, keyName: '', scopes: ['admin'], ...limits }, 'ws_2', 'req');
  for (let n = 0; n < 1_000; n += 1) await enter();
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n += 1) await enter();
  const { user, system } = process.cpuUsage(before);
  print('CPU of x-service-tenant, cached', `${((user + system) / 1_000 / CALLS).toFixed(4)} ms`);
}

/** Leases of one page each, from billing over gRPC. */
async function leases(): Promise<void> {
  const servers = await startBillingServers();
  try {
    const lease = async (workspaceId: string) => {
      const items = [{ id: newId('cap'), workspaceId, maxCredits: 1, minCredits: 1 }];
      const { grants } = await servers.peer.call(Billing.lease, { items }, anonymous());
      if (grants[0]?.granted !== 1) throw new Error('no credits');
    };
    const payer = newWorkspace();
    await servers.setBalance(payer, 10_000_000);
    const [capped = '', ...others] = Array.from({ length: 8 }, () => newWorkspace());
    for (const child of [capped, ...others]) servers.identity.snapshot.set(child, { parentId: payer, cap: 5_000_000 });
    const own = newWorkspace();
    await servers.setBalance(own, 10_000_000);
    for (const id of [own, capped, ...others]) await lease(id);
    printLoad('leases of a workspace that pays for itself', await load(() => lease(own)));
    printLoad('leases of one sub-account with a cap', await load(() => lease(capped)));
    const children = [capped, ...others];
    let next = 0;
    const inTurn = () => {
      next += 1;
      return lease(children[next % children.length] ?? '');
    };
    printLoad('leases of eight sub-accounts of one payer', await load(inTurn));
  } finally {
    await servers.close();
  }
}

const servers = await TestServers.listen();
process.env['TEST_SERVERS_URL'] = servers.url;
try {
  await cachedCheck();
  await requests();
  await leases();
} finally {
  await servers.close();
}
