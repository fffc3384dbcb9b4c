import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { dyingWithParent } from '../../deploy/local/parts/part.ts';
import { until } from '../harness/until.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../shared/peer-bench/site-server.mjs');
const HOST = '127.0.0.2';

interface Truth {
  readonly pages: readonly {
    readonly url: string;
    readonly status: number;
    /** How it is found: http, js, sitemap, redirect, or none. */
    readonly reach: string;
    readonly inSitemap: boolean;
    readonly robots?: string;
  }[];
}

/** Requests to the site since the last reset. */
export interface SiteStats {
  readonly requests: number;
  /** Requests beyond the first, over all addresses. */
  readonly refetched: number;
  readonly lastAt: number;
  readonly inflight: number;
  readonly peakInflight: number;
  readonly robotsViolations: number;
  readonly byKind: Readonly<Record<string, number>>;
}

/** A site of many pages in its own process. It states what a correct crawl finds and counts its requests. */
export interface PeerSite {
  readonly base: string;
  /** URLs that a correct crawl has a row of: status 200, linked or declared, and allowed by robots.txt. */
  readonly reachable: ReadonlySet<string>;
  readonly disallowed: ReadonlySet<string>;
  stats(): Promise<SiteStats>;
  /** Resets the request counts. */
  reset(): Promise<void>;
  close(): void;
}

/** Starts the site; undefined, with a line on the console, if its program is absent. */
export async function startPeerSite({ pages }: { readonly pages: number }): Promise<PeerSite | undefined> {
  if (!existsSync(PROGRAM)) {
    console.warn(`${PROGRAM} is absent: the crawls of its site are not run`);
    return undefined;
  }
  const port = await freePort();
  const args = [PROGRAM, '--port', String(port), '--host', HOST, '--pages', String(pages), '--prewarm', '--quiet'];
  const [program, ...words] = dyingWithParent('KILL', [process.execPath, ...args]);
  const child = spawn(program, words, { stdio: 'ignore' });
  const base = `http://${HOST}:${port}`;
  await until('the site', async () => (await fetch(`${base}/__health`)).ok, { withinMs: 120_000 });
  return siteOf(child, base);
}

async function siteOf(child: ChildProcess, base: string): Promise<PeerSite> {
  const { pages: truth }: Truth = JSON.parse(await textOf(`${base}/__truth.json?brief`));
  const found = truth.filter(({ reach, inSitemap }) => reach === 'http' || reach === 'js' || inSitemap);
  const allowed = found.filter(({ status, robots }) => status === 200 && robots === undefined);
  return {
    base,
    reachable: new Set(allowed.map(({ url }) => url)),
    disallowed: new Set(truth.filter(({ robots }) => robots !== undefined).map(({ url }) => url)),
    async stats() {
      const stats: SiteStats = JSON.parse(await textOf(`${base}/__stats.json`));
      return stats;
    },
    reset: async () => void (await textOf(`${base}/__reset`, 'POST')),
    close: () => void child.kill('SIGKILL'),
  };
}

const textOf = async (url: string, method = 'GET'): Promise<string> => (await fetch(url, { method })).text();

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((found) => {
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
