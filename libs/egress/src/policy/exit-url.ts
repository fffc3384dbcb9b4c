import { FetchFailed } from '../errors/errors.ts';

export type ExitProtocol = 'http:' | 'https:' | 'socks5:';

/** The parsed URL of an exit; credentials are percent-decoded. */
export interface ExitUrl {
  readonly protocol: ExitProtocol;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

const DEFAULT_PORTS: Readonly<Record<ExitProtocol, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/** Parses http://, https:// and socks5:// URLs. Throws FetchFailed 'exit' that contains no part of the text. */
export function parseExitUrl(text: string): ExitUrl {
  const url = URL.parse(text);
  const protocol = url === null ? undefined : toProtocol(url.protocol);
  if (url === null || protocol === undefined || url.hostname === '') throw invalid();
  const { username, password } = url;
  return {
    protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port),
    credentials:
      username === '' && password === '' ? undefined : { username: decoded(username), password: decoded(password) },
  };
}

function toProtocol(text: string): ExitProtocol | undefined {
  return text === 'http:' || text === 'https:' || text === 'socks5:' ? text : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid();
  }
}

const invalid = (): FetchFailed =>
  new FetchFailed('exit', { detail: 'the exit is not a valid http://, https:// or socks5:// URL' });
