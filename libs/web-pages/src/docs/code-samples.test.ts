import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import { codeSamples, SAMPLE_PREAMBLES } from './code-samples.ts';
import { readDocument } from './openapi.ts';
import { renderLlms, renderLlmsFull } from './render-llms.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const SERVER_URL = 'https://api.example/v1';
const document = readDocument(buildOpenApi(Object.values(routes), SERVER_URL));
const operationOf = (id: string) => {
  const found = document.operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
};
const sample = (id: string, language: string): string | undefined =>
  codeSamples(operationOf(id), SERVER_URL).find((one) => one.language === language)?.code;

describe('the code samples of a route', () => {
  it('exist in three languages for every route that a key can call', () => {
    const keyed = Object.values(routes).filter(({ session }) => session?.only !== true);
    expect(keyed.length).toBeGreaterThan(80);
    for (const { id } of keyed)
      expect({ id, samples: codeSamples(operationOf(id), SERVER_URL).length }).toEqual({ id, samples: 3 });
    for (const { id, session } of Object.values(routes))
      if (session?.only === true)
        expect({ id, samples: codeSamples(operationOf(id), SERVER_URL) }).toEqual({ id, samples: [] });
  });

  it('compile against the SDK in TypeScript', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tm-samples-'));
    try {
      mkdirSync(join(folder, 'node_modules/@tidemark'), { recursive: true });
      symlinkSync(join(ROOT, 'packages/sdk'), join(folder, 'node_modules/@tidemark/sdk'));
      const samples = document.operations.map(({ id }) => sample(id, 'TypeScript') ?? '');
      writeFileSync(
        join(folder, 'samples.ts'),
        `${SAMPLE_PREAMBLES.TypeScript}\n${samples.map((code) => `{\n${code}\n}`).join('\n')}\n`,
      );
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const flags = [
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--ignoreConfig',
        '--allowImportingTsExtensions',
        '--customConditions',
        'tidemark-source',
      ];
      const args = [
        ...flags,
        '--module',
        'nodenext',
        '--target',
        'es2022',
        '--lib',
        'es2022,dom,dom.asynciterable',
        'samples.ts',
      ];
      const result = await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: folder }).catch(
        (error: unknown) => error,
      );
      expect(result).toMatchObject({ stdout: '' });
      expect(result).not.toHaveProperty('code');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('call the route with its example values', () => {
    expect(sample('startScrape', 'TypeScript')).toContain(
      'client.call(\'POST /scrape\', {\n  body: {\n    url: "https://example.com/"',
    );
    expect(sample('startScrape', 'Python')).toContain(
      'requests.post(\n    "https://api.example/v1/scrape",\n    headers=HEADERS,\n    json={',
    );
    expect(sample('startScrape', 'Command line')).toBe('tidemark scrape https://example.com/ -f markdown,links');
    expect(sample('getMeta', 'Python')).not.toContain('HEADERS');
    expect(sample('getCrawlPage', 'Command line')).toMatch(/^tidemark api GET \/crawl\/run_\w+\/page url=/);
  });

  it('quote words of the shell, and text that reads as JSON', () => {
    const operation = {
      ...operationOf('testWebhook'),
      body: { schema: {}, example: { name: "it's; rm", version: '12', on: true } },
    };
    const [, , command] = codeSamples(operation, SERVER_URL);
    const words = execFileSync('sh', ['-c', `tidemark() { shift 3; printf '%s\\n' "$@"; }; ${command?.code}`], {
      encoding: 'utf8',
    });
    expect(words).toBe('name=it\'s; rm\nversion="12"\non=true\n');
  });
});

describe('the documentation for language models', () => {
  const index = renderLlms(document);
  const full = renderLlmsFull(document);

  it('links every route in its index, with the complete text first', () => {
    expect(index).toMatch(/^# Tidemark\n\n> .+\n/);
    expect(index).toContain('(https://api.example/llms-full.txt)');
    for (const { id, method, path, tag } of Object.values(routes))
      expect(index).toContain(
        `- [${method.toUpperCase()} /v1${path}](${SERVER_URL}/docs/${tag.toLowerCase().replaceAll(' ', '-')}#${id}): `,
      );
  });

  it('has every route with its scope, parameters, fields, errors and examples', () => {
    for (const operation of document.operations) {
      const start = full.indexOf(`### ${operation.method.toUpperCase()} /v1${operation.path}\n`);
      const text = full.slice(start, full.indexOf('\n### ', start + 1));
      expect(start).toBeGreaterThan(0);
      expect(text).toContain('curl');
      for (const { name } of operation.parameters) expect(text).toContain(`- \`${name}\` (`);
      expect(text).toMatch(/^Errors: .+\.$/m);
    }
    expect(full).toContain('- `url` (string (uri), required)');
  });
});
