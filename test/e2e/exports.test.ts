import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Project, RunEnvelope } from '@tidemark/api';
import { DATASETS } from '@tidemark/datasets';
import { unzipSync } from 'fflate';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let workspace: Workspace;
let project: Project;
/** Two runs; the fee changes between them. */
let second: RunEnvelope;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  const config = { fields: { heading: { selector: 'h1' }, amounts: { selector: 'td', many: true } } };
  project = await makeProject(workspace.writer, { seed: `${site.origin}/`, config });
  await runToEnd(workspace.writer, project.id);
  site.fee = 14;
  second = await runToEnd(workspace.writer, project.id);
  await recordOf(workspace.reader, project.id, second.id);
}, 120_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

interface File {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function download(path: string, init: RequestInit = {}): Promise<File> {
  const { key, url } = workspace.reader;
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity', ...init.headers };
  const response = await fetch(`${url}/v1${path}`, { ...init, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
const ofProject = (query: string, init?: RequestInit) => download(`/projects/${project.id}/export?${query}`, init);
const linesOf = ({ bytes }: File): Record<string, unknown>[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const pathsOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ url }) => new URL(String(url)).pathname);

describe('GET /projects/{id}/export', () => {
  test('downloads every page of the latest run with all columns of the dataset, and states their number', async () => {
    const file = await ofProject('dataset=pages');
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('application/x-ndjson');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="pages-${second.id}.jsonl"`);
    const rows = linesOf(file);
    expect(Object.keys(rows[0] ?? {})).toEqual(DATASETS[0]?.columns.map(({ name }) => name));
    expect([file.headers.get('export-rows'), file.headers.get('export-complete')]).toEqual([
      String(rows.length),
      'true',
    ]);
    const { body } = await workspace.reader.get(`/projects/${project.id}/pages`);
    const { data } = body as { data: { url: string }[] };
    expect(rows.map(({ url }) => url)).toEqual(data.map(({ url }) => url));
  });

  test('downloads chosen columns of matching pages as CSV, and continues behind a row without a header', async () => {
    const query = 'dataset=pages&format=csv&fields=number,httpStatus,url&q=status%3A200';
    const [header = '', ...lines] = (await ofProject(query)).bytes.toString().trimEnd().split('\r\n');
    expect(header).toBe('"number","httpStatus","url"');
    expect(lines.length).toBeGreaterThan(2);
    const [number = ''] = /\d+/.exec(lines[0] ?? '') ?? [];
    const rest = await ofProject(`${query}&after=${number}`);
    expect(rest.bytes.toString().trimEnd().split('\r\n')).toEqual(lines.slice(1));
  });

  test('downloads the entries of the change record', async () => {
    const rows = linesOf(await ofProject('dataset=changes'));
    expect(rows).toContainEqual(
      expect.objectContaining({ runId: second.id, kind: 'modified', url: `${site.origin}/prices` }),
    );
  });

  test('downloads one column per configured field', async () => {
    const rows = linesOf(await ofProject('dataset=fields'));
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual(['amounts', 'crawledAt', 'heading', 'runId', 'url']);
    expect(rows.some(({ heading }) => typeof heading === 'string')).toBe(true);
  });

  test('writes llms.txt with a section per folder, and llms-full.txt with the content of every page', async () => {
    const llms = (await ofProject('dataset=llms')).bytes.toString();
    expect(llms).toMatch(/^# The harbour\n/);
    expect(llms).toContain(`](${site.origin}/prices)`);
    const full = (await ofProject('dataset=llms-full')).bytes.toString();
    expect(full).toMatch(/^# The harbour\n/);
    expect(full).toContain(`Source: ${site.origin}/prices`);
  });

  test('downloads the URLs of the stored sitemap tree', async () => {
    await workspace.writer.post(`/projects/${project.id}/discovery`, {});
    const rows = await until('the first snapshot', async () => {
      const file = await ofProject('dataset=sitemap');
      return file.status === 200 && file.bytes.length > 0 ? linesOf(file) : undefined;
    });
    expect(Object.keys(rows[0] ?? {})).toEqual([
      'snapshotId',
      'url',
      'lastmod',
      'changefreq',
      'source',
      'file',
      'section',
    ]);
  });

  test('writes Parquet, workbooks and archives of markdown', async () => {
    expect((await ofProject('dataset=pages&format=parquet')).bytes.subarray(0, 4).toString()).toBe('PAR1');
    expect(Object.keys(unzipSync((await ofProject('dataset=pages&format=xlsx')).bytes))).toContain(
      'xl/worksheets/sheet1.xml',
    );
    const names = Object.keys(unzipSync((await ofProject('dataset=markdown&format=zip')).bytes));
    expect(names.some((name) => name.endsWith('/prices.md'))).toBe(true);
  });

  test('compresses the transfer as Accept-Encoding allows, and the file where compression is requested', async () => {
    const plain = (await ofProject('dataset=markdown')).bytes;
    const transfer = await ofProject('dataset=markdown', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
    expect(transfer.headers.get('content-encoding')).toBe('gzip');
    expect(transfer.bytes).toEqual(plain);
    const zstd = await ofProject('dataset=markdown&compression=zstd', { headers: { 'accept-encoding': 'gzip' } });
    expect([zstd.headers.get('content-encoding'), zstd.headers.get('content-type')]).toEqual([
      null,
      'application/zstd',
    ]);
    expect(zstdDecompressSync(zstd.bytes)).toEqual(plain);
    const gzip = await ofProject('dataset=markdown&compression=gzip');
    expect(gzip.headers.get('content-disposition')).toContain('.jsonl.gz"');
    expect(gunzipSync(gzip.bytes)).toEqual(plain);
  });

  test.each([
    ['dataset=pages&fields=url,colour', 422, 'there is no column colour; the columns are runId, id, number'],
    ['dataset=pages&format=zip', 422, 'the dataset pages has no format zip; expected one of jsonl, csv'],
    ['dataset=changes&q=status%3A200', 422, 'q is not supported for the dataset changes'],
    ['dataset=pages&q=status%3A', 422, ''],
    ['dataset=pages&run_id=run_01j5xq2w8se6fa7t0a6q1n3k2m', 404, 'run not found'],
  ])('rejects %s with %d before the first byte and states what was expected', async (query, status, reason) => {
    const file = await ofProject(query);
    expect(file.status).toBe(status);
    expect(JSON.parse(file.bytes.toString()).error).toContain(reason);
  });
});

describe('POST /projects/{id}/export', () => {
  const post = (body: object) =>
    ofProject('', { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  test('downloads the listed pages in their order and counts the URLs that the run does not have', async () => {
    const urls = ['/prices', '/nowhere', '/'].map((path) => `${site.origin}${path}`);
    const file = await post({ dataset: 'pages', urls });
    expect(pathsOf(linesOf(file))).toEqual(['/prices', '/']);
    expect(file.headers.get('export-unknown-urls')).toBe('1');
    const llms = (await post({ dataset: 'llms', urls })).bytes.toString();
    expect(llms.match(/^- /gm)).toHaveLength(2);
  });

  test('restricts every dataset of the catalogue to the listed URLs', async () => {
    const everything = linesOf(await ofProject('dataset=changes'));
    const [changed = ''] = everything.map(({ url }) => String(url));
    const changes = await post({ dataset: 'changes', urls: [`${changed}#part`, `${site.origin}/nowhere`] });
    expect([changes.status, changes.headers.get('export-unknown-urls')]).toEqual([200, null]);
    expect(linesOf(changes)).toEqual(everything.filter(({ url }) => url === changed));
    expect(linesOf(await post({ dataset: 'changes', urls: [`${site.origin}/nowhere`] }))).toEqual([]);
    await workspace.writer.post(`/projects/${project.id}/discovery`, {});
    await until('the discovery', async () => (await ofProject('dataset=sitemap')).status === 200);
    const listed = linesOf(await ofProject('dataset=sitemap'));
    const [first] = listed;
    expect(listed.length).toBeGreaterThan(1);
    expect(linesOf(await post({ dataset: 'sitemap', urls: [String(first?.['url'])] }))).toEqual([first]);
    for (const { name } of DATASETS) {
      const file = await post({ dataset: name, urls: [changed] });
      expect([name, file.status]).toEqual([name, 200]);
    }
  });
});

describe('GET /crawl/{id}/export', () => {
  test('downloads the pages and the markdown of a crawl without a project', async () => {
    const started = await workspace.writer.post('/crawl', { url: `${site.origin}/`, limit: 3 });
    const { id } = started.body as { id: string };
    const isDone = async () =>
      ((await workspace.reader.get(`/crawl/${id}`)).body as { status: string }).status === 'done';
    await until('the end of the crawl', isDone);
    const rows = linesOf(await download(`/crawl/${id}/export?dataset=pages`));
    expect(rows).toHaveLength(3);
    expect(linesOf(await download(`/crawl/${id}/export?dataset=markdown`)).length).toBeGreaterThan(0);
    expect((await download(`/crawl/${id}/export?dataset=changes`)).status).toBe(422);
  });
});

describe('GET /crawl/{id}/export?dataset=evidence', () => {
  test('downloads a web archive with the request, the response as received and a receipt of each page', async () => {
    const scrapeOptions = { formats: ['markdown', 'rawHtml'] };
    const started = await workspace.writer.post('/crawl', { url: `${site.origin}/`, limit: 2, scrapeOptions });
    const { id } = started.body as { id: string };
    const isDone = async () =>
      ((await workspace.reader.get(`/crawl/${id}`)).body as { status: string }).status === 'done';
    await until('the end of the crawl', isDone);
    const file = await download(`/crawl/${id}/export?dataset=evidence&format=warc`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect([file.headers.get('content-type'), file.headers.get('content-encoding')]).toEqual([
      'application/warc',
      null,
    ]);
    const text = gunzipSync(file.bytes).toString();
    expect(text.match(/^WARC-Type: \w+/gm)).toEqual([
      'WARC-Type: warcinfo',
      ...['response', 'request', 'metadata', 'response', 'request', 'metadata'].map((type) => `WARC-Type: ${type}`),
    ]);
    expect(text).toContain('HTTP/1.1 200 OK\r\n');
    expect(text).toContain('content-type: text/html; charset=utf-8\r\n');
    expect(text).toContain(`GET / HTTP/1.1\r\nhost: ${new URL(site.origin).host}\r\n`);
    expect(text).toContain('"kind": "exact"');
    const { bytes } = await download(`/crawl/${id}/export?dataset=evidence`);
    expect(Object.keys(unzipSync(bytes))).toContain('datapackage.json');
  });
});

describe('GET /exports', () => {
  test('lists every dataset with its columns, formats and key', async () => {
    const { body } = await workspace.reader.get('/exports');
    const { data } = body as { data: { name: string; columns: object[] }[] };
    expect(data.map(({ name }) => name)).toEqual([
      'pages',
      'markdown',
      'changes',
      'fields',
      'sitemap',
      'llms',
      'llms-full',
      'evidence',
    ]);
    expect(data[0]?.columns[0]).toEqual({
      name: 'runId',
      type: 'text',
      nullable: false,
      description: expect.any(String),
    });
  });
});
