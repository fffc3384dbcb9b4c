import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import { performActions } from '../actions/perform-actions.ts';
import type { TabKey } from '../chromium/tab.ts';
import type { Failure } from '../page/failures.ts';
import { NetworkActivity } from '../page/network-activity.ts';
import { RenderContext } from '../page/render-context.ts';
import type { Action, ActionResult, RenderTask } from '../page/render-task.ts';
import { TimeBudget } from '../page/time-budget.ts';
import type { BrowserSupervisor } from '../pool/browser-supervisor.ts';
import { SessionLocks } from '../pool/session-locks.ts';
import { loadPage, pageFailureOf } from '../render/render-page.ts';
import { type PickedElement, pickScript, toPicked } from './element-scripts.ts';
import { type LiveTab, openLiveTab } from './live-tab.ts';
import {
  type InputOutcome,
  type LiveInput,
  type Point,
  performInput,
  type RecordChange,
  type UnrecordedReason,
} from './perform-input.ts';
import { MAX_ACTIONS, withAction, withoutLastCharacter, withoutTextsOf } from './recorded-actions.ts';
import { Screencast } from './screencast.ts';

/** Deadlines of one operation, ms. */
const OPEN_MS = 30_000;
const INPUT_MS = 70_000;
const PLAY_MS = 120_000;
const PICK_MS = 3_000;
/** A broken pipe is detected shortly before the exit of its process. */
const EXIT_GRACE_MS = 300;
/** Streams of one page at once. */
const MAX_WATCHERS = 4;
const DESKTOP = { width: 1_280, height: 800 };
const MOBILE = { width: 390, height: 844 };

/** Why a live page ended. */
export type LivePageEnd = 'expired' | 'closed' | 'idle' | 'crashed' | 'shutdown';

/** A frame of the viewport. */
export interface LiveFrame {
  readonly jpeg: Buffer;
  readonly url: string;
}

/** Result of an input. */
export interface InputResult extends Pick<InputOutcome, 'note' | 'list'> {
  /** Undefined: it was recorded. */
  readonly unrecorded: UnrecordedReason | undefined;
  readonly failure: Failure | undefined;
}

/** Result of playing actions. */
export interface PlayResult {
  readonly results: readonly ActionResult[];
  readonly failure: Failure | undefined;
}

export interface LivePageOptions {
  readonly id: string;
  /** The page, with headers, cookies and device; its actions are not performed. */
  readonly task: RenderTask;
  readonly lifetimeMs: number;
  /** Time without watchers and input after which the page ends, ms. */
  readonly idleMs: number;
  readonly onEnd: (page: LivePage) => void;
}

/**
 * A page that stays open in a tab of its own and that a person operates. Operations run one after the other. Its traffic passes the egress proxy of
 * its tab, as that of every page.
 */
export class LivePage {
  readonly id: string;
  readonly #options: LivePageOptions;
  readonly #browsers: BrowserSupervisor;
  readonly #locks = new SessionLocks();
  readonly #lifetime: NodeJS.Timeout;
  #live: LiveTab;
  #screencast: Screencast;
  #actions: readonly Action[] = [];
  #url: string;
  #frame: LiveFrame | undefined;
  #end: LivePageEnd | undefined;
  #changed = Promise.withResolvers<void>();
  #watchers = 0;
  #operations = 0;
  #idle: NodeJS.Timeout | undefined;

  private constructor(browsers: BrowserSupervisor, live: LiveTab, options: LivePageOptions) {
    this.id = options.id;
    this.#options = options;
    this.#browsers = browsers;
    this.#url = options.task.url.href;
    this.#live = live;
    this.#screencast = this.#attach(live);
    this.#lifetime = setTimeout(() => this.end('expired'), options.lifetimeMs).unref();
  }

  /** Opens the page. @returns why it can not be opened, or the page @throws AppError unavailable */
  static async open(
    browsers: BrowserSupervisor,
    options: LivePageOptions,
    signal: AbortSignal,
  ): Promise<LivePage | Failure> {
    const page = new LivePage(browsers, await openTab(browsers, options.task), options);
    try {
      const failure = await page.#operate(OPEN_MS, signal, (context) => page.#load(context));
      if (failure === undefined) return page;
      await page.end('closed');
      return failure;
    } catch (error) {
      await page.end('closed');
      throw error;
    }
  }

  get workspaceId(): string {
    return this.#options.task.workspaceId;
  }

  get url(): string {
    return this.#url;
  }

  /** Recorded actions. */
  get actions(): readonly Action[] {
    return this.#actions;
  }

  /** Size of the viewport, CSS pixels. */
  get viewport(): { readonly width: number; readonly height: number } {
    return this.#options.task.device === 'mobile' ? MOBILE : DESKTOP;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Replaces the recorded actions. */
  setActions(actions: readonly Action[]): void {
    this.#actions = actions;
  }

  /** Yields the newest frame after each change, and last why the page ended. @throws AppError conflict if it has `MAX_WATCHERS` */
  async *watch(signal: AbortSignal): AsyncGenerator<LiveFrame | LivePageEnd> {
    if (this.#watchers >= MAX_WATCHERS)
      throw new AppError('conflict', `the page has ${MAX_WATCHERS} open streams, the maximum; close one first`);
    this.#watchers += 1;
    this.#checkIdle();
    this.#screencast.start();
    const aborted = Promise.withResolvers<void>();
    const abort = () => aborted.resolve();
    signal.addEventListener('abort', abort, { once: true });
    try {
      let shown: LiveFrame | undefined;
      while (!signal.aborted) {
        const { promise: changed } = this.#changed;
        if (this.#frame !== undefined && this.#frame !== shown) {
          shown = this.#frame;
          yield shown;
          continue;
        }
        if (this.#end !== undefined) {
          yield this.#end;
          return;
        }
        await Promise.race([changed, aborted.promise]);
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#watchers -= 1;
      if (this.#watchers === 0) this.#screencast.stop();
      this.#checkIdle();
    }
  }

  /** Performs an input and records it. @throws AppError not_found if the page has ended, conflict if no action can be added */
  async input(input: LiveInput, signal: AbortSignal): Promise<InputResult> {
    if (this.#actions.length >= MAX_ACTIONS)
      throw new AppError('conflict', `a page has at most ${MAX_ACTIONS} actions; remove one first`);
    return this.#operate(INPUT_MS, signal, async (context) => {
      try {
        const { change, note, list } = await performInput(context, input);
        return { unrecorded: this.#record(change), note, failure: undefined, ...(list === undefined ? {} : { list }) };
      } catch (error) {
        const failure = pageFailureOf(error);
        if (failure === undefined) throw error;
        return { unrecorded: 'failed' as const, note: '', failure };
      }
    });
  }

  /** Returns the element at a point. @throws AppError not_found */
  pick({ x, y }: Point, signal: AbortSignal): Promise<PickedElement | undefined> {
    return this.#operate(PICK_MS, signal, async (context) =>
      toPicked(await context.tryEvaluate(pickScript(x, y), PICK_MS)),
    );
  }

  /** Opens the first URL in a new context and performs the actions. @throws AppError not_found, unavailable */
  play(actions: readonly Action[], signal: AbortSignal): Promise<PlayResult> {
    return this.#exclusively(PLAY_MS, signal, async () => {
      const next = await openTab(this.#browsers, this.#options.task);
      const before = this.#live;
      // The page may have ended while the tab was opened.
      if (this.#end !== undefined) {
        await next.close();
        throw gone();
      }
      this.#live = next;
      this.#screencast = this.#attach(next);
      if (this.#watchers > 0) this.#screencast.start();
      await before.close();
      return this.#run(PLAY_MS, signal, async (context) => {
        const failure = await this.#load(context);
        if (failure !== undefined) return { results: [], failure };
        try {
          await performActions(context, actions);
          return { results: context.actionResults, failure: undefined };
        } catch (error) {
          const later = pageFailureOf(error);
          if (later === undefined) throw error;
          return { results: context.actionResults, failure: later };
        }
      });
    });
  }

  /** Ends the page. Idempotent; resolves when its tab is closed. */
  async end(reason: LivePageEnd): Promise<void> {
    if (this.#end === undefined) {
      this.#end = reason;
      clearTimeout(this.#lifetime);
      clearTimeout(this.#idle);
      this.#screencast.stop();
      this.#notify();
      this.#options.onEnd(this);
    }
    await this.#live.close();
  }

  #attach(live: LiveTab): Screencast {
    const { tab, browser } = live;
    const isCurrent = () => this.#live === live;
    const crashed = () => {
      if (isCurrent()) void this.end('crashed');
    };
    void browser.exited.then(crashed);
    tab.session.on('Inspector.targetCrashed', crashed);
    tab.session.on('Page.frameNavigated', ({ frame }) => {
      if (isCurrent() && frame.id === tab.mainFrameId) this.#url = frame.url;
    });
    tab.session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (isCurrent() && frameId === tab.mainFrameId) this.#url = url;
    });
    return new Screencast(tab, (jpeg) => {
      if (!isCurrent()) return;
      // A screencast that starts again begins with the present frame.
      if (this.#frame?.url === this.#url && this.#frame.jpeg.equals(jpeg)) return;
      this.#frame = { jpeg, url: this.#url };
      this.#notify();
    });
  }

  /** Loads the first URL. @returns why it can not be read */
  async #load(context: RenderContext): Promise<Failure | undefined> {
    try {
      await loadPage(context, this.#options.task);
      return undefined;
    } catch (error) {
      const failure = pageFailureOf(error);
      if (failure === undefined) throw error;
      return failure;
    }
  }

  #record(change: RecordChange): UnrecordedReason | undefined {
    if (change.kind === 'add') {
      this.#actions = withAction(this.#actions, change.action);
      return undefined;
    }
    if (change.kind === 'erase') {
      const erased = withoutLastCharacter(this.#actions, change.selector);
      this.#actions = erased ?? withAction(this.#actions, change.otherwise);
      return erased === undefined ? undefined : 'edit';
    }
    if (change.secretField !== undefined) this.#actions = withoutTextsOf(this.#actions, change.secretField);
    return change.reason;
  }

  #operate<T>(maxMs: number, signal: AbortSignal, work: (context: RenderContext) => Promise<T>): Promise<T> {
    return this.#exclusively(maxMs, signal, () => this.#run(maxMs, signal, work));
  }

  /** Runs work after all earlier work of this page. @throws AppError not_found if the page has ended */
  async #exclusively<T>(maxMs: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#end !== undefined) throw gone();
    this.#operations += 1;
    this.#checkIdle();
    try {
      const release = await this.#locks.acquire(this.id, AbortSignal.any([signal, AbortSignal.timeout(maxMs)]));
      try {
        if (this.#end !== undefined) throw gone();
        return await work();
      } finally {
        release();
      }
    } finally {
      this.#operations -= 1;
      this.#checkIdle();
    }
  }

  async #run<T>(maxMs: number, signal: AbortSignal, work: (context: RenderContext) => Promise<T>): Promise<T> {
    const { tab, browser } = this.#live;
    // Its list of visited URLs is bounded, so it covers one operation.
    const activity = new NetworkActivity(tab);
    try {
      return await browser.raceExit(work(new RenderContext(tab, activity, new TimeBudget(maxMs, signal))));
    } catch (error) {
      if (error instanceof AppError) throw error;
      await Promise.race([browser.exited, sleep(EXIT_GRACE_MS)]);
      if (browser.hasExited) void this.end('crashed');
      throw this.#end === undefined ? error : gone(error);
    } finally {
      activity.stop();
    }
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  #checkIdle(): void {
    clearTimeout(this.#idle);
    if (this.#end !== undefined || this.#watchers > 0 || this.#operations > 0) return;
    this.#idle = setTimeout(() => void this.end('idle'), this.#options.idleMs).unref();
  }
}

function openTab(browsers: BrowserSupervisor, { url, workspaceId, exit }: RenderTask): Promise<LiveTab> {
  const key: TabKey = { workspaceId, exit: exit?.name ?? '', session: '', origin: url.origin };
  return openLiveTab(browsers, key, exit?.url ?? '');
}

const gone = (cause?: unknown): AppError =>
  new AppError('not_found', 'the live page has ended', cause === undefined ? {} : { cause });
