import { siteOf } from '@tidemark/web-url';

/** Returns a host as sites are compared: without `www.`, and independent of the scheme. */
export const siteKey = ({ host }: URL): string => host.toLowerCase().replace(/^www\.(?=[^.]+\.)/, '');

/** The hosts that belong to a mapped site. */
export class Scope {
  readonly #hosts = new Set<string>();
  readonly #site: string | undefined;

  constructor(siteUrl: URL, allowSubdomains: boolean) {
    this.#hosts.add(siteKey(siteUrl));
    this.#site = allowSubdomains ? siteOf(siteUrl) : undefined;
  }

  /** Adds the host of a URL to which the site has redirected. */
  addHost(url: URL): void {
    this.#hosts.add(siteKey(url));
  }

  has(url: URL): boolean {
    if (this.#hosts.has(siteKey(url))) return true;
    return this.#site !== undefined && siteOf(url) === this.#site;
  }
}
