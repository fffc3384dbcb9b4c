import { createHmac } from 'node:crypto';

interface RequestToSign {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentLength: number;
}

/** Headers whose values are part of the signature, in their order; between `content-language` and `content-md5` is the length. */
const BEFORE_LENGTH = ['content-encoding', 'content-language'];
const AFTER_LENGTH = [
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
];

/** Returns the Authorization header of a request to Blob Storage (Azure documentation, Authorize with Shared Key, from version 2015-02-21). */
export function sharedKey(request: RequestToSign, account: string, key: string): string {
  const { method, url, headers, contentLength } = request;
  const headerOf = (name: string): string => headers[name] ?? '';
  const own = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value.trim()}`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${name.toLowerCase()}:${value}`)
    .sort()
    .map((line) => `\n${line}`)
    .join('');
  const toSign = [
    method,
    ...BEFORE_LENGTH.map(headerOf),
    contentLength === 0 ? '' : String(contentLength),
    ...AFTER_LENGTH.map(headerOf),
    ...own,
    `/${account}${url.pathname}${query}`,
  ].join('\n');
  return `SharedKey ${account}:${createHmac('sha256', Buffer.from(key, 'base64')).update(toSign).digest('base64')}`;
}
