import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { asList, asObject, asText } from '@tidemark/api';
import { needs } from '@tidemark/testkit/needs';
import { fetchedPackage } from '../../deploy/local/npm-program.ts';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';

const CLI = { name: 'firecrawl-cli', version: '1.23.3' } as const;
const RUN_MS = 60_000;

const dir = await fetchedPackage(CLI.name, CLI.version);
const fleet = sharedFleet();
let site: HarbourSite;
let program = '';
let folder = '';
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  program = join(dir ?? '', 'node_modules', CLI.name, 'dist/index.js');
  folder = mkdtempSync(join(tmpdir(), 'tm-firecrawl-'));
  site = await startHarbour('127.0.0.6');
  env = {
    PATH: process.env['PATH'],
    // The program reads and writes its settings there.
    HOME: folder,
    FIRECRAWL_API_URL: `${fleet.url}/firecrawl`,
    FIRECRAWL_API_KEY: (await fleet.workspaces.make()).admin.key,
    FIRECRAWL_NO_UPDATE_CHECK: '1',
    FIRECRAWL_NO_TELEMETRY: '1',
    NO_COLOR: '1',
  };
}, 600_000);
afterAll(async () => {
  site.close();
  rmSync(folder, { recursive: true });
  await fleet.close();
});

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end. */
const run = (...args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    const options = { env, cwd: folder, timeout: RUN_MS };
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (child.exitCode ?? -1), stdout, stderr }),
    );
    child.stdin?.end();
  });

/** Runs the program and parses its output. @throws Error with its messages if it fails */
async function json(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { code, stdout, stderr } = await run(...args);
  if (code !== 0) throw new Error(`firecrawl ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return asObject(JSON.parse(stdout));
}

const sourcesOf = (documents: unknown): string[] =>
  asList(documents).map((each) => new URL(asText(asObject(asObject(each)['metadata'])['sourceURL'])).pathname);

needs('fetched-package', dir !== undefined, () =>
  describe('the command line of Firecrawl', () => {
    test('scrapes a page and prints its markdown', async () => {
      const { code, stdout, stderr } = await run('scrape', `${site.origin}/prices`);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toContain('crowns a night');
    });

    test('scrapes a page in several formats', async () => {
      const document = await json('scrape', `${site.origin}/prices`, '--format', 'markdown,links', '--json');
      expect(document).toMatchObject({ markdown: expect.stringContaining('crowns'), links: expect.any(Array) });
    });

    test('scrapes several pages into files', async () => {
      const { code, stderr } = await run('scrape', `${site.origin}/prices`, `${site.origin}/marees`);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(readdirSync(join(folder, '.firecrawl'), { recursive: true }).length).toBeGreaterThanOrEqual(2);
    });

    test('waits for a crawl and prints every page', async () => {
      const crawl = await json('crawl', `${site.origin}/`, '--limit', '10', '--wait', '--poll-interval', '1');
      expect(crawl).toMatchObject({ status: 'completed' });
      expect(sourcesOf(crawl['data']).toSorted()).toEqual(['/', '/gone', '/hidden', '/marees', '/prices']);
    });

    test('starts a crawl, reads its status by its id, and cancels it', async () => {
      site.gate = Promise.withResolvers<void>();
      const started = asObject((await json('crawl', `${site.origin}/slow`, '--sitemap', 'skip'))['data']);
      const id = asText(started['jobId']);
      expect((await run('crawl', id)).stdout).toContain('scraping');
      const cancelled = await run('crawl', id, '--cancel');
      site.gate.resolve();
      expect({ code: cancelled.code, stdout: cancelled.stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('cancelled'),
      });
    });

    test('maps a site', async () => {
      const { code, stdout } = await run('map', site.origin);
      expect(code).toBe(0);
      expect(stdout.trim().split('\n')).toEqual(['/', '/prices', '/hidden'].map((path) => `${site.origin}${path}`));
    });

    test('creates a monitor, runs it, reads its check, pauses it and deletes it', async () => {
      const target = ['--page', `${site.origin}/prices`, '--schedule', 'every 30 minutes'];
      const monitor = asObject((await json('monitor', 'create', '--name', 'Prices', ...target))['data']);
      expect(monitor).toMatchObject({ status: 'active', schedule: { cron: '*/30 * * * *' } });
      const id = asText(monitor['id']);
      const check = asText(asObject((await json('monitor', 'run', id))['data'])['id']);
      await until(`the check ${check} has ended`, async () => {
        const found = asObject((await json('monitor', 'check', id, check))['data']);
        return found['status'] === 'completed';
      });
      expect(asList((await json('monitor', 'checks', id))['data'])).toMatchObject([{ id: check }]);
      expect((await json('monitor', 'update', id, '--state', 'paused'))['data']).toMatchObject({ status: 'paused' });
      expect(await json('monitor', 'delete', id)).toEqual({ success: true });
    });

    test('prints the credits of the workspace', async () => {
      const usage = asObject((await json('credit-usage', '--json'))['data']);
      expect(usage['remainingCredits']).toBeGreaterThan(0);
    });

    test('fails with the refusal of a format without an equivalent, which names it', async () => {
      const { code, stderr, stdout } = await run('scrape', `${site.origin}/`, '--format', 'branding');
      expect(code).not.toBe(0);
      expect(`${stderr}${stdout}`).toContain('the format branding is not supported');
    });

    // For this part the program prints the status without the message.
    test('fails with the status 501 for a part that the service lacks', async () => {
      const { code, stderr, stdout } = await run('search', 'tides');
      expect(code).not.toBe(0);
      expect(`${stderr}${stdout}`).toContain('501');
    });
  }),
);
