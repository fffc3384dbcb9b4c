import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';

/** What can still change the document; images, fonts, beacons and streams can't, or never end. */
const TELLING_TYPES: ReadonlySet<string> = new Set(['script', 'xhr', 'fetch']);
/** A request of a kind that may outlive its document (fetch keepalive, beacons, reports). */
const OUTLIVING_TYPES: ReadonlySet<string> = new Set(['fetch', 'ping', 'other', 'cspviolationreport', 'preflight']);
/** From the third request to one address on it is polling, and waiting for its end would be waiting forever. */
const POLL_FROM = 3;

/** A navigation of the main frame that came to nothing. */
export interface FailedNavigation {
  readonly url: string;
  readonly error: string;
}

/** Watches the requests of a page during one render. */
export class Activity {
  readonly #page: Page;
  readonly #open = new Map<HTTPRequest, { readonly startedAtMs: number; readonly isTelling: boolean }>();
  readonly #asked = new Map<string, number>();
  readonly #origins = new Set<string>();
  readonly #visited: string[] = [];
  #navigation: HTTPRequest | undefined;
  #answer: HTTPResponse | undefined;
  #failed: FailedNavigation | undefined;
  #hasWorker = false;
  #hasCrashed = Promise.withResolvers<void>();
  #lastChangeAtMs = performance.now();

  readonly #onRequest = (request: HTTPRequest) => this.#begin(request);
  readonly #onResponse = (response: HTTPResponse) => {
    if (response.request() === this.#navigation) this.#answer = response;
  };
  readonly #onFinished = (request: HTTPRequest) => this.#finish(request);
  readonly #onFailed = (request: HTTPRequest) => {
    this.#finish(request);
    if (request !== this.#navigation) return;
    this.#failed = { url: request.url(), error: request.failure()?.errorText ?? 'net::ERR_FAILED' };
  };
  readonly #onWorker = () => {
    this.#hasWorker = true;
  };
  readonly #onCrash = () => this.#hasCrashed.resolve();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', this.#onRequest).on('response', this.#onResponse);
    page.on('requestfinished', this.#onFinished).on('requestfailed', this.#onFailed);
    page.on('workercreated', this.#onWorker).on('error', this.#onCrash);
    page.browserContext().on('targetcreated', this.#onWorker);
  }

  stop(): void {
    const page = this.#page;
    page.off('request', this.#onRequest).off('response', this.#onResponse);
    page.off('requestfinished', this.#onFinished).off('requestfailed', this.#onFailed);
    page.off('workercreated', this.#onWorker).off('error', this.#onCrash);
    page.browserContext().off('targetcreated', this.#onWorker);
    this.#open.clear();
  }

  /** Resolves if the page's renderer dies. */
  get crashed(): Promise<void> {
    return this.#hasCrashed.promise;
  }

  /** The answer of the document shown, where it came over the network. */
  get answer(): HTTPResponse | undefined {
    return this.#answer;
  }

  get failed(): FailedNavigation | undefined {
    return this.#failed;
  }

  /** Whether the main frame is on its way to another document. */
  get isNavigating(): boolean {
    const navigation = this.#navigation;
    return navigation !== undefined && this.#open.has(navigation) && navigation.response() === null;
  }

  /** Whether nothing is under way that the document could still be made of. */
  get isIdle(): boolean {
    return ![...this.#open].some(([request, { isTelling }]) => isTelling || request === this.#navigation);
  }

  /** Every address the main frame asked for, in order: redirects of every kind, and the last one. */
  get visited(): readonly string[] {
    return this.#visited;
  }

  /** Milliseconds since the page last began or ended a request that can change it; 0 while such a one is under way. */
  quietForMs(openForAtMostMs: number): number {
    const nowMs = performance.now();
    for (const { startedAtMs, isTelling } of this.#open.values()) {
      if (isTelling && nowMs - startedAtMs < openForAtMostMs) return 0;
    }
    return nowMs - this.#lastChangeAtMs;
  }

  /**
   * Whether all the page did can be undone by wiping one origin: no document of another origin, no worker, and no
   * request under way that could outlive its document and leave a cookie behind later.
   */
  staysWithin(origin: string): boolean {
    const isStray = [...this.#open.keys()].some((request) => OUTLIVING_TYPES.has(request.resourceType()));
    return !this.#hasWorker && !isStray && [...this.#origins].every((seen) => seen === origin);
  }

  #begin(request: HTTPRequest): void {
    const isMainFrame = request.frame() === this.#page.mainFrame();
    const isTelling = isMainFrame && this.#isTelling(request);
    this.#open.set(request, { startedAtMs: performance.now(), isTelling });
    if (isTelling) this.#lastChangeAtMs = performance.now();
    if (request.resourceType() === 'document') this.#beginDocument(request, isMainFrame);
  }

  #beginDocument(request: HTTPRequest, isMainFrame: boolean): void {
    const url = URL.parse(request.url());
    // Credentials in an address would stay in the browser's authentication cache.
    const isPlain = url !== null && url.username === '' && url.password === '';
    // An opaque origin (data:, about:) keeps nothing.
    if (url?.origin !== 'null') this.#origins.add(isPlain ? url.origin : 'elsewhere');
    if (!isMainFrame || !request.isNavigationRequest()) return;
    this.#visited.push(request.url());
    this.#navigation = request;
    this.#failed = undefined;
    if (request.redirectChain().length > 0) this.#answer = undefined;
  }

  #isTelling(request: HTTPRequest): boolean {
    if (!TELLING_TYPES.has(request.resourceType())) return false;
    const url = URL.parse(request.url());
    const key = `${request.method()} ${url?.origin}${url?.pathname}`;
    const times = (this.#asked.get(key) ?? 0) + 1;
    this.#asked.set(key, times);
    return request.resourceType() === 'script' || times < POLL_FROM;
  }

  #finish(request: HTTPRequest): void {
    if (this.#open.get(request)?.isTelling === true) this.#lastChangeAtMs = performance.now();
    this.#open.delete(request);
  }
}
