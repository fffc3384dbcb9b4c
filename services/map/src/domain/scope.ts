import { siteOf } from '@tidemark/web-url';

/** A host as sites are compared: `www.` is the site itself, and so is the other scheme. */
export const siteKey = ({ host }: URL): string => host.toLowerCase().replace(/^www\.(?=[^.]+\.)/, '');

/** Which addresses belong to the site that is mapped. */
export class Scope {
  readonly #hosts = new Set<string>();
  readonly #site: string | undefined;

  constructor(asked: URL, allowSubdomains: boolean) {
    this.#hosts.add(siteKey(asked));
    this.#site = allowSubdomains ? siteOf(asked) : undefined;
  }

  /** Takes in a host the site itself leads to. */
  admit(url: URL): void {
    this.#hosts.add(siteKey(url));
  }

  has(url: URL): boolean {
    if (this.#hosts.has(siteKey(url))) return true;
    return this.#site !== undefined && siteOf(url) === this.#site;
  }
}
