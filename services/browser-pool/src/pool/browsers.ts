import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type { BrowserProcess } from '../chromium/browser-process.ts';

const TICK_MS = 1_000;
const MEMORY_EVERY_TICKS = 10;
const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 10_000;

/** When a browser has done its part. */
export interface BrowserLimits {
  readonly maxAgeMs: number;
  readonly maxPages: number;
  readonly maxMemoryBytes: number;
  readonly idleMs: number;
  readonly hangMs: number;
}

/** Keeps a browser running while there is work: launched at the first need, replaced when worn out, dead or hanging. */
export class Browsers {
  readonly #launch: () => Promise<BrowserProcess>;
  readonly #limits: BrowserLimits;
  readonly #log: Logger;
  readonly #running = new Set<BrowserProcess>();
  readonly #asked = new WeakSet<BrowserProcess>();
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

  /** A browser that takes pages, launched if need be. @throws AppError unavailable where none can be had */
  async current(): Promise<BrowserProcess> {
    if (this.#isClosed) throw new AppError('unavailable', 'the browsers are shutting down', { retryAfterSeconds: 1 });
    this.#lastBusyAtMs = performance.now();
    this.#current ??= this.#start();
    return this.#current;
  }

  /** Tells that a page went well, so that earlier crashes no longer slow the next launch down. */
  praise(): void {
    this.#failures = 0;
  }

  /** Takes a page off a browser; a worn out one goes with its last. */
  async leave(browser: BrowserProcess): Promise<void> {
    browser.busy -= 1;
    this.#lastBusyAtMs = performance.now();
    if (browser.pages >= this.#limits.maxPages) this.#retire(browser, 'pages');
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
      browser.gone.then(() => this.#forget(browser));
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
      this.#log.info({ pid: browser.pid }, 'browser launched');
      return browser;
    } catch (error) {
      this.#current = undefined;
      this.#backOff();
      this.#log.error({ err: error }, 'the browser could not be launched');
      throw new AppError('unavailable', 'no browser can be had at the moment', { cause: error, retryAfterSeconds: 5 });
    }
  }

  #forget(browser: BrowserProcess): void {
    this.#running.delete(browser);
    if (!browser.isDraining) this.#current = undefined;
    if (this.#running.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (!browser.hasCrashed) return;
    this.crashed += 1;
    this.#backOff();
    this.#log.warn({ pid: browser.pid, pages: browser.pages }, 'browser ended unexpectedly');
  }

  /** The first relaunch is immediate; a browser that keeps dying is started ever more rarely. */
  #backOff(): void {
    const delayMs = this.#failures === 0 ? 0 : Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#notBeforeMs = performance.now() + delayMs;
  }

  #retire(browser: BrowserProcess, reason: string): void {
    if (browser.isDraining || browser.isGone) return;
    browser.isDraining = true;
    this.#current = undefined;
    this.recycled += 1;
    this.#log.info({ pid: browser.pid, reason, pages: browser.pages }, 'browser is replaced');
  }

  #tick(): void {
    this.#ticks += 1;
    const isMemoryDue = this.#ticks % MEMORY_EVERY_TICKS === 0;
    for (const browser of this.#running) {
      const ageMs = performance.now() - browser.launchedAtMs;
      if (ageMs > this.#limits.maxAgeMs) this.#retire(browser, 'age');
      else if (isMemoryDue && browser.memoryBytes() > this.#limits.maxMemoryBytes) this.#retire(browser, 'memory');
      else if (browser.busy === 0 && performance.now() - this.#lastBusyAtMs > this.#limits.idleMs) this.#idle(browser);
      if (browser.isDraining && browser.busy === 0) void browser.close();
      if (browser.busy > 0 && !this.#asked.has(browser)) void this.#ask(browser);
    }
  }

  #idle(browser: BrowserProcess): void {
    browser.isDraining = true;
    this.#current = undefined;
    this.#log.info({ pid: browser.pid }, 'browser is closed: nothing to do');
  }

  /** A stopped browser keeps its pipe open and looks alive; only asking it tells. */
  async #ask(browser: BrowserProcess): Promise<void> {
    this.#asked.add(browser);
    const isAlive = await browser.answersWithin(this.#limits.hangMs);
    this.#asked.delete(browser);
    if (isAlive || browser.isGone) return;
    this.#log.warn({ pid: browser.pid }, 'browser hangs and is killed');
    browser.kill();
  }
}
