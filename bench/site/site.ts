import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { shareOf } from '../shared/random.ts';
import { addressesFrom } from './addresses.ts';
import { Bodies, type Body } from './bodies.ts';
import { Counters, RateLimit } from './counters.ts';
import { fileKindOf, SiteFiles } from './files.ts';
import type { Listen, SiteOptions } from './options.ts';
import { type PlannedPage, SitePlan, type SpecialPage } from './plan.ts';
import { jsonResponse, redirectTo, refusal, type SiteResponse, send, textResponse } from './responses.ts';
import { SPECIALS } from './special-kinds.ts';
import { changesBetween, type SiteTruth, scoreOf, truthOf } from './truth.ts';
import { exhibits, sendExhibit } from './zoo.ts';

const CONTROL = '/__site/';
const FLAKY_RETRY_SECONDS = 1;
/** Share of tree pages that respond slowly. */
const SLOW = 0.01;
/** A request may choose the generation that it is answered from. */
export const GENERATION_HEADER = 'x-site-generation';

/** One loopback address that the site listens on: state and counters of its own. */
interface Host {
  readonly counters: Counters;
  readonly limit: RateLimit;
}

/** Serves a deterministic test site on one or more loopback addresses. */
export class TestSite {
  readonly #options: SiteOptions;
  readonly #plan: SitePlan;
  readonly #bodies: Bodies;
  readonly #files: SiteFiles;
  readonly #hosts = new Map<string, Host>();
  readonly #servers: Server[] = [];
  readonly #truths = new Map<number, SiteTruth>();
  #generation = 1;

  constructor(options: SiteOptions) {
    this.#options = options;
    this.#plan = new SitePlan(options);
    this.#bodies = new Bodies(this.#plan);
    this.#files = new SiteFiles(this.#plan);
    if (options.prewarm) this.#bodies.prewarm(1);
  }

  /** Listens on consecutive addresses. @returns the port, the same on all of them */
  async listen({ host, hosts, port }: Listen): Promise<number> {
    let chosen = port;
    for (const address of addressesFrom(host, hosts)) chosen = await this.#listenOn(address, chosen);
    return chosen;
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  #listenOn(address: string, port: number): Promise<number> {
    const server = createServer((request, response) => void this.#respond(request, response, address));
    this.#servers.push(server);
    return new Promise((done, failed) => {
      server.once('error', failed);
      server.listen(port, address, () => {
        const bound = server.address();
        done(typeof bound === 'object' && bound !== null ? bound.port : 0);
      });
    });
  }

  #hostAt(address: string): Host {
    const known = this.#hosts.get(address);
    if (known !== undefined) return known;
    const host = { counters: new Counters(), limit: new RateLimit(this.#options.rate) };
    this.#hosts.set(address, host);
    return host;
  }

  async #respond(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    const url = URL.parse(request.url ?? '/', `http://${request.headers.host ?? address}`);
    const isHead = request.method === 'HEAD';
    if (url === null) return send(response, textResponse(400, 'no URL'), isHead);
    const host = this.#hostAt(address);
    if (url.pathname.startsWith(CONTROL)) return send(response, this.#control(url, host), isHead);
    const path = url.pathname + url.search;
    const generation = Number(request.headers[GENERATION_HEADER] ?? this.#generation);
    const page = url.search === '' ? this.#plan.find(url.pathname, generation) : undefined;
    const crawlDelayMs = page === undefined ? 0 : this.#options.crawlDelay * 1_000;
    const times = host.counters.start(path, page?.kind ?? fileKindOf(url), Date.now(), crawlDelayMs);
    response.once('close', () => {
      const bytes = Number(response.getHeader('content-length') ?? 0);
      host.counters.end(path, response.statusCode, isHead ? 0 : bytes);
    });
    if (page === undefined) {
      const file = this.#files.responseTo(url, generation);
      if (file === undefined && sendExhibit(url.pathname, request, response, this.#plan)) return;
      return send(response, file ?? textResponse(404, 'Not found'), isHead);
    }
    await this.#wait(page, path);
    send(response, this.#pageResponse(page, { request, host, generation, times }), isHead);
  }

  async #wait(page: PlannedPage, path: string): Promise<void> {
    const { seed, latencyMs, jitterMs, slowMs } = this.#options;
    const isSlow = page.kind === 'page' && page.id > 0 && shareOf(seed, 'slow', page.id) < SLOW;
    const waitMs = latencyMs + jitterMs * shareOf(seed, 'jitter', path) + (isSlow ? slowMs : 0);
    if (waitMs > 0) await delay(waitMs);
  }

  /** `times`: how often the page was requested before. */
  #pageResponse(
    page: PlannedPage,
    call: {
      readonly request: IncomingMessage;
      readonly host: Host;
      readonly generation: number;
      readonly times: number;
    },
  ): SiteResponse {
    const { request, host, generation, times } = call;
    if ('referrer' in page) {
      const other = this.#specialResponse(page, host, times);
      if (other !== undefined) return other;
    }
    const status = 'referrer' in page ? SPECIALS[page.kind].status : 200;
    return bodyResponse(request, status, this.#bodies.of(page, generation));
  }

  /** Returns the response of a special page that does not send its body. */
  #specialResponse(page: SpecialPage, { counters, limit }: Host, times: number): SiteResponse | undefined {
    if (page.kind === 'redirect') {
      const { status, path } = this.#plan.targetOf(page);
      return redirectTo(status, path);
    }
    if (page.kind === 'flaky' && times === 0) {
      counters.countFlaky();
      return refusal(503, FLAKY_RETRY_SECONDS);
    }
    if (page.kind !== 'limited') return undefined;
    const now = Date.now();
    const waitMs = limit.take(now);
    counters.limited(now, waitMs);
    return waitMs === undefined ? undefined : refusal(429, waitMs / 1_000);
  }

  #truth(generation: number): SiteTruth {
    const truth = this.#truths.get(generation) ?? truthOf(this.#plan, generation);
    this.#truths.set(generation, truth);
    return truth;
  }

  /** Answers the requests that measure and control the site. They are not counted. */
  #control({ pathname, searchParams }: URL, { counters }: Host): SiteResponse {
    const generation = Number(searchParams.get('generation') ?? this.#generation);
    switch (pathname.slice(CONTROL.length)) {
      case 'truth':
        return jsonResponse(this.#truth(generation));
      case 'changes':
        return jsonResponse(changesBetween(this.#plan, Number(searchParams.get('base') ?? 1), generation));
      case 'stats':
        return jsonResponse(counters.stats);
      case 'requests':
        return jsonResponse(Object.fromEntries(counters.byPath));
      case 'score':
        return jsonResponse(scoreOf(this.#truth(generation), counters));
      case 'zoo':
        return jsonResponse(exhibits());
      case 'reset':
        this.#hosts.clear();
        return jsonResponse({});
      case 'generation':
        this.#moveTo(Number(searchParams.get('to') ?? 1));
        return jsonResponse({ generation: this.#generation });
      default:
        return textResponse(404, 'unknown control path');
    }
  }

  #moveTo(generation: number): void {
    this.#generation = generation;
    if (this.#options.prewarm) this.#bodies.prewarm(generation);
  }
}

/** Returns a page, compressed where the client accepts it, or 304 where the client has it. */
function bodyResponse(request: IncomingMessage, status: number, { html, gzip, etag, modifiedAt }: Body): SiteResponse {
  const headers: Record<string, string> = { 'content-type': 'text/html; charset=utf-8', vary: 'accept-encoding' };
  if (status === 200) {
    headers['last-modified'] = modifiedAt.toUTCString();
    headers['cache-control'] = 'max-age=0, must-revalidate';
    if (etag !== undefined) headers['etag'] = etag;
    if (etag !== undefined && isUnchanged(request, etag, modifiedAt)) return { status: 304, headers, body: '' };
  }
  const isGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (isGzip) headers['content-encoding'] = 'gzip';
  return { status, headers, body: isGzip ? gzip : html };
}

/** RFC 9110, 13.1: If-None-Match has precedence over If-Modified-Since. */
function isUnchanged({ headers }: IncomingMessage, etag: string, modifiedAt: Date): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Number.isFinite(since) && modifiedAt.getTime() <= since;
}
