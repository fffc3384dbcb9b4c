/** The part of a request of express that is read here. */
interface HeaderReader {
  get(name: string): string | undefined;
}

/** Absolute lifetime of a session, seconds; the server ends it earlier when it is idle. */
const MAX_AGE_SECONDS = 30 * 86_400;
/** Hosts for which browsers keep Secure cookies over http. */
const LOOPBACK_HOST = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d+)?$/i;

export interface SessionCookieSettings {
  /** Distinguishes installations on one host: cookies are shared by all ports. Empty: none. */
  readonly installation: string;
  /** Allows sessions over http on any host, for labs. */
  readonly isInsecure: boolean;
  readonly publicUrl: string | undefined;
}

/** The cookie of a session: readable by no script, sent to this host only (`__Host-`, RFC 6265bis section 4.1.3.2). */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #isAlwaysUsable: boolean;

  constructor({ installation, isInsecure, publicUrl }: SessionCookieSettings) {
    const suffix = installation === '' ? '' : `_${installation}`;
    this.#name = `${isInsecure ? '' : '__Host-'}tidemark${suffix}`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isInsecure ? '' : '; Secure'}`;
    this.#isAlwaysUsable = isInsecure || publicUrl?.startsWith('https:') === true;
  }

  /** Returns the token in the cookie of a request; empty if there is none. */
  tokenOf(request: HeaderReader): string {
    for (const part of (request.get('cookie') ?? '').split(';')) {
      const [name = '', ...value] = part.trim().split('=');
      if (name === this.#name) return value.join('=');
    }
    return '';
  }

  /** Returns the Set-Cookie header of a session. */
  set(token: string): string {
    return `${this.#name}=${token}; Max-Age=${MAX_AGE_SECONDS}; ${this.#attributes}`;
  }

  /** Returns the Set-Cookie header that removes the cookie. */
  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }

  /** Returns whether the browser of a request would keep the cookie. Programs that are no browsers decide for themselves. */
  isUsable(request: HeaderReader & { readonly secure: boolean }): boolean {
    const [origin, host] = [request.get('origin'), request.get('host') ?? ''];
    const isBrowser = origin !== undefined || request.get('sec-fetch-site') !== undefined;
    return (
      this.#isAlwaysUsable ||
      !isBrowser ||
      request.secure ||
      origin?.startsWith('https:') === true ||
      LOOPBACK_HOST.test(host)
    );
  }
}
