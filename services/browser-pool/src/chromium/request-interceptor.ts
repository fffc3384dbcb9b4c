import type { CDPSession, Protocol } from 'puppeteer-core';

const BLOCKED_TYPES = ['Image', 'Media', 'Font'] as const;
const BLOCKED_URL_PATTERNS = [
  'avif',
  'gif',
  'ico',
  'jpeg',
  'jpg',
  'png',
  'svg',
  'webp',
  'mp3',
  'mp4',
  'webm',
  'woff',
  'woff2',
].flatMap((extension) => [`*.${extension}`, `*.${extension}?*`]);

/** Rules for the requests of a page. */
export interface RequestRules {
  /** Whether images, media and fonts are blocked. */
  readonly isBlocking: boolean;
  /** The only origin that receives the headers. */
  readonly origin: string;
  /** Lower-case names. */
  readonly headers: readonly Protocol.Fetch.HeaderEntry[];
}

/** Parameters of Fetch.enable: every request that can carry a Referer or a custom header. */
export const PAUSED_REQUESTS = { patterns: [{ urlPattern: 'http*' }] };

/**
 * Blocks requests of a tab, adds headers to those of one origin, and removes the Referer from those that leave the origin of the
 * document. Each request is paused for this, redirects included: the policy of Chromium still names the origin, and a page can widen it to
 * its whole address.
 */
export class RequestInterceptor {
  readonly #session: CDPSession;
  #rules: RequestRules = { isBlocking: false, origin: '', headers: [] };

  /** @param session paused by `PAUSED_REQUESTS` */
  constructor(session: CDPSession) {
    this.#session = session;
    session.on('Fetch.requestPaused', (event) => {
      // The page may have been closed meanwhile.
      this.#handlePaused(event).catch(() => undefined);
    });
  }

  /** Replaces the previous rules. */
  async setRules(rules: RequestRules): Promise<void> {
    const before = this.#rules;
    this.#rules = rules;
    if (rules.isBlocking === before.isBlocking) return;
    // Blocking by URL pattern in the browser costs a tenth of pausing the request.
    await this.#session.send('Network.setBlockedURLs', { urls: rules.isBlocking ? BLOCKED_URL_PATTERNS : [] });
  }

  async #handlePaused(event: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, resourceType, request } = event;
    const { isBlocking, origin, headers } = this.#rules;
    if (isBlocking && BLOCKED_TYPES.some((type) => type === resourceType)) {
      await this.#session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      return;
    }
    const target = URL.parse(request.url)?.origin;
    const added = headers.length > 0 && target === origin ? headers : [];
    const isLeaving = hasForeignReferer(request);
    // The Referer of a redirected request can not be changed, but a redirect may state a policy for the request that follows it.
    if (isLeaving && event.redirectedRequestId !== undefined) {
      await this.#session.send('Fetch.fulfillRequest', { requestId, ...redirectWithoutReferer(request) });
      return;
    }
    // The headers apply to this request only; a redirected request is paused again.
    const changed = added.length > 0 || isLeaving ? { headers: merged(request.headers, { added, isLeaving }) } : {};
    await this.#session.send('Fetch.continueRequest', { requestId, ...changed });
  }
}

const MARK = 'x-tidemark-referer';

/** Whether a redirect was made here, to the same address, and not by the site. */
export const isInternalRedirect = (response: Protocol.Network.Response | undefined): boolean =>
  response !== undefined && Object.keys(response.headers).some((name) => name.toLowerCase() === MARK);

/** Returns a redirect to the same address that drops the Referer (https://w3c.github.io/webappsec-referrer-policy/ section 8.4). */
function redirectWithoutReferer({ url, headers }: Protocol.Network.Request) {
  const origin = Object.entries(headers).find(([name]) => name.toLowerCase() === 'origin')?.[1];
  const responseHeaders = [
    { name: 'Location', value: url },
    { name: 'Referrer-Policy', value: 'no-referrer' },
    { name: MARK, value: 'dropped' },
    // The site's own response decides; this one only leads to it.
    ...(origin === undefined
      ? []
      : [
          { name: 'Access-Control-Allow-Origin', value: origin },
          { name: 'Access-Control-Allow-Credentials', value: 'true' },
        ]),
  ];
  return { responseCode: 307, responseHeaders };
}

interface Changes {
  readonly added: readonly Protocol.Fetch.HeaderEntry[];
  readonly isLeaving: boolean;
}

/** Whether the request carries a Referer of another origin than its own. */
function hasForeignReferer({ url, headers }: Protocol.Network.Request): boolean {
  const referer = Object.entries(headers).find(([name]) => name.toLowerCase() === 'referer')?.[1];
  return referer !== undefined && referer !== '' && URL.parse(referer)?.origin !== URL.parse(url)?.origin;
}

function merged(original: Protocol.Network.Headers, { added, isLeaving }: Changes): Protocol.Fetch.HeaderEntry[] {
  // An absent Referer would leave the one that the browser has computed; an empty one removes it.
  const isRemoved = isLeaving && !added.some(({ name }) => name === 'referer');
  const changes = isRemoved ? [...added, { name: 'referer', value: '' }] : added;
  const names = new Set(changes.map(({ name }) => name));
  const unchanged = Object.entries(original).filter(([name]) => !names.has(name.toLowerCase()));
  return [...unchanged.map(([name, value]) => ({ name, value })), ...changes];
}
