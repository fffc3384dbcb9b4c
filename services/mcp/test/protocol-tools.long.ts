import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { fetchedPackage } from '../../../deploy/local/npm-program.ts';
import { EXPECTED_FAILURES, REVISIONS, runConformance } from './conformance.ts';
import { type ConformanceServer, startConformanceServer } from './conformance-server.ts';

const INSPECTOR = { name: '@modelcontextprotocol/inspector', version: '2.12.0' } as const;
const CLI = join(import.meta.dirname, '../../../packages/cli/src/main.ts');

const dir = await fetchedPackage(INSPECTOR.name, INSPECTOR.version);
const inspector = join(dir ?? '', 'node_modules/.bin/mcp-inspector');
let server: ConformanceServer;
beforeAll(async () => {
  server = await startConformanceServer();
}, 600_000);
afterAll(() => server.close());

const print = (line: string): void => void process.stdout.write(`${line}\n`);

describe('the conformance suite', () => {
  it.each(REVISIONS)(
    'fails the listed scenarios of %s only; the score is printed with the reason of each failure',
    async (revision) => {
      const { passed, failed, checks } = await runConformance(server.url, revision);
      print(
        `\n${revision}: ${passed.length} of ${passed.length + failed.length} scenarios, ${checks.passed} checks passed`,
      );
      print(`  passed: ${passed.join(', ')}`);
      const expected = EXPECTED_FAILURES[revision];
      for (const name of failed) print(`  failed: ${name}: ${expected[name] ?? 'not expected'}`);
      expect(failed.toSorted()).toEqual(Object.keys(expected).toSorted());
    },
    150_000,
  );
});

/** The ways by which the inspector reaches the tools. */
const WAYS = {
  'over HTTP': () => [server.url, '--transport', 'http', '--header', 'Authorization: Bearer write'],
  'over standard input and output': () => [
    '-e',
    'TIDEMARK_API_KEY=write',
    '-e',
    `TIDEMARK_BASE_URL=${server.apiUrl}`,
    process.execPath,
    '--conditions=tidemark-source',
    CLI,
    'mcp',
  ],
} as const;

/** Runs a method with the inspector and returns its result. */
async function inspect(target: readonly string[], method: string, more: readonly string[] = []): Promise<unknown> {
  const args = [inspector, '--cli', ...target, '--method', method, ...more];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000, maxBuffer: 4_000_000 });
  const result: unknown = JSON.parse(stdout);
  return result;
}

needs('fetched-package', dir !== undefined, () =>
  describe('the inspector', () => {
    it.each(Object.entries(WAYS))('lists the tools and calls one %s', async (_, target) => {
      const list = await inspect(target(), 'tools/list');
      expect(list).toMatchObject({ tools: expect.any(Array) });
      expect(Object(list).tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'scrape_urls' })]));
      const call = ['--tool-name', 'extract_url', '--tool-arg', 'url=https://a.example/'];
      expect(await inspect(target(), 'tools/call', call)).toMatchObject({
        structuredContent: { page: { title: 'Page', verdict: 'ok' } },
      });
    });
  }),
);
