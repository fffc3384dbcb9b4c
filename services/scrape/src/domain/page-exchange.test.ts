import { describe, expect, it } from '@jest/globals';
import { toExchange } from './page-exchange.ts';
import type { Fetched } from './ports.ts';

const AT = new Date('2026-03-04T05:06:07.000Z');
const fetched = (more: Partial<Fetched>): Fetched => ({
  kind: 'fetched',
  status: 200,
  body: Buffer.from('abc'),
  contentType: 'text/html',
  redirects: [],

  landedUrl: 'https://a.example/',
  headers: {},
  statusText: 'OK',
  httpVersion: '1.1',
  ...more,
});

describe('the stored exchange of a page', () => {
  it('has the status line, the headers and the hash of the received body', () => {
    const headers = { server: 'a', link: ['<b>', '<c>'] };
    expect(toExchange(fetched({ headers }), AT, false)).toMatchObject({
      url: 'https://a.example/',
      at: AT,
      httpVersion: '1.1',
      status: 200,
      statusText: 'OK',
      bodyBytes: 3,
      bodySha256: Buffer.from('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'hex'),
      headers: [
        { name: 'server', value: 'a' },
        { name: 'link', value: '<b>' },
        { name: 'link', value: '<c>' },
      ],
    });
  });

  it('contains no cookie value, credential or unknown request header', () => {
    const { headers, requestHeaders } = toExchange(
      fetched({
        headers: { 'set-cookie': ['sid=hunter2; Path=/; HttpOnly', 'b=hunter2'], 'X-Auth-Token': 'hunter2' },
        requestHeaders: { accept: '*/*', cookie: 'sid=hunter2', authorization: 'Bearer hunter2', 'x-own': 'hunter2' },
      }),
      AT,
      false,
    );
    expect(JSON.stringify([headers, requestHeaders])).not.toContain('hunter2');
    expect(headers).toEqual([
      { name: 'set-cookie', value: 'sid=***; Path=/; HttpOnly' },
      { name: 'set-cookie', value: 'b=***' },
      { name: 'X-Auth-Token', value: '***' },
    ]);
    expect(requestHeaders.map(({ value }) => value)).toEqual(['*/*', '***', '***', '***']);
  });

  it('omits headers beyond its bounds and counts them', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, 'v'.repeat(50)]));
    const { headers, headersOmitted } = toExchange(
      fetched({ headers: { ...many, long: 'v'.repeat(5_000) } }),
      AT,
      false,
    );
    expect(headers.length).toBeLessThanOrEqual(100);
    expect(headers.length + headersOmitted).toBe(301);
    expect(headers.map(({ name }) => name)).not.toContain('long');
  });

  it('keeps each header on one line', () => {
    const { headers, statusText } = toExchange(
      fetched({ headers: { a: 'b\r\nc: d\0' }, statusText: 'OK\r\nx: y' }),
      AT,
      false,
    );
    expect([headers, statusText]).toEqual([[{ name: 'a', value: 'b  c: d ' }], 'OK  x: y']);
  });
});
