import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type { BrowserProcess } from '../chromium/browser-process.ts';

const TICK_MS = 1_000;
const MEMORY_EVERY_TICKS = 10;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;

/** Limits after which a browser is replaced, closed or killed. */
export interface BrowserLimits {
  readonly maxAgeMs: number;
  readonly maxPages: number;
  readonly maxMemoryBytes: number;
  readonly idleMs: number;
  readonly hangMs: number;
}

/** Keeps one browser running while there is work: launches it on demand and replaces it at its limits, after a crash or a hang. */
export class BrowserSupervisor {
  readonly #launch: () => Promise<BrowserProcess>;
  readonly #limits: BrowserLimits;
  readonly #log: Logger;
  readonly #running = new Set<BrowserProcess>();
  readonly #checking = new WeakSet<BrowserProcess>();
  #current: Promise<BrowserProcess> | undefined;
  #failures = 0;
  #notBeforeMs = 0;
  #lastBusyAtMs = performance.now();
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  recycled = 0;
  crashed = 0;

  constructor(launch: () => Promise<BrowserProcess>, limits: BrowserLimits, log: Logger) {
    this.#launch = launch;
    this.#limits = limits;
    this.#log = log;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Returns a browser that accepts pages, launching one if necessary. @throws AppError unavailable if the launch fails */
  async current(): Promise<BrowserProcess> {
    if (this.#isClosed) throw new AppError('unavailable', 'the browsers are shutting down', { retryAfterSeconds: 1 });
    this.#lastBusyAtMs = performance.now();
    this.#current ??= this.#start();
    return this.#current;
  }

  /** Records a rendered page, which resets the launch backoff. */
  recordSuccess(): void {
    this.#failures = 0;
  }

  /** Ends a page on a browser; closes a draining browser after its last page. */
  async release(browser: BrowserProcess): Promise<void> {
    browser.busy -= 1;
    this.#lastBusyAtMs = performance.now();
    if (browser.pages >= this.#limits.maxPages) this.#drain(browser, 'pages');
    if (browser.isDraining && browser.busy === 0) await browser.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#current?.catch(() => undefined);
    await Promise.all([...this.#running].map((browser) => browser.close()));
  }

  async #start(): Promise<BrowserProcess> {
    try {
      const waitMs = this.#notBeforeMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const browser = await this.#launch();
      this.#running.add(browser);
      browser.exited.then(() => this.#onExit(browser));
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
      this.#log.info({ pid: browser.pid }, 'browser launched');
      return browser;
    } catch (error) {
      this.#current = undefined;
      this.#backOff();
      this.#log.error({ err: error }, 'browser launch failed, will retry on the next render');
      throw new AppError('unavailable', 'no browser is available at the moment', {
        cause: error,
        retryAfterSeconds: 5,
      });
    }
  }

  #onExit(browser: BrowserProcess): void {
    this.#running.delete(browser);
    if (!browser.isDraining) this.#current = undefined;
    if (this.#running.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (!browser.hasCrashed) return;
    this.crashed += 1;
    this.#backOff();
    this.#log.warn({ pid: browser.pid, pages: browser.pages }, 'browser exited unexpectedly');
  }

  /** Delays the next launch exponentially; the first relaunch is immediate. */
  #backOff(): void {
    const delayMs = this.#failures === 0 ? 0 : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#notBeforeMs = performance.now() + delayMs;
  }

  #drain(browser: BrowserProcess, reason: string): void {
    if (browser.isDraining || browser.hasExited) return;
    browser.isDraining = true;
    this.#current = undefined;
    this.recycled += 1;
    this.#log.info({ pid: browser.pid, reason, pages: browser.pages }, 'browser reached its limit, replacing it');
  }

  #tick(): void {
    this.#ticks += 1;
    const isMemoryDue = this.#ticks % MEMORY_EVERY_TICKS === 0;
    for (const browser of this.#running) {
      const ageMs = performance.now() - browser.launchedAtMs;
      if (ageMs > this.#limits.maxAgeMs) this.#drain(browser, 'age');
      else if (isMemoryDue && browser.memoryBytes() > this.#limits.maxMemoryBytes) this.#drain(browser, 'memory');
      else if (browser.busy === 0 && performance.now() - this.#lastBusyAtMs > this.#limits.idleMs)
        this.#closeIdle(browser);
      if (browser.isDraining && browser.busy === 0) void browser.close();
      if (browser.busy > 0 && !this.#checking.has(browser)) void this.#checkResponsive(browser);
    }
  }

  #closeIdle(browser: BrowserProcess): void {
    browser.isDraining = true;
    this.#current = undefined;
    this.#log.info({ pid: browser.pid }, 'browser is idle, closing it');
  }

  /** Kills a browser that does not respond: a stopped process keeps its pipe open. */
  async #checkResponsive(browser: BrowserProcess): Promise<void> {
    this.#checking.add(browser);
    const isAlive = await browser.respondsWithin(this.#limits.hangMs);
    this.#checking.delete(browser);
    if (isAlive || browser.hasExited) return;
    this.#log.warn({ pid: browser.pid }, 'browser does not respond, killing it');
    browser.kill();
  }
}
