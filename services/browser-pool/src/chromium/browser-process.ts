import type { Logger } from '@tidemark/service';
import type { Browser, CDPSession } from 'puppeteer-core';
import type { Egress } from '../egress/egress-proxy.ts';
import { canSandbox, flags } from './flags.ts';
import { memoryOf } from './process-tree.ts';
import { makeProfile, removeProfile } from './profiles.ts';
import { launchChromium } from './puppeteer.ts';
import { type Ground, Tab, type TabKey } from './tab.ts';

const LAUNCH_DEADLINE_MS = 30_000;
const CLOSE_DEADLINE_MS = 3_000;
const SECOND_SWEEP_MS = 1_000;

export interface BrowserSettings {
  readonly executablePath: string;
  readonly userAgent: string;
  readonly profileDir: string;
  readonly egress: Egress;
  readonly log: Logger;
}

/** Thrown where the browser died or was killed under a page. */
export class BrowserGone extends Error {
  override readonly name = 'BrowserGone';
}

/** One running Chromium with a profile of its own. */
export class BrowserProcess {
  readonly #browser: Browser;
  readonly #profileDir: string;
  readonly #ground: Ground;
  readonly #leaving = new Set<() => void>();
  readonly #gone = Promise.withResolvers<void>();
  readonly launchedAtMs = performance.now();
  /** Pages opened since the launch. */
  pages = 0;
  /** Tabs out on a render. */
  busy = 0;
  /** Takes no new page; closed when its last one is done. */
  isDraining = false;
  #isGone = false;
  #isWanted = true;

  private constructor(ground: Ground, profileDir: string) {
    const { browser } = ground;
    this.#browser = browser;
    this.#profileDir = profileDir;
    this.#ground = ground;
    // Without its pipe it can't be told anything any more.
    browser.once('disconnected', () => this.#signal());
    browser.process()?.once('exit', () => this.#end());
  }

  static async launch(settings: BrowserSettings): Promise<BrowserProcess> {
    const profileDir = makeProfile(settings.profileDir);
    try {
      const browser = await launchWhateverSandbox(settings, profileDir);
      const root = await browser.target().createCDPSession();
      await closeFirstPage(root);
      const { egress, userAgent } = settings;
      return new BrowserProcess({ browser, root, egress, userAgent, tabs: new Set() }, profileDir);
    } catch (error) {
      removeProfile(profileDir);
      throw error;
    }
  }

  get pid(): number {
    return this.#browser.process()?.pid ?? 0;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Ended without having been asked to. */
  get hasCrashed(): boolean {
    return this.#isGone && this.#isWanted;
  }

  /** Resolves when the process has ended, for whatever reason. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  memoryBytes(): number {
    return memoryOf(this.pid);
  }

  openTab(key: TabKey | undefined): Promise<Tab> {
    return Tab.open(this.#ground, key);
  }

  /** The promise's result, unless the browser goes first. @throws BrowserGone */
  async whileHere<T>(promise: Promise<T>): Promise<T> {
    // Not `gone.then`: that would hold on to every result until the browser's end.
    const end = Promise.withResolvers<never>();
    const leave = () => end.reject(new BrowserGone('the browser ended under the page'));
    for (const either of [promise, end.promise]) either.catch(() => undefined);
    this.#leaving.add(leave);
    if (this.#isGone) leave();
    try {
      return await Promise.race([promise, end.promise]);
    } finally {
      this.#leaving.delete(leave);
    }
  }

  /** Whether the browser answers within the time. */
  async answersWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), ms);
    // puppeteer keeps its own copy of the version; only the browser itself can show that it is alive.
    const answer = this.#ground.root.send('Browser.getVersion').then(
      () => true,
      () => false,
    );
    const isAlive = await Promise.race([answer, late.promise]);
    clearTimeout(timer);
    return isAlive;
  }

  /** Ends it politely, and by force where that takes too long. */
  async close(): Promise<void> {
    this.#isWanted = false;
    const forced = setTimeout(() => this.#signal(), CLOSE_DEADLINE_MS);
    this.#browser.close().catch(() => this.#signal());
    await this.gone;
    clearTimeout(forced);
  }

  /** Ends it by force. Counts as a crash. */
  kill(): void {
    this.#signal();
  }

  #signal(): void {
    const { pid } = this;
    if (pid === 0) return;
    try {
      // Puppeteer starts the browser as leader of its own process group.
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.#browser.process()?.kill('SIGKILL');
    }
  }

  #end(): void {
    this.#isGone = true;
    // Its children may outlive it by a moment and write on.
    this.#signal();
    removeProfile(this.#profileDir);
    setTimeout(() => removeProfile(this.#profileDir), SECOND_SWEEP_MS).unref();
    for (const tab of this.#ground.tabs) tab.egressProxy.close();
    for (const leave of this.#leaving) leave();
    this.#gone.resolve();
  }
}

/** Every browser starts with a page that nobody uses. */
async function closeFirstPage(root: CDPSession): Promise<void> {
  const { targetInfos } = await root.send('Target.getTargets');
  for (const { targetId, type } of targetInfos) {
    if (type === 'page') await root.send('Target.closeTarget', { targetId });
  }
}

/** With the sandbox where the system seems to allow it, and without where that turns out wrong. */
async function launchWhateverSandbox(settings: BrowserSettings, profileDir: string): Promise<Browser> {
  const launch = (isSandboxed: boolean) =>
    launchChromium({
      executablePath: settings.executablePath,
      args: flags(settings.userAgent, isSandboxed),
      profileDir,
      timeoutMs: LAUNCH_DEADLINE_MS,
    });
  if (!canSandbox()) return launch(false);
  try {
    return await launch(true);
  } catch (error) {
    settings.log.warn({ err: error }, 'Chromium did not start with its sandbox; starting it without');
    return launch(false);
  }
}
