import { createHash } from 'node:crypto';
import { textOrEmpty } from '@tidemark/contracts';
import type { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import { PageBodies, type PageExchange, type PageRow } from '@tidemark/contracts/page/v1/page';
import { recordId, sha256Of, type WarcRecord } from './warc-record.ts';

/**
 * What the archive holds of a page. `exact`: the bytes that the server sent, after content decoding. `decoded`: the received document as
 * UTF-8 text. `rendered`: the document after its scripts ran. `markdown`: text that was extracted. `none`: no body was stored.
 */
type Kept = 'exact' | 'decoded' | 'rendered' | 'markdown' | 'none';

/** A page with its records, the main one first. */
export interface PageRecords {
  readonly records: readonly WarcRecord[];
  readonly url: string;
  readonly title: string;
  readonly at: Date;
  readonly status: number;
  readonly mediaType: string;
  readonly digest: string;
}

const HTML = 'text/html; charset=utf-8';
const UNCHANGED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';
/** Headers that describe the transfer and not the stored bytes; they keep their values under another name, as in other archives. */
const TRANSFER = new Set(['content-encoding', 'transfer-encoding', 'content-length', 'connection', 'keep-alive']);

/**
 * Returns the records of a page: a response with its request where the stored bytes are those that the server sent, else a resource or a
 * conversion, and a receipt. @returns undefined for a page that was not fetched and has no body
 */
export function pageRecords({ page }: ArchivedPage, runId: string): PageRecords | undefined {
  const row = page?.row;
  if (page === undefined || row === undefined) return undefined;
  const bodies = PageBodies.decode(page.bodies);
  const { kept, bytes } = keptOf(row, bodies);
  const at = row.exchange?.at ?? row.crawledAt ?? new Date(0);
  const main = mainRecord(row, { kept, bytes, at });
  const receipt = receiptOf(row, { kept, bytes, runId });
  const response = row.exchange?.status === 304 && main.type !== 'revisit' ? [revisitOf(row, row.exchange, at)] : [];
  const answered = [main, ...response].find(({ type }) => type === 'response' || type === 'revisit');
  const request = answered === undefined ? [] : requestRecord(row, answered);
  const concerning = { 'WARC-Target-URI': row.url, 'WARC-Concurrent-To': main.id };
  const metadata: WarcRecord = {
    type: 'metadata',
    id: recordId(row.id, 'receipt'),
    date: at,
    contentType: 'application/json',

    fields: concerning,
    block: Buffer.from(`${JSON.stringify(receipt, undefined, 1)}\n`),
  };
  const isEmpty = main.type === 'metadata';
  return {
    records: isEmpty
      ? [{ ...metadata, fields: { 'WARC-Target-URI': row.url } }]
      : [main, ...response, ...request, metadata],

    url: row.url,
    title: textOrEmpty(row.title),
    at,
    status: row.exchange?.status ?? row.httpStatus,
    mediaType: isEmpty ? '' : mediaTypeOf(row, kept),
    digest: sha256Of(bytes),
  };
}

function keptOf({ exchange }: PageRow, { rawHtml, markdown }: PageBodies): { kept: Kept; bytes: Buffer } {
  if (rawHtml === undefined) {
    const text = textOrEmpty(markdown);
    return { kept: text === '' ? 'none' : 'markdown', bytes: Buffer.from(text) };
  }
  const bytes = Buffer.from(rawHtml);
  if (exchange?.isRendered === true) return { kept: 'rendered', bytes };
  const hash = createHash('sha256').update(bytes).digest();
  const isExact = exchange?.status !== 304 && exchange?.bodySha256.equals(hash) === true;
  return { kept: isExact ? 'exact' : 'decoded', bytes };
}

interface Stored {
  readonly kept: Kept;
  readonly bytes: Buffer;
  readonly at: Date;
}

function mainRecord(row: PageRow, { kept, bytes, at }: Stored): WarcRecord {
  const { exchange } = row;
  const id = recordId(row.id, 'main');
  const target = { 'WARC-Target-URI': row.url };
  const http = { id, date: at, contentType: 'application/http; msgtype=response' };
  if (exchange?.status === 304 && kept === 'none') return revisitOf(row, exchange, at);
  if (exchange !== undefined && kept === 'exact') {
    const fields = { ...target, 'WARC-Payload-Digest': sha256Of(bytes) };
    return { ...http, type: 'response', fields, block: Buffer.concat([responseHead(exchange, bytes.length), bytes]) };
  }
  const plain = { id, date: at, fields: { ...target, 'WARC-Payload-Digest': sha256Of(bytes) }, block: bytes };
  if (kept === 'rendered' || kept === 'decoded') return { ...plain, type: 'resource', contentType: HTML };
  if (kept === 'markdown') return { ...plain, type: 'conversion', contentType: 'text/markdown; charset=utf-8' };
  return { ...plain, type: 'metadata', contentType: 'application/json' };
}

/** The response that the page has not changed since an earlier capture, whose content the archive has. */
const revisitOf = ({ id, url }: PageRow, exchange: PageExchange, at: Date): WarcRecord => ({
  type: 'revisit',
  id: recordId(id, 'revisit'),
  date: at,
  contentType: 'application/http; msgtype=response',

  fields: { 'WARC-Target-URI': url, 'WARC-Profile': UNCHANGED },
  block: responseHead(exchange, undefined),
});

/** The request as it was sent, without the values of credentials. */
function requestRecord({ id, url, exchange }: PageRow, main: WarcRecord): WarcRecord[] {
  const target = URL.parse(url);
  if (exchange === undefined || target === null) return [];
  const lines = [
    `GET ${target.pathname}${target.search} HTTP/1.1`,
    `host: ${target.host}`,
    ...exchange.requestHeaders.map(({ name, value }) => `${name}: ${value}`),
  ];
  const fields = { 'WARC-Target-URI': url, 'WARC-Concurrent-To': main.id };
  const block = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return [
    {
      type: 'request',
      id: recordId(id, 'request'),
      date: main.date,
      contentType: 'application/http; msgtype=request',
      fields,
      block,
    },
  ];
}

/** Status line and headers. Stored bytes are decoded, so that headers of the transfer are renamed and the length is that of the bytes. */
function responseHead({ httpVersion, status, statusText, headers }: PageExchange, length: number | undefined): Buffer {
  const lines = headers.map(({ name, value }) =>
    length !== undefined && TRANSFER.has(name.toLowerCase()) ? `x-archive-orig-${name}: ${value}` : `${name}: ${value}`,
  );
  const own = length === undefined ? [] : [`content-length: ${length}`];
  // HTTP/2 has no status text; the line is written in the form of HTTP/1.1, which readers of WARC expect.
  const line =
    `HTTP/${httpVersion === '' || httpVersion === '2' ? '1.1' : httpVersion} ${status} ${statusText}`.trimEnd();
  return Buffer.from(`${[line, ...lines, ...own].join('\r\n')}\r\n\r\n`, 'latin1');
}

function receiptOf(row: PageRow, { kept, bytes, runId }: { kept: Kept; bytes: Buffer; runId: string }) {
  const { exchange } = row;
  const received =
    exchange === undefined
      ? null
      : {
          url: exchange.url,
          at: exchange.at?.toISOString() ?? null,
          httpVersion: exchange.httpVersion || null,

          status: exchange.status,
          statusText: exchange.statusText,
          headers: exchange.headers,
          headersOmitted: exchange.headersOmitted,

          sha256: exchange.bodySha256.toString('hex'),
          bytes: exchange.bodyBytes,
        };
  return {
    receipt: 1,
    captureId: row.id,
    runId,
    url: row.url,
    askedUrl: row.askedUrl,
    redirects: row.redirects,
    capturedAt: (row.crawledAt ?? new Date(0)).toISOString(),

    verdict: row.verdict,
    errorCode: row.errorCode,
    reason: row.reason,
    engine: { method: row.method || null, tier: row.tier || null, exit: row.exit || null },
    received,
    stored: { kind: kept, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length },
  };
}

function mediaTypeOf({ exchange }: PageRow, kept: Kept): string {
  if (kept === 'markdown') return 'text/markdown';
  const declared = exchange?.headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? 'text/html';
  return (declared.split(';', 1)[0] ?? '').trim() || 'text/html';
}
