import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServiceName } from '../../deploy/local/stack.ts';
import { TEST_PLAN } from '../../test/harness/catalogue.ts';
import { type OwnFleet, startFleet } from '../../test/harness/fleet.ts';
import type { Watched } from './cost.ts';

/** Folder for what is kept between runs: the rivals' packages. */
export const BENCH_DIR = resolve(import.meta.dirname, '../../.tidemark/bench-crawl');

/** Every host a benchmark site may have. */
const HOSTS = Array.from({ length: 10 }, (_, at) => `127.0.0.${at + 2}`);
const WITHOUT_BROWSER: readonly ServiceName[] = ['identity', 'billing', 'archive', 'scrape', 'map', 'crawl', 'gateway'];

/** Starts a fleet whose workspaces have credits and requests enough for any benchmark. */
export async function startBenchFleet(
  services: readonly ServiceName[] = WITHOUT_BROWSER,
  { processPerService = false } = {},
): Promise<OwnFleet> {
  mkdirSync(BENCH_DIR, { recursive: true });
  const catalogue = join(BENCH_DIR, 'catalogue.json');
  const plan = { welcomeCredits: 1_000_000_000, rpm: 1_000_000, subAccounts: 0 };
  const ladder = [
    { tier: 'http', credits: 1, says: '' },
    { tier: 'browser', credits: 5, says: '' },
  ];
  writeFileSync(catalogue, JSON.stringify({ plans: { free: plan, [TEST_PLAN]: plan }, ladder }));
  process.env['TIDEMARK_CATALOGUE'] = catalogue;
  return startFleet({ services, processPerService, egressAllow: HOSTS.join(','), logLevel: 'error' });
}

/** Returns every process of a fleet, named by its services. */
export function processesOf({ stack }: OwnFleet): Watched[] {
  const names = new Map<number, string>();
  for (const { name, pid } of stack.services.values())
    names.set(pid, names.has(pid) ? `${names.get(pid)}+${name}` : name);
  for (const [name, { pid }] of Object.entries(stack.parts)) if (pid !== 0) names.set(pid, name);
  return [...names].map(([pid, name]) => ({ pid, name }));
}
