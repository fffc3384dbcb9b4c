import { createHash } from 'node:crypto';
import { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import { PageBodies, PageExchange, PageRow } from '@tidemark/contracts/page/v1/page';
import type { DatasetRow as Row } from '@tidemark/datasets';
import { runPage } from '@tidemark/testkit';

export const HTML = '<!doctype html><title>Tides</title><p>Flut über 3 m';
const AT = new Date('2026-03-04T05:06:07.890Z');

interface Given {
  readonly row?: Partial<PageRow>;
  readonly exchange?: Partial<PageExchange> | undefined;
  readonly bodies?: Partial<PageBodies>;
}

/** A row of the dataset `evidence`: by default a page whose received bytes are stored. */
export function evidenceRow(number: number, given: Given = {}): Row {
  const url = `https://www.a.example/${number}?b=c`;
  const received = Buffer.from(given.bodies?.rawHtml ?? HTML);
  const exchange = PageExchange.fromPartial({
    url,
    at: AT,
    httpVersion: '1.1',
    status: 200,
    statusText: 'OK',
    bodyBytes: received.length,
    bodySha256: createHash('sha256').update(received).digest(),
    headers: [
      { name: 'content-type', value: 'text/html; charset=utf-8' },
      { name: 'content-encoding', value: 'gzip' },
      { name: 'set-cookie', value: 'sid=***; Path=/' },
    ],
    requestHeaders: [{ name: 'accept', value: '*/*' }],
    ...given.exchange,
  });
  const row = PageRow.fromPartial({
    id: `cap_${number}`,
    url,
    askedUrl: url,
    httpStatus: 200,
    verdict: 'ok',
    errorCode: 'OK',
    reason: 'read',

    method: 'http',
    tier: 'http',
    title: `Page ${number}`,
    crawledAt: AT,
    exchange,
    ...('exchange' in given && given.exchange === undefined ? { exchange: undefined } : {}),
    ...given.row,
  });
  const bodies = PageBodies.encode(PageBodies.fromPartial({ rawHtml: HTML, markdown: '# Tides', ...given.bodies }));
  const page = ArchivedPage.fromPartial({
    page: { row, bodies: Buffer.from(bodies.finish()) },
    known: runPage({ number }),
  });
  return { runId: 'run_1', page };
}

/** Pages of every kind: received bytes, another charset, rendered, not modified, markdown only, refused. */
export const everyKind = (): Row[] => [
  evidenceRow(1),
  evidenceRow(2, { exchange: { bodySha256: Buffer.alloc(32) } }),
  evidenceRow(3, { exchange: { isRendered: true, requestHeaders: [] } }),
  evidenceRow(4, { exchange: { status: 304, statusText: 'Not Modified' }, row: { httpStatus: 304 } }),
  evidenceRow(5, { bodies: { rawHtml: undefined } }),
  evidenceRow(6, {
    exchange: undefined,
    bodies: { rawHtml: undefined, markdown: undefined },
    row: { verdict: 'robots' },
  }),
];

export async function* batchesOf(...batches: (readonly Row[])[]): AsyncGenerator<readonly Row[]> {
  yield* batches;
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
