import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { unzipSync } from 'fflate';
import { surtKey } from '../src/formats/warc/surt-key.ts';
import { encodeWacz } from '../src/formats/warc/wacz-file.ts';
import { encodeWarc } from '../src/formats/warc/warc-file.ts';
import { batchesOf, bytesOf, everyKind, evidenceRow, HTML } from './evidence-pages.ts';
import { type ReadRecord, readWarc } from './read-warc.ts';

const typesOf = (records: readonly ReadRecord[]) => records.map(({ headers }) => headers['WARC-Type']);
const receiptsOf = (records: readonly ReadRecord[]) =>
  records.filter(({ headers }) => headers['WARC-Type'] === 'metadata').map(({ block }) => JSON.parse(block.toString()));

describe('the WARC file of a run', () => {
  test('has a response with the received bytes, its request and a receipt of each page', async () => {
    const records = readWarc(await bytesOf(encodeWarc(batchesOf([evidenceRow(1)]))));
    expect(typesOf(records)).toEqual(['warcinfo', 'response', 'request', 'metadata']);
    const [, response, request] = records;
    expect(response?.headers).toMatchObject({
      'WARC-Target-URI': 'https://www.a.example/1?b=c',
      'WARC-Date': '2026-03-04T05:06:07.890Z',
      'Content-Type': 'application/http; msgtype=response',
      'WARC-Payload-Digest': `sha256:${createHash('sha256').update(HTML).digest('hex')}`,
    });
    const [head = '', body] = String(response?.block).split('\r\n\r\n');
    expect([head.split('\r\n'), body]).toEqual([
      [
        'HTTP/1.1 200 OK',
        'content-type: text/html; charset=utf-8',
        'x-archive-orig-content-encoding: gzip',
        'set-cookie: sid=***; Path=/',
        `content-length: ${Buffer.byteLength(HTML)}`,
      ],
      HTML,
    ]);
    expect(String(request?.block)).toBe('GET /1?b=c HTTP/1.1\r\nhost: www.a.example\r\naccept: */*\r\n\r\n');
    expect(request?.headers['WARC-Concurrent-To']).toBe(response?.headers['WARC-Record-ID']);
    expect(receiptsOf(records)).toMatchObject([
      {
        url: 'https://www.a.example/1?b=c',
        capturedAt: '2026-03-04T05:06:07.890Z',
        verdict: 'ok',
        engine: { method: 'http', tier: 'http', exit: null },
        received: { status: 200, sha256: createHash('sha256').update(HTML).digest('hex') },
        stored: { kind: 'exact', bytes: Buffer.byteLength(HTML) },
      },
    ]);
  });

  test('has no response record for bytes that are not those the server sent', async () => {
    const records = readWarc(await bytesOf(encodeWarc(batchesOf(everyKind()))));
    expect(typesOf(records)).toEqual([
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
    expect(receiptsOf(records).map(({ stored, verdict }) => [stored.kind, verdict])).toEqual([
      ['exact', 'ok'],
      ['decoded', 'ok'],
      ['rendered', 'ok'],
      ['decoded', 'ok'],
      ['markdown', 'ok'],
      ['none', 'robots'],
    ]);
    const ids = records.map(({ headers }) => headers['WARC-Record-ID']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      ids.every((id) => /^<urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}>$/.test(id ?? '')),
    ).toBe(true);
  });

  test('of the same pages has the same bytes', async () => {
    const encode = () => bytesOf(encodeWarc(batchesOf(everyKind())));
    expect(Buffer.compare(await encode(), await encode())).toBe(0);
  });

  test('cannot be broken out of by a header with line ends', async () => {
    const row = evidenceRow(1, { row: { url: 'https://a.example/\r\nWARC-Type: x' }, exchange: { statusText: 'OK' } });
    expect(typesOf(readWarc(await bytesOf(encodeWarc(batchesOf([row])))))).toEqual([
      'warcinfo',
      'response',
      'request',
      'metadata',
    ]);
  });
});

describe('the WACZ file of a run', () => {
  test('has an index whose places lead to the records, the pages, and the hashes of its files', async () => {
    const files = unzipSync(await bytesOf(encodeWacz(batchesOf(everyKind().slice(0, 3), everyKind().slice(3)))));
    expect(Object.keys(files)).toEqual([
      'archive/data.warc.gz',
      'indexes/index.cdx',
      'pages/pages.jsonl',
      'datapackage.json',
      'datapackage-digest.json',
    ]);
    const textOf = (name: string) => Buffer.from(files[name] ?? []).toString();
    const lines = textOf('indexes/index.cdx').trimEnd().split('\n');
    expect([lines.length, [...lines].sort()]).toEqual([5, lines]);
    for (const line of lines) {
      const [key = '', time = '', json = ''] = line.split(/ (\d{14}) /);
      const { url, offset, length } = JSON.parse(json);
      expect([key, time]).toEqual([surtKey(url), '20260304050607']);
      const member = Buffer.from(files['archive/data.warc.gz'] ?? []).subarray(
        Number(offset),
        Number(offset) + Number(length),
      );
      expect(gunzipSync(member).toString()).toContain(`WARC-Target-URI: ${url}\r\n`);
    }
    const pages = textOf('pages/pages.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([pages[0].format, pages.length]).toEqual(['json-pages-1.0', 6]);
    const { resources } = JSON.parse(textOf('datapackage.json'));
    for (const { path, hash, bytes } of resources) {
      const file = files[path] ?? new Uint8Array();
      expect([hash, bytes]).toEqual([`sha256:${createHash('sha256').update(file).digest('hex')}`, file.length]);
    }
    const digest = createHash('sha256').update(textOf('datapackage.json')).digest('hex');
    expect(JSON.parse(textOf('datapackage-digest.json'))).toEqual({
      path: 'datapackage.json',
      hash: `sha256:${digest}`,
    });
  });

  test.each([
    ['https://www.Example.com:8080/A/b?C=d', 'com,example:8080)/a/b?c=d'],
    ['http://127.0.0.1/', '127.0.0.1)/'],
  ])('sorts %s as %s', (url, key) => {
    expect(surtKey(url)).toBe(key);
  });
});
