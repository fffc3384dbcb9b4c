import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MapEnvelope } from '@tidemark/api';
import { ALL_PROJECTS, accessToWire, OPERATOR, onOwnBehalf } from '@tidemark/contracts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { fleetKeys } from '../../deploy/local/local-keys.ts';
import { operatorPeer } from '../../deploy/local/operator-peer.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';
import { median } from '../shared/load.ts';
import { startSite } from '../site/start-site.ts';

const HELP = `npm run bench -- map [--rounds 3] [--pages 52500] [--sitemaps 50]

Maps the test site of bench/site, some 47,000 URLs in 50 files, through POST /map, stored and answered in one response, in turns with sitemapper alone
in its own process. Prints seconds, CPU and the memory the map adds to its service.`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    pages: { type: 'string', default: '52500' },
    sitemaps: { type: 'string', default: '50' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const MAP_ADDR = '127.0.0.1:18982';
const NODE_FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=384'];
const GOALS = { seconds: 3.5, busySeconds: 6, memoryMb: 150 };
const dataDir = resolve(import.meta.dirname, '../../.tidemark/bench-map');

/** Starts the service in its own process with the heap limits of a small pod. The local stack's flags let the heap fill first. */
async function startMap(stack: Stack, site: string): Promise<ChildProcess> {
  const main = resolve(import.meta.dirname, '../../services/map/src/main.ts');
  const { databaseUrl, natsUrl, blobUrl } = stack.urls;
  const child = fork(main, [], {
    execArgv: ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', ...NODE_FLAGS],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      BLOB_URL: blobUrl,
      FLEET_KEYS: fleetKeys(stack.dataDir),
      BILLING_ADDR: stack.services.get('billing')?.grpcAddr ?? '',
      TIDEMARK_EGRESS_ALLOW: new URL(site).host,

      GRPC_LISTEN: MAP_ADDR,
      HTTP_LISTEN: '127.0.0.1:0',
      LOG_LEVEL: 'warn',
      MALLOC_ARENA_MAX: '2',
    },
  });
  const peer = operatorPeer(stack.dataDir, 'map', MAP_ADDR);
  for (let tries = 0; tries < 60; tries += 1) {
    if ((await peer.ready().catch(() => 'not yet')) !== 'not yet') break;
    await new Promise((done) => setTimeout(done, 250));
  }
  await peer.close();
  return child;
}

async function makeKey(stack: Stack): Promise<string> {
  const identity = operatorPeer(stack.dataDir, 'identity', stack.services.get('identity')?.grpcAddr ?? '');
  const request = { name: 'bench', plan: 'free', idempotencyKey: 'bench' };
  const { workspace } = await identity.call(Identity.createWorkspace, request, { requestId: 'bench' });
  const caller = onOwnBehalf(OPERATOR, workspace?.id ?? '');
  const expected = {
    name: 'bench',
    scopes: ['write'],
    access: accessToWire(ALL_PROJECTS),
    expiresInDays: undefined,
    rpm: undefined,
  };
  const { secret } = await identity.call(Identity.createKey, expected, { requestId: 'bench', caller });
  await identity.close();
  return secret;
}

const memoryMb = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

interface Round {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly urls: number;
}

async function mapOnce(
  stack: Stack,
  site: string,
  key: string,
  pids: readonly number[],
): Promise<Round & { map: MapEnvelope }> {
  const cpu = () => pids.reduce((sum, pid) => sum + cpuOfTreeMs(pid), 0);
  const [cpuBefore, startedAt] = [cpu(), performance.now()];
  const response = await fetch(`${stack.url}/v1/map`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${site}/`, limit: 50_000, timeout: 60 }),
  });
  const body: unknown = await response.json();
  const seconds = (performance.now() - startedAt) / 1_000;
  if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(body).slice(0, 300)}`);
  const map = MapEnvelope.parse(body);
  return { seconds, cpuSeconds: (cpu() - cpuBefore) / 1_000, urls: map.data.length, map };
}

interface Alone extends Round {
  readonly rssMb: number;
  readonly errors: number;
}

function sitemapperOnce(site: string): Promise<Alone> {
  const script = resolve(import.meta.dirname, '../map/sitemapper-alone.ts');
  const child = fork(script, [`${site}/sitemap.xml`], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((done, failed) => {
    child.once('message', (result: Alone) => done(result));
    child.once('exit', (code) => failed(new Error(`sitemapper ended with ${code}`)));
  });
}

const line = (name: string, { seconds, cpuSeconds, urls }: Round): string =>
  `${name.padEnd(24)} ${seconds.toFixed(2).padStart(6)} s   CPU ${cpuSeconds.toFixed(2).padStart(6)} s   ${urls} URLs`;

async function main(): Promise<void> {
  const site = await startSite({ pages: Number(values.pages), sitemaps: Number(values.sitemaps) });
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const catalogue = join(dataDir, 'catalogue.json');
  const plans = { free: { welcomeCredits: 1_000_000, rpm: 100_000, subAccounts: 0 } };
  writeFileSync(catalogue, JSON.stringify({ plans, ladder: [{ tier: 'http', credits: 1, says: '' }] }));
  const env = { TIDEMARK_CATALOGUE: catalogue };
  const stack = await startStack({
    dataDir,
    processPerService: true,
    services: ['identity', 'billing', 'gateway'],
    egressAllow: new URL(site.base).host,
    env: { identity: env, billing: env, gateway: { ...env, MAP_ADDR } },
    logLevel: 'warn',
  });
  const service = await startMap(stack, site.base);
  try {
    const key = await makeKey(stack);
    const mapPid = service.pid ?? 0;
    const pids = [mapPid, stack.services.get('gateway')?.pid ?? 0];
    const before = memoryMb(mapPid, 'VmRSS');
    const [tidemark, sitemapper]: [Round[], Alone[]] = [[], []];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const alone = await sitemapperOnce(site.base);
      const { map, ...through } = await mapOnce(stack, site.base, key, pids);
      console.log(`${line('sitemapper alone', alone)}   ${alone.rssMb.toFixed(0)} MB at most`);
      console.log(`${line('POST /map, stored', through)}   ${JSON.stringify(map.totals)}`);
      sitemapper.push(alone);
      tidemark.push(through);
    }
    const added = memoryMb(mapPid, 'VmHWM') - before;
    const seconds = median(tidemark.map((round) => round.seconds));
    const ratio = seconds / median(sitemapper.map((round) => round.seconds));
    console.log(
      `\nmedian ${seconds.toFixed(2)} s, ${ratio.toFixed(2)} x sitemapper alone; goal ${GOALS.seconds} s quiet, ${GOALS.busySeconds} s busy: ${verdict(seconds)}`,
    );
    console.log(
      `memory of the service (${NODE_FLAGS.join(' ')}): ${before.toFixed(0)} MB idle, at most ${added.toFixed(0)} MB more; goal ${GOALS.memoryMb}: ${added <= GOALS.memoryMb ? 'met' : 'MISSED'}`,
    );
  } finally {
    service.kill();
    await stack.stop();
    site.stop();
  }
}

const verdict = (seconds: number): string =>
  seconds <= GOALS.seconds ? 'met' : seconds <= GOALS.busySeconds ? 'met as on a busy machine' : 'MISSED';

await main();
