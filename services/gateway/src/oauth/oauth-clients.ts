import { createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** Redirect URIs of a client, and characters of each: a client id contains them and is part of URLs. */
const MAX_REDIRECT_URIS = 5;
const MAX_URI = 300;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** A scheme that contains a domain name, which an app has for itself (RFC 8252 section 7.1), such as `com.example.app:`. */
const DOMAIN_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
/** Schemes without a domain name of apps that are clients of MCP servers. */
const APP_SCHEMES: ReadonlySet<string> = new Set(
  [
    'claude',
    'cline',
    'code-oss',
    'continue',
    'cursor',
    'goose',
    'jetbrains',
    'kiro',
    'raycast',
    'trae',
    'vscode',
    'vscode-insiders',
    'vscodium',
    'warp',
    'windsurf',
    'zed',
  ].map((scheme) => `${scheme}:`),
);

/**
 * Accepts https, http on this machine (RFC 8252 section 7.3), and private-use schemes of native apps (section 7.1). Every other scheme may open a
 * program that was not registered here, such as that of `ssh:` or `tel:`.
 */
export function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname);
  return DOMAIN_SCHEME.test(url.protocol) || (APP_SCHEMES.has(url.protocol) && text.includes('://'));
}

/** Returns whether an address is one of the machine of the person. */
export function isLoopback(redirectUri: string): boolean {
  const url = URL.parse(redirectUri);
  return url?.protocol === 'http:' && LOOPBACK.has(url.hostname);
}

/** Removes characters that change the direction of the text around them or are not visible. */
const visible = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

const RedirectUri = z.string().max(MAX_URI).refine(isRedirectUri, {
  error:
    'expected https, http on localhost, or a scheme with the domain name of the app, such as com.example.app:/callback',
});

/** The metadata of a client that are used (RFC 7591 section 2); others are ignored. */
export const ClientMetadata = z.object({
  client_name: z.string().max(80).transform(visible).pipe(z.string().trim().min(1)).default('An application'),
  redirect_uris: z.array(RedirectUri).min(1).max(MAX_REDIRECT_URIS),
});

export interface OAuthClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

const Payload = z.tuple([z.string(), z.array(z.string())]);

/**
 * Registers clients without storing them: a client id contains the name and redirect URIs of the client and a MAC. Registration is
 * public, so that a table of clients would have no bound.
 */
export class OAuthClients {
  readonly #keys: readonly Buffer[];

  /** `fleetKeys`: the current key, and the previous one, under which ids remain valid. */
  constructor(fleetKeys: readonly KeyObject[]) {
    this.#keys = fleetKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'tidemark oauth clients', 32)));
  }

  /** Returns the id of a client. */
  register({ name, redirectUris }: OAuthClient): string {
    const payload = Buffer.from(JSON.stringify([name, redirectUris])).toString('base64url');
    const [key = Buffer.alloc(0)] = this.#keys;
    return `${payload}.${macOf(payload, key).toString('base64url')}`;
  }

  /** Returns the client of an id; undefined if this installation did not issue it. */
  find(clientId: string): OAuthClient | undefined {
    const [payload = '', mac = ''] = clientId.split('.');
    const given = Buffer.from(mac, 'base64url');
    const isIssued = this.#keys.some((key) => {
      const own = macOf(payload, key);
      return own.length === given.length && timingSafeEqual(own, given);
    });
    if (!isIssued) return undefined;
    const [name, redirectUris] = Payload.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    return { name, redirectUris };
  }
}

const macOf = (payload: string, key: Buffer): Buffer => createHmac('sha256', key).update(payload).digest();

/** Compares exactly, except for the port of a loopback address, which a client chooses at each start (RFC 8252 section 7.3). */
export function allowsRedirect({ redirectUris }: OAuthClient, redirectUri: string): boolean {
  const portless = (text: string): string => {
    const url = URL.parse(text);
    if (url === null || url.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) return text;
    url.port = '';
    return url.href;
  };
  return redirectUris.some((each) => each === redirectUri || portless(each) === portless(redirectUri));
}
