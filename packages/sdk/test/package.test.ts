import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, Script } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { envelope, sendJson, startFakeServer } from './fake-server.ts';

const PACKAGE = join(import.meta.dirname, '..');
const TSC = join(PACKAGE, '../../node_modules/.bin/tsc');
const MAX_GZIP_BYTES = 6.5 * 1_024;
const run = promisify(execFile);

async function bundle(format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(PACKAGE, 'src/index.ts')],

    bundle: true,
    minify: true,
    write: false,
    format,
    platform: 'neutral',
    target: 'es2022',
    ...(format === 'iife' ? { globalName: 'sdk' } : {}),
  });
  return outputFiles[0]?.text ?? '';
}

describe('the SDK in a bundle', () => {
  it('has at most 6.5 KB after gzip', async () => {
    const { byteLength } = gzipSync(await bundle(), { level: 9 });
    expect(byteLength).toBeGreaterThan(1_000);
    expect(byteLength).toBeLessThanOrEqual(MAX_GZIP_BYTES);
  });

  it('runs where only the globals of the web platform exist', async () => {
    const server = await startFakeServer((_, response) =>
      sendJson(response, 200, envelope({ data: [{ verdict: 'ok' }] })),
    );
    try {
      const web = {
        AbortController,
        AbortSignal,
        Headers,
        TextDecoder,
        TextEncoder,
        URLSearchParams,
        clearTimeout,
        crypto,
        fetch,
        setTimeout,
      };
      const script = new Script(`${await bundle('iife')}; sdk`);
      const { Tidemark }: typeof import('@tidemark/sdk') = script.runInContext(createContext(web));
      const page = await new Tidemark({ apiKey: 'service_secret', baseUrl: server.baseUrl }).scrape(
        'https://example.com/',
      );
      expect(page).toMatchObject({ verdict: 'ok' });
    } finally {
      await server.close();
    }
  });
});

const CONSUMER = `import { Tidemark, TidemarkError, verifyWebhook } from '@tidemark/sdk';

const client = new Tidemark('service_secret');
export async function use(): Promise<string[]> {
  const page = await client.scrape('https://example.com/', { formats: ['markdown'], timeout: 30 });
  const verdict: 'ok' | 'thin' | 'blocked' | 'skipped' | 'robots' | 'cached' = page.verdict;
  const crawl = await client.crawl.start('https://example.com/', { limit: 5 });
  await crawl.wait({ onProgress: ({ progress }) => progress.done.toFixed() });
  const urls: string[] = [verdict];
  for await (const row of crawl.pages({ formats: 'none' })) urls.push(row.url);
  for await (const project of client.projects.list({ v: 'failing' })) urls.push(project.id);
  const project = await client.call('GET /projects/{id}', { path: { id: 'prj_1' } });
  const message = await verifyWebhook('', {}, 'whsec_');
  if (message.event === 'run.finished') urls.push(message.event);
  return [...urls, project.id];
}
export const isGone = (error: unknown): boolean => error instanceof TidemarkError && error.code === 'not_found';
// @ts-expect-error an unknown field of a body is refused
export const unknownField = () => client.scrape('https://example.com/', { nope: 1 });
// @ts-expect-error a path parameter is required
export const withoutPath = () => client.call('GET /projects/{id}');
// @ts-expect-error a route that is not in the contract is refused
export const unknownRoute = () => client.call('GET /nothing');
// @ts-expect-error a code that does not exist is refused
export const unknownCode = (error: TidemarkError): boolean => error.code === 'nonsense';
`;

describe('the published package', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tm-sdk-'));
    const installed = join(folder, 'node_modules/@tidemark/sdk');
    mkdirSync(installed, { recursive: true });
    copyFileSync(join(PACKAGE, 'package.json'), join(installed, 'package.json'));
    const to = ['--outDir', join(installed, 'dist'), '--tsBuildInfoFile', join(folder, 'build')];
    await run(TSC, ['-p', PACKAGE, ...to]);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'use.ts'), CONSUMER);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('loads in Node without any other package', async () => {
    const source = `import { Tidemark } from '@tidemark/sdk'; console.log(typeof new Tidemark('service_secret').crawl.start)`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source], { cwd: folder });
    expect(stdout).toBe('function\n');
  });

  it('has types that compile under strict options, and refuses what the contract does not have', async () => {
    const strict = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--ignoreConfig',
    ];
    const args = [
      ...strict,
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom,dom.asynciterable',
      'use.ts',
    ];
    const result = await run(TSC, args, { cwd: folder }).catch((error: unknown) => error);
    expect(result).toMatchObject({ stdout: '' });
    expect(result).not.toHaveProperty('code');
  });
});
