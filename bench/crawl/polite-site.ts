import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(5);
/** Response time of a page, ms; long enough that allowed fetches overlap. */
const PAGE_MS = 60;

export interface PoliteHost {
  readonly address: string;
  readonly pages: number;
  /** Lines of its robots.txt besides the forbidden folder. */
  readonly robots?: string;
  /** Returns 429 with this Retry-After for this many pages, one after the other. */
  readonly limits?: { readonly pages: number; readonly afterSeconds: number };
}

/** Requests as seen by a host. */
export interface Seen {
  readonly peak: number;
  /** Milliseconds between the starts of two pages. */
  readonly gaps: readonly number[];
  /** Pages requested before a Retry-After had passed. */
  readonly tooSoon: number;
  /** 429 responses sent. */
  readonly limited: number;
  readonly forbidden: number;
  readonly pages: number;
  readonly repeated: number;
}

/** A host that records its requests. The first page links to the others; some are forbidden by robots.txt. */
export class PoliteSite {
  readonly #host: PoliteHost;
  readonly #server: Server;
  readonly #starts: number[] = [];
  readonly #read = new Map<string, number>();
  #inFlight = 0;
  #peak = 0;
  #tooSoon = 0;
  #limited = 0;
  #forbidden = 0;
  #closedUntilMs = 0;

  constructor(host: PoliteHost) {
    this.#host = host;
    this.#server = createServer((request, response) => this.#respond(request, response));
  }

  async open(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, this.#host.address, done));
    const { port } = this.#server.address() as AddressInfo;
    return `http://${this.#host.address}:${port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get seen(): Seen {
    const starts = this.#starts.toSorted((a, b) => a - b);
    return {
      peak: this.#peak,
      gaps: starts.slice(1).map((start, at) => start - (starts[at] ?? 0)),
      tooSoon: this.#tooSoon,
      limited: this.#limited,
      forbidden: this.#forbidden,
      pages: this.#read.size,
      repeated: [...this.#read.values()].filter((times) => times > 1).length,
    };
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    if (path === '/robots.txt')
      return void response.end(`User-agent: *\nDisallow: /private\n${this.#host.robots ?? ''}`);
    this.#starts.push(performance.now());
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
    response.on('close', () => {
      this.#inFlight -= 1;
    });
    if (path.startsWith('/private')) this.#forbidden += 1;
    if (performance.now() < this.#closedUntilMs) this.#tooSoon += 1;
    const { limits } = this.#host;
    // From the third page on, when the crawl runs at full speed.
    if (limits !== undefined && this.#limited < limits.pages && this.#read.size >= 3) {
      this.#limited += 1;
      this.#closedUntilMs = performance.now() + limits.afterSeconds * 1000;
      return void response.writeHead(429, { 'retry-after': String(limits.afterSeconds) }).end('slow down');
    }
    this.#read.set(path, (this.#read.get(path) ?? 0) + 1);
    setTimeout(() => response.setHeader('content-type', 'text/html').end(this.#page(path)), PAGE_MS);
  }

  #page(path: string): string {
    const paths = Array.from({ length: this.#host.pages - 1 }, (_, at) => `/page/${at}`);
    const links = path === '/' ? [...paths, '/private/a', '/private/b'] : ['/'];
    const list = links.map((link) => `<li><a href="${link}">to ${link}</a></li>`).join('');
    return `<!doctype html><html lang="en"><title>${path}</title><main><h1>Page ${path}</h1><p>${WORDS}</p><ul>${list}</ul></main></html>`;
  }
}
