import { within } from '@tidemark/deadline';
import type { Browser, CDPSession } from 'puppeteer-core';
import type { EgressOptions } from '../egress/egress-proxy.ts';
import { browserFlags } from './flags.ts';
import { memoryOf } from './process-tree.ts';
import { makeProfile, removeProfile } from './profiles.ts';
import { launchChromium } from './puppeteer.ts';
import { sandboxedProgram } from './sandbox.ts';
import { type BrowserHandle, Tab, type TabKey } from './tab.ts';

const LAUNCH_DEADLINE_MS = 30_000;
const CLOSE_DEADLINE_MS = 3_000;
const PROFILE_RETRY_MS = 1_000;

export interface BrowserSettings {
  readonly executablePath: string;
  readonly userAgent: string;
  readonly profileDir: string;
  readonly egress: EgressOptions;
  /** False: pages run with the rights of the browser process. */
  readonly isSandboxed: boolean;
}

/** The browser exited or was killed while a page was rendered. */
export class BrowserExited extends Error {
  override readonly name = 'BrowserGone';
}

/** One running Chromium with its own profile. */
export class BrowserProcess {
  readonly #browser: Browser;
  readonly #profileDir: string;
  readonly #handle: BrowserHandle;
  readonly #exitListeners = new Set<() => void>();
  readonly #exited = Promise.withResolvers<void>();
  readonly launchedAtMs = performance.now();
  /** Pages opened since the launch. */
  pages = 0;
  /** Tabs in use by renders. */
  busy = 0;
  /** Accepts no new page; closed after its last page. */
  isDraining = false;
  #hasExited = false;
  #isClosing = false;

  private constructor(handle: BrowserHandle, profileDir: string) {
    const { browser } = handle;
    this.#browser = browser;
    this.#profileDir = profileDir;
    this.#handle = handle;
    // A browser without its pipe cannot be controlled.
    browser.once('disconnected', () => this.#killGroup());
    browser.process()?.once('exit', () => this.#onProcessExit());
  }

  static async launch(settings: BrowserSettings): Promise<BrowserProcess> {
    const profileDir = makeProfile(settings.profileDir);
    try {
      const browser = await launchBrowser(settings, profileDir);
      const browserSession = await browser.target().createCDPSession();
      await closeInitialPage(browserSession);
      const { egress, userAgent } = settings;
      return new BrowserProcess({ browser, browserSession, egress, userAgent, tabs: new Set() }, profileDir);
    } catch (error) {
      removeProfile(profileDir);
      throw error;
    }
  }

  get pid(): number {
    return this.#browser.process()?.pid ?? 0;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Whether it exited without a call to `close`. */
  get hasCrashed(): boolean {
    return this.#hasExited && !this.#isClosing;
  }

  /** Resolves when the process has exited. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  memoryBytes(): number {
    return memoryOf(this.pid);
  }

  openTab(key: TabKey | undefined): Promise<Tab> {
    return Tab.open(this.#handle, key);
  }

  /** Returns the result of the promise. @throws BrowserExited if the browser exits first */
  async raceExit<T>(promise: Promise<T>): Promise<T> {
    // Not `exited.then`, which would retain every result until the browser exits.
    const exit = Promise.withResolvers<never>();
    const onExit = () => exit.reject(new BrowserExited('the browser exited during the render'));
    for (const pending of [promise, exit.promise]) pending.catch(() => undefined);
    this.#exitListeners.add(onExit);
    if (this.#hasExited) onExit();
    try {
      return await Promise.race([promise, exit.promise]);
    } finally {
      this.#exitListeners.delete(onExit);
    }
  }

  /** Whether the browser responds within the time. */
  async respondsWithin(ms: number): Promise<boolean> {
    // A raw command, since puppeteer caches the version.
    const response = this.#handle.browserSession.send('Browser.getVersion').then(
      () => true,
      () => false,
    );
    return within(response, ms, () => false);
  }

  /** Closes the browser; kills it after a deadline. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const forced = setTimeout(() => this.#killGroup(), CLOSE_DEADLINE_MS);
    this.#browser.close().catch(() => this.#killGroup());
    await this.exited;
    clearTimeout(forced);
  }

  /** Kills the browser. Counts as a crash. */
  kill(): void {
    this.#killGroup();
  }

  #killGroup(): void {
    const { pid } = this;
    if (pid === 0) return;
    try {
      // Puppeteer starts the browser as the leader of a process group.
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.#browser.process()?.kill('SIGKILL');
    }
  }

  #onProcessExit(): void {
    this.#hasExited = true;
    // Its child processes may survive it briefly and continue to write.
    this.#killGroup();
    removeProfile(this.#profileDir);
    setTimeout(() => removeProfile(this.#profileDir), PROFILE_RETRY_MS).unref();
    for (const tab of this.#handle.tabs) tab.egressProxy.close();
    for (const onExit of this.#exitListeners) onExit();
    this.#exited.resolve();
  }
}

/** Closes the page with which every browser starts. */
async function closeInitialPage(browserSession: CDPSession): Promise<void> {
  const { targetInfos } = await browserSession.send('Target.getTargets');
  for (const { targetId, type } of targetInfos) {
    if (type === 'page') await browserSession.send('Target.closeTarget', { targetId });
  }
}

function launchBrowser(settings: BrowserSettings, profileDir: string): Promise<Browser> {
  const { executablePath, isSandboxed } = settings;
  return launchChromium({
    executablePath: isSandboxed ? sandboxedProgram(executablePath, profileDir) : executablePath,
    args: browserFlags(settings.userAgent, isSandboxed),
    profileDir,
    timeoutMs: LAUNCH_DEADLINE_MS,
  });
}
