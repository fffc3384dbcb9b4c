import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type DatasetColumn as Column, column, nullable, type DatasetRow as Row } from '@tidemark/datasets';
import { until } from '@tidemark/testkit';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compress } from './compress.ts';
import { FORMATS, type TableOptions } from './encode-table.ts';

const COLUMNS: readonly Column[] = [
  column('url', 'text', ''),
  nullable('status', 'int', ''),
  nullable('bytes', 'int64', ''),
  nullable('share', 'double', ''),
  nullable('ok', 'bool', ''),
  nullable('at', 'time', ''),
  nullable('tags', 'list', ''),
  nullable('extra', 'json', ''),
];
const OPTIONS: TableOptions = {
  columns: COLUMNS,
  csv: { guard: true, bom: false, delimiter: ',' },
  isContinued: false,
};
const ROW: Row = {
  url: 'https://a.example/ü?a="b"',
  status: 200,
  bytes: 9_007_199_254_740_991,
  share: 0.25,
  ok: true,
  at: '2026-03-04T05:06:07.000Z',
  tags: ['a', 'b,c'],
  extra: { price: 1.5, names: ['x'] },
};
const EMPTY: Row = { url: '', status: null };

async function* batchesOf(...batches: (readonly Row[])[]): AsyncGenerator<readonly Row[]> {
  yield* batches;
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

const encode = (format: keyof typeof FORMATS, rows: readonly Row[], options = OPTIONS) =>
  bytesOf(FORMATS[format].encode(batchesOf(rows.slice(0, 1), rows.slice(1)), options));

/** Characters that break encoders: quotes, line ends, controls, lone surrogates, a byte order mark. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        "'",
        ',',
        ';',
        '\r',
        '\n',
        '\t',
        '\\',
        '\u0001',
        '\u001f',
        '\uFEFF',
        '=',
        '+',
        '-',
        '@',
        '_x0041_',
        'é',
        '漢',
        '😀',
        '<',
        '&',
        '\\N',
        'NULL',
      ),
      fc.string({ unit: 'grapheme' }),
    ),
  )
  .map((parts) => parts.join(''));

describe('the file formats', () => {
  test('JSON Lines hold one object per line with every column, nested values included', async () => {
    const lines = (await encode('jsonl', [ROW, EMPTY])).toString().trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual(ROW);
    expect(Object.keys(JSON.parse(lines[1] ?? ''))).toEqual(COLUMNS.map(({ name }) => name));
  });

  test('CSV has a header, CRLF line ends, quoted texts, unquoted nulls and JSON for nested values', async () => {
    expect((await encode('csv', [ROW, EMPTY])).toString()).toBe(
      [
        '"url","status","bytes","share","ok","at","tags","extra"',
        '"https://a.example/ü?a=""b""","200","9007199254740991","0.25","true","2026-03-04T05:06:07.000Z","[""a"",""b,c""]","{""price"":1.5,""names"":[""x""]}"',
        '"",,,,,,,',
        '',
      ].join('\r\n'),
    );
  });

  test.each([
    ['=1+1', "'=1+1"],
    [' =1+1', "' =1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['＝1+1', "'＝1+1"],
    ['-5', '-5'],
    ['+49.5', '+49.5'],
    ['-5+cmd', "'-5+cmd"],
    ['a=1', 'a=1'],
  ])('the CSV guard changes the cell %j to %j, and guard off leaves it', async (cell, guarded) => {
    const options = { ...OPTIONS, columns: COLUMNS.slice(0, 1), isContinued: true };
    expect((await encode('csv', [{ url: cell }], options)).toString()).toBe(`"${guarded}"\r\n`);
    const off = { ...options, csv: { ...options.csv, guard: false } };
    expect((await encode('csv', [{ url: cell }], off)).toString()).toBe(`"${cell}"\r\n`);
  });

  test('Parquet keeps the types of the columns and nested values, over several groups', async () => {
    const rows = Array.from({ length: 25_000 }, (_, index) => ({ ...ROW, status: index }));
    const file = await encode('parquet', rows);
    const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    if (!(buffer instanceof ArrayBuffer)) throw new Error('no ArrayBuffer');
    const metadata = parquetMetadata(buffer);
    expect(metadata.num_rows).toBe(25_000n);
    expect(metadata.row_groups.length).toBeGreaterThan(1);
    const read = await parquetReadObjects({
      file: buffer,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
      rowStart: 24_999,
    });
    expect(read).toEqual([
      { ...ROW, status: 24_999, bytes: 9_007_199_254_740_991n, at: new Date('2026-03-04T05:06:07.000Z') },
    ]);
  });

  test('a Parquet file without rows has the schema', async () => {
    const file = await encode('parquet', []);
    const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    if (!(buffer instanceof ArrayBuffer)) throw new Error('no ArrayBuffer');
    const { num_rows, schema } = parquetMetadata(buffer);
    expect({ num_rows, columns: schema[0]?.num_children }).toEqual({ num_rows: 0n, columns: COLUMNS.length });
  });

  test('a workbook has typed cells', async () => {
    const parts = unzipSync(await encode('xlsx', [ROW]));
    const sheet = Buffer.from(parts['xl/worksheets/sheet1.xml'] ?? []).toString();
    expect(sheet).toContain('<c><v>200</v></c>');
    expect(sheet).toContain('<c t="b"><v>1</v></c>');
    expect(sheet).toContain(`<c s="1"><v>${Date.parse('2026-03-04T05:06:07.000Z') / 86_400_000 + 25_569}</v></c>`);
    expect(Object.keys(parts)).toContain('[Content_Types].xml');
    expect(Buffer.from(parts['xl/workbook.xml'] ?? []).toString()).not.toContain('Cut cells');
  });

  test('a text that exceeds a cell of a workbook ends with a note of its length, and a last sheet lists the cell', async () => {
    const long = '😀'.repeat(20_000);
    const parts = unzipSync(await encode('xlsx', [ROW, { ...EMPTY, url: long }]));
    const sheetOf = (number: number) => Buffer.from(parts[`xl/worksheets/sheet${number}.xml`] ?? []).toString();
    const [, cell = ''] = /<t xml:space="preserve">(😀[^<]*)</.exec(sheetOf(1)) ?? [];
    expect(cell.length).toBeLessThanOrEqual(32_767);
    expect(cell.length).toBeGreaterThan(32_760);
    expect(cell).toMatch(
      /😀… \[cut: a cell holds 32767 of these 40000 characters; jsonl, csv and parquet hold all\]$/u,
    );
    const texts = [...sheetOf(2).matchAll(/<(?:t xml:space="preserve"|v)>([^<]*)</g)].map(([, text]) => text);
    expect(texts).toEqual(['sheet', 'row', 'column', 'characters', 'Sheet', '3', 'url', '40000']);
    expect(Buffer.from(parts['xl/workbook.xml'] ?? []).toString()).toContain('<sheet name="Cut cells" sheetId="2"');
  });

  test('the archive of markdown has one file per page with front matter, at a safe and distinct path', async () => {
    const rows = [
      { url: 'https://a.example/', title: 'Home', markdown: '# Home' },
      { url: 'https://a.example/docs/Intro', title: 'A: "b"', markdown: 'one' },
      { url: 'https://a.example/docs/intro', title: null, markdown: 'two' },
      { url: 'https://a.example/%2e%2e/%2e%2e/etc/passwd', title: null, markdown: 'three' },
      { url: 'https://a.example/con.txt?a=/../..', title: null, markdown: 'four' },
    ];
    const files = unzipSync(await encode('zip', rows));
    const names = Object.keys(files);
    expect(names).toHaveLength(5);
    expect(names.slice(0, 2)).toEqual(['a.example/index.md', 'a.example/docs/Intro.md']);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5);
    for (const name of names) expect(name).not.toMatch(/(^|\/)\.\.?(\/|$)|\\|^\//);
    expect(Buffer.from(files['a.example/docs/Intro.md'] ?? []).toString()).toBe(
      '---\nurl: "https://a.example/docs/Intro"\ntitle: "A: \\"b\\""\n---\n\none\n',
    );
  });

  test('compressed files are one gzip member or one zstd frame', async () => {
    const rows = Array.from({ length: 3_000 }, () => ROW);
    const plain = await encode('jsonl', rows);
    const source = () => FORMATS.jsonl.encode(batchesOf(...rows.map((row) => [row])), OPTIONS);
    expect(gunzipSync(await bytesOf(compress(source(), 'gzip')))).toEqual(plain);
    expect(zstdDecompressSync(await bytesOf(compress(source(), 'zstd')))).toEqual(plain);
  });

  test.each(['jsonl', 'csv', 'parquet', 'xlsx', 'zip'] as const)(
    'a failure of the source ends a %s file with that error',
    async (format) => {
      async function* failing(): AsyncGenerator<readonly Row[]> {
        yield [{ ...ROW, markdown: 'a' }];
        throw new Error('the source failed');
      }
      await expect(bytesOf(compress(FORMATS[format].encode(failing(), OPTIONS), 'gzip'))).rejects.toThrow(
        'the source failed',
      );
    },
  );

  test.each(['jsonl', 'parquet', 'xlsx', 'zip'] as const)(
    'a reader that stops early ends the source of a %s file',
    async (format) => {
      let isEnded = false;
      async function* endless(): AsyncGenerator<readonly Row[]> {
        try {
          for (let index = 0; ; index += 1)
            yield Array.from({ length: 500 }, (_, row) => ({
              ...ROW,
              url: `https://a.example/${index}/${row}`,
              markdown: 'm'.repeat(1_000),
            }));
        } finally {
          isEnded = true;
        }
      }
      for await (const chunk of FORMATS[format].encode(endless(), OPTIONS)) if (chunk.length > 0) break;
      await until('the end of the source', () => isEnded);
    },
  );

  test('any texts survive CSV without the guard and Parquet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileText, { minLength: 1, maxLength: 20 }), async (texts) => {
        const columns = COLUMNS.slice(0, 1);
        const options = { ...OPTIONS, columns, isContinued: true, csv: { ...OPTIONS.csv, guard: false } };
        const rows = texts.map((url) => ({ url }));
        expect(parseCsv((await encode('csv', rows, options)).toString())).toEqual(
          texts.map((text) => text.toWellFormed()),
        );
        const file = await encode('parquet', rows, options);
        const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
        if (!(buffer instanceof ArrayBuffer)) throw new Error('no ArrayBuffer');
        const read = await parquetReadObjects({
          file: buffer,
          compressors: { ZSTD: (input) => zstdDecompressSync(input) },
        });
        // The reader decodes with TextDecoder, which drops a byte order mark at the start.
        expect(read.map(({ url }) => url)).toEqual(texts.map((text) => text.toWellFormed().replace(/^\uFEFF/, '')));
      }),
      { numRuns: 15 },
    );
  });
});

/** A reader of RFC 4180 for one quoted column. */
function parseCsv(text: string): string[] {
  return [...text.matchAll(/"((?:[^"]|"")*)"\r\n/gy)].map(([, cell]) => (cell ?? '').replaceAll('""', '"'));
}
