import type { CDPSession, Protocol } from 'puppeteer-core';

const BLOCKED_TYPES = ['Image', 'Media', 'Font'] as const;
const BLOCKED_NAMES = [
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

/** What is to happen to the requests of a page. */
export interface RequestRules {
  /** Images, media and fonts are refused. */
  readonly isBlocking: boolean;
  /** The one origin that gets the headers. */
  readonly origin: string;
  /** Names in lower case. */
  readonly headers: readonly Protocol.Fetch.HeaderEntry[];
}

/**
 * Refuses requests of a tab and adds headers to them. Only requests a rule may concern leave the browser's fast path, so
 * that a page without rules pays nothing.
 */
export class Requests {
  readonly #session: CDPSession;
  #rules: RequestRules = { isBlocking: false, origin: '', headers: [] };

  constructor(session: CDPSession) {
    this.#session = session;
    session.on('Fetch.requestPaused', (event) => {
      // Where the page is gone meanwhile there is nothing left to answer.
      this.#answer(event).catch(() => undefined);
    });
  }

  /** Puts these rules in the place of those before. */
  async rule(rules: RequestRules): Promise<void> {
    const before = this.#rules;
    const isSame = before.headers.length === 0 && rules.headers.length === 0 && before.isBlocking === rules.isBlocking;
    this.#rules = rules;
    if (isSame) return;
    const patterns = patternsOf(rules);
    await Promise.all([
      // By name where the name tells: refused where they are asked for, at a tenth of the cost of asking us.
      rules.isBlocking === before.isBlocking
        ? undefined
        : this.#session.send('Network.setBlockedURLs', { urls: rules.isBlocking ? BLOCKED_NAMES : [] }),
      patterns.length > 0 ? this.#session.send('Fetch.enable', { patterns }) : this.#session.send('Fetch.disable'),
    ]);
  }

  async #answer({ requestId, resourceType, request }: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { isBlocking, origin, headers } = this.#rules;
    if (isBlocking && BLOCKED_TYPES.some((type) => type === resourceType)) {
      await this.#session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    } else if (headers.length > 0 && URL.parse(request.url)?.origin === origin) {
      // They go with this request alone: one it is redirected to is asked about anew.
      await this.#session.send('Fetch.continueRequest', { requestId, headers: merged(request.headers, headers) });
    } else {
      await this.#session.send('Fetch.continueRequest', { requestId });
    }
  }
}

function patternsOf({ isBlocking, origin, headers }: RequestRules): Protocol.Fetch.RequestPattern[] {
  return [
    ...(isBlocking ? BLOCKED_TYPES.map((resourceType) => ({ resourceType })) : []),
    ...(headers.length > 0 ? [{ urlPattern: `${origin}/*` }] : []),
  ];
}

function merged(
  own: Protocol.Network.Headers,
  added: readonly Protocol.Fetch.HeaderEntry[],
): Protocol.Fetch.HeaderEntry[] {
  const names = new Set(added.map(({ name }) => name));
  const kept = Object.entries(own).filter(([name]) => !names.has(name.toLowerCase()));
  return [...kept.map(([name, value]) => ({ name, value })), ...added];
}
