import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../test/harness/api.ts';
import { makeProject, readRun, startRun } from '../../test/harness/projects.ts';
import type { Figures } from '../archive/figures.ts';
import { type Cost, costOf } from '../crawl/cost.ts';
import { processesOf, startBenchFleet } from '../crawl/fleet.ts';
import type { DownloadMessage, DownloadOrder } from './download-clients.ts';

/** Highest ratio of the p95 during the downloads to the p95 alone. */
const MAX_RATIO = 1.2;
const DOWNLOADS = 10;
/** Time for every download to be under way, ms. */
const FILL_MS = 3_000;
const RUN_MS = 480_000;
const POLL_MS = 500;
const RESPONSE_MS = 20_000;
const SERVICES = ['identity', 'billing', 'archive', 'scrape', 'crawl', 'projects', 'export', 'gateway'] as const;

export interface LatencySizes {
  /** Pages of the run that is downloaded and read. */
  readonly pages: number;
  /** Requests of each figure. */
  readonly samples: number;
  /** A process per service, as on Kubernetes; false: one process for the light services, as on one machine. */
  readonly processPerService: boolean;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
}

/** Measures requests of one client to the API, alone and during ten downloads of all pages of a run. */
export async function measureLatency(
  figures: Figures,
  { pages, samples, processPerService }: LatencySizes,
): Promise<void> {
  const clients = fork(join(import.meta.dirname, 'download-clients.ts'), [String(pages)], {
    execArgv: ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'],
  });
  const fleet = await startBenchFleet(SERVICES, { processPerService });
  try {
    const ready = await messageOf(clients);
    if (!('port' in ready)) throw new Error('the site did not start');
    const { writer, reader } = await fleet.workspaces.make();
    const projectId = await storeRun(writer, `http://127.0.0.2:${ready.port}/`, pages);
    const paths = [`/projects/${projectId}/pages?limit=50`, `/projects/${projectId}`, '/projects'];
    await latencyOf(reader, paths, samples);
    const alone = await latencyOf(reader, paths, samples);
    const url = `${fleet.url}/v1/projects/${projectId}/export?dataset=markdown&format=jsonl&compression=none`;
    clients.send({ url, key: reader.key, downloads: DOWNLOADS } satisfies DownloadOrder);
    await sleep(FILL_MS);
    const { value: during, cost } = await costOf(processesOf(fleet), [], () => latencyOf(reader, paths, samples));
    const stopped = messageOf(clients);
    clients.send('stop');
    const downloaded = await stopped;
    if (!('files' in downloaded)) throw new Error('the clients did not stop');
    if (downloaded.failures.length > 0) throw new Error(`downloads failed: ${downloaded.failures.join('; ')}`);
    report(figures, { alone, during, downloaded, cost });
  } finally {
    clients.kill();
    await fleet.close();
  }
}

async function messageOf(clients: ChildProcess): Promise<DownloadMessage> {
  const [message] = await once(clients, 'message', { signal: AbortSignal.timeout(RESPONSE_MS) });
  return message;
}

/** Runs a project over the site. @returns its id */
async function storeRun(api: Api, seed: string, pages: number): Promise<string> {
  const config = { max_pages: pages, use_sitemap: false, render_js: 'never' };
  const { id } = await makeProject(api, { seed, config });
  const run = await startRun(api, id);
  const deadline = performance.now() + RUN_MS;
  for (;;) {
    const { status, progress } = await readRun(api, run);
    if (status === 'done' && progress.done === pages) return id;
    if (status === 'done' || status === 'error' || performance.now() > deadline)
      throw new Error(`the run is ${status} with ${progress.done} of ${pages} pages`);
    await sleep(POLL_MS);
  }
}

/** Sends requests to each path in turn, one after the other. */
async function latencyOf(api: Api, paths: readonly string[], samples: number): Promise<Latency> {
  const times: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const startedAtMs = performance.now();
    const { status, text } = await api.get(paths[at % paths.length] ?? '');
    times.push(performance.now() - startedAtMs);
    if (status !== 200) throw new Error(`status ${status}: ${text}`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}

interface Measured {
  readonly alone: Latency;
  readonly during: Latency;
  readonly downloaded: { readonly files: number; readonly bytes: number };
  readonly cost: Cost;
}

function report(figures: Figures, { alone, during, downloaded, cost }: Measured): void {
  const shown = ({ p50, p95 }: Latency): string => `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)} ms`;
  figures.add('reads of the API alone', shown(alone));
  figures.add(`reads of the API during ${DOWNLOADS} downloads`, shown(during));
  const ratio = during.p95 / alone.p95;
  figures.add('p95 during the downloads', `${ratio.toFixed(2)} x alone`, `<= ${MAX_RATIO} x`, ratio <= MAX_RATIO);
  const speed = downloaded.bytes / 1e6 / (FILL_MS / 1_000 + cost.seconds);
  figures.add('downloads meanwhile', `${downloaded.files} files, ${speed.toFixed(1)} MB/s`);
  const cores = (ms: number): string => (ms / 1_000 / cost.seconds).toFixed(2);
  const busy = [...cost.cpuMsByName].filter(([, ms]) => ms > cost.seconds * 20);
  figures.add('cores meanwhile', busy.map(([name, ms]) => `${name} ${cores(ms)}`).join(', '));
}
