import { createDialledHttpClient, type DialTcp, type HttpClient, type HttpResponse } from '@tidemark/egress';
import { DestinationError } from '../driver.ts';
import { storableText } from '../storable.ts';

export interface ClickhouseSettings {
  readonly host: string;
  /** Port of the HTTP interface. */
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** `verify`: TLS with a valid certificate. `off`: no TLS, for allow-listed hosts only. */
  readonly tls: 'verify' | 'off';
  /** PEM certificates to trust beside the system's; empty: none. */
  readonly ca: string;
}

const STATEMENT_MS = 600_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE = 500;

/**
 * Statements over the HTTP interface of ClickHouse. Not `@clickhouse/client` (1.23.1): it opens sockets of its own, so that an agent would have
 * to repeat the dial, TLS and time limits of libs/egress, and it reads responses of any size.
 */
export class ClickhouseClient {
  readonly #settings: ClickhouseSettings;
  readonly #http: HttpClient;
  readonly #url: URL;

  constructor(settings: ClickhouseSettings, dial: DialTcp) {
    const { host, port, tls, ca } = settings;
    this.#settings = settings;
    this.#http = createDialledHttpClient(dial, ca === '' ? {} : { ca });
    this.#url = new URL(`${tls === 'off' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/`);
  }

  get database(): string {
    return this.#settings.database;
  }

  /** Returns the quoted name of a table with its database. */
  table(name: string): string {
    return `${quoted(this.#settings.database)}.${quoted(name)}`;
  }

  /** Runs a statement. @throws DestinationError, FetchFailed */
  async run(sql: string, signal: AbortSignal): Promise<void> {
    await this.#send(this.#url, sql, signal);
  }

  /** Runs a query. @returns its rows */
  async query(sql: string, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    const { body } = await this.#send(this.#url, `${sql} FORMAT JSONEachRow`, signal);
    const lines = body.toString().split('\n');
    return lines.flatMap((line): Record<string, unknown>[] => (line === '' ? [] : [JSON.parse(line)]));
  }

  /** Sends rows as lines of JSON to an INSERT statement without its values. */
  async insert(sql: string, lines: Buffer, signal: AbortSignal): Promise<void> {
    const url = new URL(this.#url);
    url.searchParams.set('query', `${sql} FORMAT JSONEachRow`);
    await this.#send(url, lines, signal);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  async #send(url: URL, body: string | Buffer, signal: AbortSignal): Promise<HttpResponse> {
    const { user, password } = this.#settings;
    const response = await this.#http.fetch(url, {
      method: 'POST',
      body,
      signal,
      maxRedirects: 0,
      maxBodyBytes: MAX_RESPONSE_BYTES,
      timeoutMs: STATEMENT_MS,
      headers: { 'x-clickhouse-user': encodeURI(user), 'x-clickhouse-key': encodeURI(password) },
    });
    // An error after the first byte of a response arrives with the status 200.
    const text = response.body.subarray(0, 20_000).toString();
    if (response.status !== 200) throw failureOf(response.status, text);
    if (/^Code: \d+\. DB::Exception/m.test(text)) throw failureOf(500, text);
    return response;
  }
}

/** Error codes of ClickHouse: sign-in, rights (among them a read-only profile), an unknown database. */
const REFUSED = new Set([81, 164, 192, 193, 194, 195, 291, 497, 516]);
/** Timeouts, overload, memory, network, a file that can not be written, a read-only or full server. */
const TEMPORARY = new Set([3, 75, 159, 160, 202, 209, 210, 241, 242, 243, 252, 279, 319, 425, 439, 999]);

function failureOf(status: number, text: string): DestinationError {
  const code = Number(/Code: (\d+)/.exec(text)?.[1] ?? Number.NaN);
  const message = `ClickHouse: status ${status}, ${storableText(text).trim().slice(0, MAX_MESSAGE)}`;
  if (REFUSED.has(code) || status === 401 || status === 403) return new DestinationError('refused', message);
  const isTemporary = TEMPORARY.has(code) || Number.isNaN(code);
  return new DestinationError(isTemporary ? 'temporary' : 'invalid', message);
}

export const quoted = (name: string): string => `\`${name.replace(/[`\\]/g, '\\$&')}\``;
export const literal = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
