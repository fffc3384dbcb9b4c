import { createHash } from 'node:crypto';
import type { ExchangeHeader, PageExchange } from '@tidemark/contracts/page/v1/page';
import type { Fetched } from './ports.ts';

/** Bounds of what is stored of one exchange. */
const MAX_HEADERS = 100;
const MAX_VALUE_CHARS = 2_048;
const MAX_TOTAL_CHARS = 8_192;
const MASK = '***';

/** Request headers whose values are stored. Sites choose arbitrary names for credentials, so that any other value is masked. */
const SHOWN_REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'user-agent',
  'cache-control',
  'pragma',
  'if-modified-since',
  'if-none-match',
  'referer',
  'upgrade-insecure-requests',
]);

/** Response headers whose values are credentials. */
const SECRET_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
  'cookie',
  'x-auth-token',
  'x-csrf-token',
  'x-xsrf-token',
  'x-api-key',
  'x-amz-security-token',
]);

/** Returns the exchange that a response belongs to, without secrets: cookies keep their names and attributes. */
export function toExchange(response: Fetched, at: Date, isRendered: boolean): PageExchange {
  const { body, status, statusText = '', httpVersion = '', requestHeaders = {}, landedUrl } = response;
  const sent = Object.entries(requestHeaders).map(([name, value]): ExchangeHeader => {
    return { name, value: SHOWN_REQUEST_HEADERS.has(name.toLowerCase()) ? value : MASK };
  });
  const received = Object.entries(response.headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): ExchangeHeader => ({ name, value: shownValue(name, one) })),
  );
  const [request, responses] = [bounded(sent), bounded(received)];
  return {
    url: landedUrl,
    at,
    httpVersion,
    status,
    statusText: oneLine(statusText).slice(0, 200),
    headers: responses.headers,
    requestHeaders: request.headers,
    headersOmitted: responses.omitted,
    isRendered,
    bodySha256: createHash('sha256').update(body).digest(),
    bodyBytes: body.length,
  };
}

function shownValue(name: string, value: string): string {
  const lower = name.toLowerCase();
  if (lower === 'set-cookie') return value.replace(/^([^=;]*)=[^;]*/, `$1=${MASK}`);
  return SECRET_RESPONSE_HEADERS.has(lower) ? MASK : value;
}

/** Keeps the first headers within the bounds. A longer value is omitted, not cut: a part of it would be another value. */
function bounded(headers: readonly ExchangeHeader[]): { headers: ExchangeHeader[]; omitted: number } {
  const kept: ExchangeHeader[] = [];
  let chars = 0;
  for (const { name, value } of headers) {
    const size = name.length + value.length;
    if (kept.length >= MAX_HEADERS || value.length > MAX_VALUE_CHARS || chars + size > MAX_TOTAL_CHARS) continue;
    kept.push({ name: oneLine(name), value: oneLine(value) });
    chars += size;
  }
  return { headers: kept, omitted: headers.length - kept.length };
}

const oneLine = (text: string): string => text.toWellFormed().replace(/[\r\n\0]/g, ' ');
