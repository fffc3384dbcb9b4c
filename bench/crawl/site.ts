import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { until } from '../../test/harness/until.ts';

/** Folder of the peers' site server and runners. */
export const PEERS = resolve(import.meta.dirname, '../../../shared/peer-bench');
export const hasPeers = (): boolean => existsSync(join(PEERS, 'site-server.mjs'));
export const SITE_HOST = '127.0.0.2';
const READY_WITHIN_MS = 600_000;

/** Recall of a crawler, from the site's log. */
export interface Score {
  readonly recallHttp: number;
  readonly recall: Readonly<Record<string, { readonly got: number; readonly of: number; readonly recall: number }>>;
  readonly missedSample: readonly string[];
}

/** Request counts of the site since the last reset. */
export interface Stats {
  readonly requests: number;
  readonly bytes: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly limited429: number;
  readonly limitedTooSoon: number;
  readonly robotsViolations: number;
  readonly notModified: number;
  readonly refetched: number;
  readonly peakInflight: number;
  /** The time of the last request, in milliseconds of the epoch. */
  readonly lastAt: number;
}

/** A running site server. */
export interface Site {
  readonly base: string;
  readonly pid: number;
  reset(): Promise<void>;
  score(): Promise<Score>;
  stats(): Promise<Stats>;
  /** Absolute addresses of pages, by a query such as `kind=page`. */
  urls(query: string): Promise<string[]>;
  text(path: string): Promise<string>;
  stop(): void;
}

function freePort(host: string): Promise<number> {
  const probe = createServer();
  return new Promise((found) => {
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Starts a site server on one loopback address, or on `--addrs` of them, and waits until it responds. */
export async function startSite(flags: readonly string[], host = SITE_HOST): Promise<Site> {
  const port = await freePort(host);
  const args = [join(PEERS, 'site-server.mjs'), '--port', String(port), '--host', host, '--quiet', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const base = `http://${host}:${port}`;
  const text = async (path: string, init?: RequestInit): Promise<string> => (await fetch(base + path, init)).text();
  const site: Site = {
    base,
    pid: child.pid ?? 0,
    text,
    reset: async () => void (await text('/__reset', { method: 'POST' })),
    score: async () => JSON.parse(await text('/__score.json')),
    stats: async () => JSON.parse(await text('/__stats.json')),
    urls: async (query) => (await text(`/__urls.txt?${query}`)).split('\n').filter((url) => url !== ''),
    stop: () => void child.kill(),
  };
  try {
    await until('the site', async () => (await text('/__health')) !== '', { withinMs: READY_WITHIN_MS });
  } catch (error) {
    site.stop();
    throw error;
  }
  return site;
}

/** Returns the pages of one kind that the crawler got, and their total. */
export const classOf = (score: Score, name: string): { got: number; of: number; recall: number } =>
  score.recall[name] ?? { got: 0, of: 0, recall: 1 };
