import type { Protocol } from 'puppeteer-core';
import { isInternalRedirect } from '../chromium/request-interceptor.ts';
import type { Tab } from '../chromium/tab.ts';

/** Requests whose responses can change the document, unlike images, fonts and beacons. Streams never end. */
const CONTENT_TYPES: ReadonlySet<string> = new Set(['Script', 'XHR', 'Fetch']);
const FETCHING_TYPES: ReadonlySet<string> = new Set(['XHR', 'Fetch']);
/** Requests that may outlive their document (fetch keepalive, beacons, reports). */
const OUTLIVING_TYPES: ReadonlySet<string> = new Set(['Fetch', 'Ping', 'Other', 'CSPViolationReport', 'Preflight']);
/** Number of requests to one URL path from which they count as polling, which has no end to wait for. */
const POLLING_FROM = 3;

/** A failed navigation of the main frame. */
export interface FailedNavigation {
  readonly url: string;
  readonly error: string;
}

/** Status and headers of a document. */
export interface DocumentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface OpenRequest {
  readonly type: string;
  readonly startedAtMs: number;
  readonly canChangePage: boolean;
  readonly isPolling: boolean;
}

/** Tracks the requests of a page during one render. */
export class NetworkActivity {
  readonly #tab: Tab;
  readonly #open = new Map<string, OpenRequest>();
  readonly #fetchCounts = new Map<string, number>();
  readonly #origins = new Set<string>();
  readonly #visited: string[] = [];
  readonly #crashed = Promise.withResolvers<void>();
  #navigationId = '';
  #hasResponse = true;
  #response: DocumentResponse | undefined;
  #rawResponse: DocumentResponse | undefined;
  #failedNavigation: FailedNavigation | undefined;
  #hasOtherTargets = false;
  #lastChangeAtMs = performance.now();
  #lastTrafficAtMs = performance.now();

  readonly #onRequest = (event: Protocol.Network.RequestWillBeSentEvent) => this.#begin(event);
  readonly #onResponse = ({ requestId, response }: Protocol.Network.ResponseReceivedEvent) => {
    if (requestId !== this.#navigationId) return;
    this.#response = { status: response.status, headers: response.headers };
    this.#hasResponse = true;
  };
  readonly #onRawResponse = ({ requestId, ...rawResponse }: Protocol.Network.ResponseReceivedExtraInfoEvent) => {
    if (requestId === this.#navigationId)
      this.#rawResponse = { status: rawResponse.statusCode, headers: rawResponse.headers };
  };
  readonly #onFinished = ({ requestId }: Protocol.Network.LoadingFinishedEvent) => this.#finish(requestId);
  readonly #onFailed = ({ requestId, errorText }: Protocol.Network.LoadingFailedEvent) => {
    this.#finish(requestId);
    if (requestId !== this.#navigationId) return;
    this.#failedNavigation = { url: this.#visited.at(-1) ?? '', error: errorText };
  };
  // Workers of every kind, and cross-site frames, which have their own processes.
  readonly #onOtherTarget = () => {
    this.#hasOtherTargets = true;
  };
  readonly #onCrash = () => this.#crashed.resolve();

  constructor(tab: Tab) {
    this.#tab = tab;
    const { session, context } = tab;
    session.on('Network.requestWillBeSent', this.#onRequest).on('Network.responseReceived', this.#onResponse);
    session.on('Network.responseReceivedExtraInfo', this.#onRawResponse);
    session.on('Network.loadingFinished', this.#onFinished).on('Network.loadingFailed', this.#onFailed);
    session.on('Target.attachedToTarget', this.#onOtherTarget).on('Inspector.targetCrashed', this.#onCrash);
    context.on('targetcreated', this.#onOtherTarget);
  }

  stop(): void {
    const { session, context } = this.#tab;
    session.off('Network.requestWillBeSent', this.#onRequest).off('Network.responseReceived', this.#onResponse);
    session.off('Network.responseReceivedExtraInfo', this.#onRawResponse);
    session.off('Network.loadingFinished', this.#onFinished).off('Network.loadingFailed', this.#onFailed);
    session.off('Target.attachedToTarget', this.#onOtherTarget).off('Inspector.targetCrashed', this.#onCrash);
    context.off('targetcreated', this.#onOtherTarget);
    this.#open.clear();
  }

  /** Resolves if the renderer process of the page crashes. */
  get crashed(): Promise<void> {
    return this.#crashed.promise;
  }

  /** Response of the current document if it came over the network; includes Set-Cookie if Chromium reported it. */
  get response(): DocumentResponse | undefined {
    return this.#rawResponse?.status === this.#response?.status
      ? (this.#rawResponse ?? this.#response)
      : this.#response;
  }

  get failedNavigation(): FailedNavigation | undefined {
    return this.#failedNavigation;
  }

  /** Whether the main frame is navigating. */
  get isNavigating(): boolean {
    return this.#open.has(this.#navigationId) && !this.#hasResponse;
  }

  /** Whether no pending request can change the document. */
  get isIdle(): boolean {
    return ![...this.#open].some(([requestId, { canChangePage }]) => canChangePage || requestId === this.#navigationId);
  }

  /** Whether scripts have sent requests. */
  get hasFetched(): boolean {
    return this.#fetchCounts.size > 0;
  }

  /** URLs of the main frame in order: redirects of every kind, then the final one. */
  get visited(): readonly string[] {
    return this.#visited;
  }

  /** Milliseconds since the last start or end of a request that can change the page; 0 while one is pending. */
  quietForMs(maxOpenMs: number): number {
    const nowMs = performance.now();
    for (const { startedAtMs, canChangePage } of this.#open.values()) {
      if (canChangePage && nowMs - startedAtMs < maxOpenMs) return 0;
    }
    return nowMs - this.#lastChangeAtMs;
  }

  /** Milliseconds since the last start or end of any request except polling; 0 while one is pending. */
  networkIdleForMs(maxOpenMs: number): number {
    const nowMs = performance.now();
    for (const { startedAtMs, isPolling } of this.#open.values()) {
      if (!isPolling && nowMs - startedAtMs < maxOpenMs) return 0;
    }
    return nowMs - this.#lastTrafficAtMs;
  }

  /** Resets the polling detection before an action, which may repeat requests legitimately. */
  resetPolling(): void {
    this.#fetchCounts.clear();
    this.#lastChangeAtMs = performance.now();
  }

  /**
   * Whether wiping one origin removes all state of the page: no document of another origin, no worker, and no pending request
   * that may outlive its document and set a cookie later.
   */
  isConfinedTo(origin: string): boolean {
    const hasOutlivingRequest = [...this.#open.values()].some(({ type }) => OUTLIVING_TYPES.has(type));
    return !this.#hasOtherTargets && !hasOutlivingRequest && [...this.#origins].every((seen) => seen === origin);
  }

  #begin(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, frameId, type = 'Other', redirectResponse } = event;
    const isMainFrame = frameId === this.#tab.mainFrameId;
    const isPolling = isMainFrame && this.#isPolling(type, event.request, redirectResponse !== undefined);
    const canChangePage = isMainFrame && CONTENT_TYPES.has(type) && !isPolling;
    const nowMs = performance.now();
    this.#open.set(requestId, { type, startedAtMs: nowMs, canChangePage, isPolling });
    if (canChangePage) this.#lastChangeAtMs = nowMs;
    if (!isPolling) this.#lastTrafficAtMs = nowMs;
    if (type === 'Document') this.#beginDocument(event, isMainFrame);
  }

  #beginDocument(
    { requestId, loaderId, request, redirectResponse }: Protocol.Network.RequestWillBeSentEvent,
    isMainFrame: boolean,
  ): void {
    const url = URL.parse(request.url);
    // Credentials in a URL stay in the browser's authentication cache.
    const hasNoCredentials = url !== null && url.username === '' && url.password === '';
    // An opaque origin (data:, about:) stores nothing.
    if (url?.origin !== 'null') this.#origins.add(hasNoCredentials ? url.origin : 'other');
    if (!isMainFrame || requestId !== loaderId) return;
    if (!isInternalRedirect(redirectResponse)) this.#visited.push(request.url);
    if (requestId === this.#navigationId) this.#response = undefined;
    this.#navigationId = requestId;
    this.#hasResponse = false;
    this.#failedNavigation = undefined;
  }

  #isPolling(type: string, { method, url: href }: Protocol.Network.Request, isRedirected: boolean): boolean {
    if (!FETCHING_TYPES.has(type)) return false;
    const url = URL.parse(href);
    const key = `${method} ${url?.origin}${url?.pathname}`;
    const count = (this.#fetchCounts.get(key) ?? 0) + (isRedirected ? 0 : 1);
    this.#fetchCounts.set(key, count);
    return count >= POLLING_FROM;
  }

  #finish(requestId: string): void {
    const request = this.#open.get(requestId);
    if (request?.canChangePage === true) this.#lastChangeAtMs = performance.now();
    if (request?.isPolling === false) this.#lastTrafficAtMs = performance.now();
    this.#open.delete(requestId);
  }
}
