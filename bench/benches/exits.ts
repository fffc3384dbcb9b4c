import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createGuard, createHttpClient, type HttpClient, parseAllowList } from '@tidemark/egress';
import { createLogger } from '@tidemark/service';
import { operatorPeer } from '../../deploy/local/operator-peer.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { openExits } from '../../services/scrape/src/exits/open-exits.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';
import { median, runLoad } from '../shared/load.ts';

const HELP = `npm run bench -- exits [--seconds 4] [--rounds 3] [--connections 1,16]

Fetches one loopback page of about 40 KB directly, through an exit that the client dials itself, and through an exit leased
from browser-pool (lease, CONNECT endpoint, report), in turns; with kept connections and with a new one for each fetch.
Prints fetches/s, p50 and p95, and CPU per fetch of the client and of browser-pool.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '1,16' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seconds = Number(values.seconds);
const here = import.meta.dirname;
const dataDir = resolve(here, '../../.tidemark/bench-exits');

function startChild(file: string): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(here, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((ready) => {
    child.once('message', ({ port }: { port: number }) => ready({ child, port }));
  });
}

const [site, exit] = await Promise.all([startChild('../scrape/target-site.ts'), startChild('../exits/exit-server.ts')]);
const host = `127.0.0.2:${site.port}`;
const url = `http://${host}/page`;
const exitUrl = `http://127.0.0.1:${exit.port}`;
rmSync(dataDir, { recursive: true, force: true });
mkdirSync(dataDir, { recursive: true });
const stack = await startStack({
  dataDir,
  processPerService: true,
  services: ['browser-pool'],
  egressAllow: host,
  env: { 'browser-pool': { TIDEMARK_EXITS: `one=${exitUrl}` } },
  logLevel: 'warn',
});
const service = stack.services.get('browser-pool');
const peer = operatorPeer(stack.dataDir, 'browser-pool', service?.grpcAddr ?? '');
const log = createLogger('bench', 'warn');
const exits = await openExits(peer, log);
const openClient = (): HttpClient => createHttpClient(createGuard({ allow: parseAllowList(host) }));
const kept = openClient();

type Way = (client: HttpClient) => Promise<unknown>;
const WAYS: Readonly<Record<string, Way>> = {
  direct: (client) => client.fetch(url),
  'own dial': (client) => client.fetch(url, { exit: exitUrl }),
  leased: async (client) => {
    const route = await exits.lease({ workspaceId: 'w', host, country: '', session: '', tried: [] });
    if (route === undefined) throw new Error('no exit could be leased');
    const { exitBytes } = await client.fetch(url, { exit: route.proxy });
    exits.report('w', route, 'read', exitBytes);
  },
};

const withNewClient = (way: Way) => async () => {
  const client = openClient();
  await way(client);
  await client.close();
};

async function measure(work: () => Promise<unknown>, connections: number) {
  await runLoad(work, { connections, seconds: 1 });
  const before = [cpuOfTreeMs(service?.pid ?? 0), process.cpuUsage()] as const;
  const result = await runLoad(work, { connections, seconds });
  const { user, system } = process.cpuUsage(before[1]);
  return {
    perSecond: result.count / seconds,
    p50Ms: result.p50Ms,
    p95Ms: result.p95Ms,
    clientCpuMs: (user + system) / 1000 / result.count,
    poolCpuMs: (cpuOfTreeMs(service?.pid ?? 0) - before[0]) / result.count,
  };
}

try {
  for (const connections of values.connections.split(',').map(Number)) {
    for (const isKept of [true, false]) {
      const rounds: Record<string, Awaited<ReturnType<typeof measure>>[]> = {};
      for (let round = 0; round < Number(values.rounds); round += 1) {
        for (const [name, way] of Object.entries(WAYS)) {
          const result = await measure(isKept ? () => way(kept) : withNewClient(way), connections);
          rounds[name] = [...(rounds[name] ?? []), result];
        }
      }
      console.log(`\n${connections} at once, ${isKept ? 'kept connections' : 'a new connection for each fetch'}`);
      for (const [name, results] of Object.entries(rounds)) {
        const of = (key: keyof (typeof results)[number]) => median(results.map((one) => one[key])).toFixed(2);
        console.log(
          `  ${name.padEnd(9)} ${of('perSecond').padStart(8)}/s   p50 ${of('p50Ms')} ms   p95 ${of('p95Ms')} ms   CPU client ${of('clientCpuMs')} ms, browser-pool ${of('poolCpuMs')} ms`,
        );
      }
    }
  }
} finally {
  exits.close();
  await Promise.all([kept.close(), peer.close()]);
  await stack.stop();
  for (const { child } of [site, exit]) child.disconnect();
}
