import type { Protocol } from 'puppeteer-core';
import type { Tab } from '../chromium/tab.ts';

/** What can still change the document; images, fonts, beacons and streams can't, or never end. */
const TELLING_TYPES: ReadonlySet<string> = new Set(['Script', 'XHR', 'Fetch']);
const FETCHING_TYPES: ReadonlySet<string> = new Set(['XHR', 'Fetch']);
/** A request of a kind that may outlive its document (fetch keepalive, beacons, reports). */
const OUTLIVING_TYPES: ReadonlySet<string> = new Set(['Fetch', 'Ping', 'Other', 'CSPViolationReport', 'Preflight']);
/** From the third request to one address on it is polling, and waiting for its end would be waiting forever. */
const POLL_FROM = 3;

/** A navigation of the main frame that came to nothing. */
export interface FailedNavigation {
  readonly url: string;
  readonly error: string;
}

/** What a document was answered with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface OpenRequest {
  readonly type: string;
  readonly startedAtMs: number;
  readonly isTelling: boolean;
  /** Asked again and again: there is no end to wait for. */
  readonly isPolling: boolean;
}

/** Watches the requests of a page during one render. */
export class Activity {
  readonly #tab: Tab;
  readonly #open = new Map<string, OpenRequest>();
  readonly #asked = new Map<string, number>();
  readonly #origins = new Set<string>();
  readonly #visited: string[] = [];
  readonly #crashed = Promise.withResolvers<void>();
  #navigationId = '';
  #hasAnswered = true;
  #answer: Answer | undefined;
  #raw: Answer | undefined;
  #failed: FailedNavigation | undefined;
  #hasOthers = false;
  #lastChangeAtMs = performance.now();
  #lastTrafficAtMs = performance.now();

  readonly #onRequest = (event: Protocol.Network.RequestWillBeSentEvent) => this.#begin(event);
  readonly #onResponse = ({ requestId, response }: Protocol.Network.ResponseReceivedEvent) => {
    if (requestId !== this.#navigationId) return;
    this.#answer = { status: response.status, headers: response.headers };
    this.#hasAnswered = true;
  };
  readonly #onRawResponse = ({ requestId, ...raw }: Protocol.Network.ResponseReceivedExtraInfoEvent) => {
    if (requestId === this.#navigationId) this.#raw = { status: raw.statusCode, headers: raw.headers };
  };
  readonly #onFinished = ({ requestId }: Protocol.Network.LoadingFinishedEvent) => this.#finish(requestId);
  readonly #onFailed = ({ requestId, errorText }: Protocol.Network.LoadingFailedEvent) => {
    this.#finish(requestId);
    if (requestId !== this.#navigationId) return;
    this.#failed = { url: this.#visited.at(-1) ?? '', error: errorText };
  };
  // Workers of every kind, and frames of other sites, which have processes of their own.
  readonly #onOther = () => {
    this.#hasOthers = true;
  };
  readonly #onCrash = () => this.#crashed.resolve();

  constructor(tab: Tab) {
    this.#tab = tab;
    const { session, context } = tab;
    session.on('Network.requestWillBeSent', this.#onRequest).on('Network.responseReceived', this.#onResponse);
    session.on('Network.responseReceivedExtraInfo', this.#onRawResponse);
    session.on('Network.loadingFinished', this.#onFinished).on('Network.loadingFailed', this.#onFailed);
    session.on('Target.attachedToTarget', this.#onOther).on('Inspector.targetCrashed', this.#onCrash);
    context.on('targetcreated', this.#onOther);
  }

  stop(): void {
    const { session, context } = this.#tab;
    session.off('Network.requestWillBeSent', this.#onRequest).off('Network.responseReceived', this.#onResponse);
    session.off('Network.responseReceivedExtraInfo', this.#onRawResponse);
    session.off('Network.loadingFinished', this.#onFinished).off('Network.loadingFailed', this.#onFailed);
    session.off('Target.attachedToTarget', this.#onOther).off('Inspector.targetCrashed', this.#onCrash);
    context.off('targetcreated', this.#onOther);
    this.#open.clear();
  }

  /** Resolves if the page's renderer dies. */
  get crashed(): Promise<void> {
    return this.#crashed.promise;
  }

  /** The answer of the document shown, where it came over the network; with cookies, where Chromium has told them. */
  get answer(): Answer | undefined {
    return this.#raw?.status === this.#answer?.status ? (this.#raw ?? this.#answer) : this.#answer;
  }

  get failed(): FailedNavigation | undefined {
    return this.#failed;
  }

  /** Whether the main frame is on its way to another document. */
  get isNavigating(): boolean {
    return this.#open.has(this.#navigationId) && !this.#hasAnswered;
  }

  /** Whether nothing is under way that the document could still be made of. */
  get isIdle(): boolean {
    return ![...this.#open].some(([requestId, { isTelling }]) => isTelling || requestId === this.#navigationId);
  }

  /** Whether scripts have asked for anything. */
  get hasFetched(): boolean {
    return this.#asked.size > 0;
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

  /** The same of requests of every kind, but for polling: images, fonts, frames and beacons too. */
  networkIdleForMs(openForAtMostMs: number): number {
    const nowMs = performance.now();
    for (const { startedAtMs, isPolling } of this.#open.values()) {
      if (!isPolling && nowMs - startedAtMs < openForAtMostMs) return 0;
    }
    return nowMs - this.#lastTrafficAtMs;
  }

  /** A visitor did something: what the page asks for from here on is no polling until it is seen to be. */
  beginAnew(): void {
    this.#asked.clear();
    this.#lastChangeAtMs = performance.now();
  }

  /**
   * Whether all the page did can be undone by wiping one origin: no document of another origin, no worker, and no
   * request under way that could outlive its document and leave a cookie behind later.
   */
  staysWithin(origin: string): boolean {
    const isStray = [...this.#open.values()].some(({ type }) => OUTLIVING_TYPES.has(type));
    return !this.#hasOthers && !isStray && [...this.#origins].every((seen) => seen === origin);
  }

  #begin(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, frameId, type = 'Other', redirectResponse } = event;
    const isMainFrame = frameId === this.#tab.mainFrameId;
    const isPolling = isMainFrame && this.#isPolling(type, event.request, redirectResponse !== undefined);
    const isTelling = isMainFrame && TELLING_TYPES.has(type) && !isPolling;
    const nowMs = performance.now();
    this.#open.set(requestId, { type, startedAtMs: nowMs, isTelling, isPolling });
    if (isTelling) this.#lastChangeAtMs = nowMs;
    if (!isPolling) this.#lastTrafficAtMs = nowMs;
    if (type === 'Document') this.#beginDocument(event, isMainFrame);
  }

  #beginDocument(
    { requestId, loaderId, request }: Protocol.Network.RequestWillBeSentEvent,
    isMainFrame: boolean,
  ): void {
    const url = URL.parse(request.url);
    // Credentials in an address would stay in the browser's authentication cache.
    const isPlain = url !== null && url.username === '' && url.password === '';
    // An opaque origin (data:, about:) keeps nothing.
    if (url?.origin !== 'null') this.#origins.add(isPlain ? url.origin : 'elsewhere');
    if (!isMainFrame || requestId !== loaderId) return;
    this.#visited.push(request.url);
    if (requestId === this.#navigationId) this.#answer = undefined;
    this.#navigationId = requestId;
    this.#hasAnswered = false;
    this.#failed = undefined;
  }

  #isPolling(type: string, { method, url: href }: Protocol.Network.Request, isRedirected: boolean): boolean {
    if (!FETCHING_TYPES.has(type)) return false;
    const url = URL.parse(href);
    const key = `${method} ${url?.origin}${url?.pathname}`;
    const times = (this.#asked.get(key) ?? 0) + (isRedirected ? 0 : 1);
    this.#asked.set(key, times);
    return times >= POLL_FROM;
  }

  #finish(requestId: string): void {
    const request = this.#open.get(requestId);
    if (request?.isTelling === true) this.#lastChangeAtMs = performance.now();
    if (request?.isPolling === false) this.#lastTrafficAtMs = performance.now();
    this.#open.delete(requestId);
  }
}
