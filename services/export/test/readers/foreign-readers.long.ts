import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Compression, column, nullable, type DatasetRow as Row } from '@tidemark/datasets';
import { messageOf } from '@tidemark/errors';
import { needs } from '@tidemark/testkit/needs';
import fc from 'fast-check';
import { npmPackage } from '../../../../deploy/local/npm-program.ts';
import { runToEnd } from '../../../../deploy/local/programs.ts';
import { storableText } from '../../src/destinations/storable.ts';
import { compress } from '../../src/formats/compress.ts';
import { FORMATS } from '../../src/formats/encode-table.ts';
import { batchesOf, bytesOf, everyKind } from '../evidence-pages.ts';
import { pythonWith } from './python.ts';

const COLUMNS = [
  column('id', 'int', ''),
  nullable('text', 'text', ''),
  nullable('ok', 'bool', ''),
  nullable('at', 'time', ''),
  nullable('extra', 'json', ''),
];
const ROWS = 2_000;
const READ_MS = 120_000;

const dir = mkdtempSync(join(tmpdir(), 'tm-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const rowsOf = (texts: readonly string[]): Row[] =>
  texts.map((text, id) => ({ id, text, ok: id % 2 === 0, at: '2026-03-04T05:06:07.000Z', extra: { price: 1.5 } }));

/** Texts that break readers. Without U+FEFF at the start, which DuckDB drops. */
const hostile = fc.sample(
  fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '"',
      '""',
      ',',
      '\r\n',
      '\n',
      '\t',
      '\\',
      '\\N',
      'NULL',
      'nan',
      '=1+1',
      "'",
      '漢',
      '😀',
      'a\uFEFF',
    ),
    fc.string({ unit: 'grapheme', maxLength: 50 }).map((text) => storableText(text).replace(/^\uFEFF+/, '')),
  ),
  { numRuns: ROWS, seed: 11 },
);
const plain = fc.sample(
  fc.string({ unit: 'grapheme-ascii', maxLength: 50 }).map((text) => text.replace(/_x[\da-f]{4}_/gi, '')),
  { numRuns: ROWS, seed: 12 },
);

async function write(
  name: string,
  format: keyof typeof FORMATS,
  how: { rows: Row[]; compression?: Compression },
): Promise<void> {
  const options = { columns: COLUMNS, csv: { guard: false, bom: false, delimiter: ',' }, isContinued: false } as const;
  const encoded = FORMATS[format].encode(batchesOf(how.rows.slice(0, 700), how.rows.slice(700)), options);
  writeFileSync(join(dir, name), await bytesOf(compress(encoded, how.compression ?? 'none')));
}

await write('rows.jsonl', 'jsonl', { rows: rowsOf(hostile) });
await write('rows.jsonl.gz', 'jsonl', { rows: rowsOf(hostile), compression: 'gzip' });
await write('rows.jsonl.zst', 'jsonl', { rows: rowsOf(hostile), compression: 'zstd' });
await write('rows.csv', 'csv', { rows: rowsOf(hostile) });
await write('rows.parquet', 'parquet', { rows: rowsOf(hostile) });
await write('plain.xlsx', 'xlsx', { rows: rowsOf(plain) });
await write('run.warc.gz', 'warc', { rows: everyKind() });
await write('run.wacz', 'wacz', { rows: everyKind() });
const pages = hostile.map((text, id): Row => ({ url: `https://a.example/${id}`, title: text, markdown: text }));
await write('pages.zip', 'zip', { rows: pages });

/** Returns what a reader found; undefined, with the reason on the console, where there is no such reader. */
async function available(name: string, start: () => Promise<string>): Promise<string | undefined> {
  try {
    return await start();
  } catch (error) {
    process.stderr.write(`${name} is absent: ${messageOf(error)}\n`);
    return undefined;
  }
}
const run = (...command: [string, ...string[]]) => runToEnd(command, { cwd: dir, withinMs: READ_MS });

const python = await available('Python with duckdb, pandas and openpyxl', () =>
  pythonWith('duckdb', 'pandas', 'openpyxl'),
);
needs('foreign-reader', python !== undefined, () =>
  describe('Python', () => {
    let found: Record<string, unknown> = {};
    beforeAll(async () => {
      await run('unzip', '-o', '-q', '-j', 'run.wacz', 'indexes/index.cdx');
      found = JSON.parse(await run(python ?? '', join(import.meta.dirname, 'read-files.py'), dir));
    }, READ_MS);
    const expected = hostile.map((text, id) => [id, text]);

    test.each(['rows.jsonl', 'rows.jsonl.gz', 'rows.jsonl.zst', 'rows.csv', 'rows.parquet'])(
      'with DuckDB reads every text of %s',
      (name) => {
        expect(found[`duckdb ${name}`]).toEqual(expected);
      },
    );

    test('with DuckDB sees the types and values of Parquet', () => {
      expect(found['duckdb types']).toMatchObject({ id: 'INTEGER', text: 'VARCHAR', ok: 'BOOLEAN', extra: 'JSON' });
      expect(found['duckdb values']).toEqual([[true, expect.stringContaining('2026-03-04 05:06:07'), '1.5']]);
    });

    test.each(['rows.jsonl', 'rows.jsonl.gz', 'rows.csv'])('with pandas reads every text of %s', (name) => {
      expect(found[`pandas ${name}`]).toEqual(expected);
    });

    test('with openpyxl reads every cell of XLSX', () => {
      expect(found['openpyxl header']).toEqual(COLUMNS.map(({ name }) => name));
      expect(found['openpyxl rows']).toEqual(plain.map((text, id) => [id, text, id % 2 === 0]));
    });
  }),
);

const sqlite = await available('sqlite3', () =>
  run(
    'sqlite3',
    ':memory:',
    '.import --csv rows.csv rows',
    'SELECT count(*), sum(length(text)), count(DISTINCT id) FROM rows',
  ),
);
needs('foreign-reader', sqlite !== undefined, () =>
  test('sqlite3 imports every row of CSV', () => {
    const chars = hostile.reduce((sum, text) => sum + [...text].length, 0);
    expect(sqlite?.trim()).toBe(`${ROWS}|${chars}|${ROWS}`);
  }),
);

const unzip = await available('unzip', () => run('unzip', '-v'));
needs('foreign-reader', unzip !== undefined, () =>
  test.each(['pages.zip', 'plain.xlsx', 'run.wacz'])('unzip finds no error in %s', async (name) => {
    expect(await run('unzip', '-t', name)).toContain('No errors detected');
  }),
);

const warcio = await available('warcio', () => npmPackage('warcio', '2.4.11'));
needs('foreign-reader', warcio !== undefined, () => {
  const cli = join(warcio ?? '', 'node_modules/warcio/dist/cli.js');
  const warc = (...args: string[]) => run(process.execPath, cli, ...args);

  test('warcio indexes every record of the WARC file', async () => {
    const lines = (await warc('index', 'run.warc.gz', '--fields', 'warc-type,warc-target-uri')).trim().split('\n');
    const types = lines.map((line) => JSON.parse(line)['warc-type']);
    expect(types).toEqual([
      'warcinfo',
      'response',
      'request',
      'metadata',
      'resource',
      'metadata',
      'resource',
      'metadata',
      'resource',
      'revisit',
      'request',
      'metadata',
      'conversion',
      'metadata',
      'metadata',
    ]);
  });

  test('warcio computes the index that the WACZ file has', async () => {
    const lines = (await warc('cdx-index', 'run.warc.gz', '--format', 'cdxj')).trim().split('\n');
    const places = lines.map((line) => JSON.parse(line.replace(/^\S+ \d{14} /, '')));
    await run('unzip', '-o', '-q', '-j', 'run.wacz', 'indexes/index.cdx');
    const own = readFileSync(join(dir, 'index.cdx'), 'utf8').trimEnd().split('\n');
    const [response] = own
      .filter((line) => line.includes('/1?b=c'))
      .map((line) => JSON.parse(line.replace(/^\S+ \d{14} /, '')));
    expect(places.find(({ url }) => url === response.url)).toMatchObject({
      status: response.status,
      mime: response.mime,
      offset: response.offset,
      length: response.length,
    });
  });
});
