import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { SiteStats } from './counters.ts';
import type { SiteOptions } from './options.ts';
import type { SiteScore, SiteTruth, TrueChange, TruePage } from './truth.ts';
import type { Exhibit } from './zoo.ts';

const PROGRAM = join(import.meta.dirname, 'main.ts');
export const SITE_HOST = '127.0.0.2';
const READY_WITHIN_MS = 600_000;
const RESPONDS_WITHIN_MS = 120_000;

/** A test site in a process of its own. */
export interface Site {
  readonly base: string;
  readonly pid: number;
  /** Zeros the counters and the state of every host. */
  reset(): Promise<void>;
  score(): Promise<SiteScore>;
  stats(): Promise<SiteStats>;
  /** What is true of the site in a generation; by default in the present one. */
  truth(generation?: number): Promise<SiteTruth>;
  changes(base: number, generation: number): Promise<TrueChange[]>;
  zoo(): Promise<Exhibit[]>;
  /** Returns the absolute URLs of the pages for which `holds`. */
  urls(holds: (page: TruePage) => boolean): Promise<string[]>;
  moveTo(generation: number): Promise<void>;
  stop(): void;
}

/** Where a site listens; by default on one address, at a free port. */
interface Place {
  readonly host?: string;
  readonly hosts?: number;
}

const isPort = (message: unknown): message is { port: number } =>
  typeof message === 'object' && message !== null && 'port' in message && typeof message.port === 'number';

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((done, failed) => {
    const timer = setTimeout(
      () => failed(new Error(`the site did not start in ${READY_WITHIN_MS} ms`)),
      READY_WITHIN_MS,
    );
    child.once('exit', (code) => failed(new Error(`the site ended with ${code}`)));
    child.once('message', (message) => {
      clearTimeout(timer);
      if (isPort(message)) done(message.port);
      else failed(new Error('the site sent no port'));
    });
  });
}

/** Starts a test site and waits until it responds. It ends with this process. */
export async function startSite(
  options: Partial<SiteOptions>,
  { host = SITE_HOST, hosts = 1 }: Place = {},
): Promise<Site> {
  const args = ['--settings', JSON.stringify(options), '--host', host, '--hosts', String(hosts)];
  const execArgv = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'];
  const child = fork(PROGRAM, args, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const port = await portOf(child).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  const base = `http://${host}:${port}`;
  const control = async (what: string) => {
    const response = await fetch(`${base}/__site/${what}`, { signal: AbortSignal.timeout(RESPONDS_WITHIN_MS) });
    if (!response.ok) throw new Error(`the site answered ${response.status} to ${what}`);
    return JSON.parse(await response.text());
  };
  const truth = async (generation?: number): Promise<SiteTruth> =>
    control(generation === undefined ? 'truth' : `truth?generation=${generation}`);
  return {
    base,
    pid: child.pid ?? 0,
    reset: async () => void (await control('reset')),
    score: () => control('score'),
    stats: () => control('stats'),
    truth,
    changes: (from, to) => control(`changes?base=${from}&generation=${to}`),
    zoo: () => control('zoo'),
    urls: async (holds) => (await truth()).pages.filter(holds).map(({ path }) => base + path),
    moveTo: async (generation) => void (await control(`generation?to=${generation}`)),
    stop: () => void child.kill(),
  };
}
