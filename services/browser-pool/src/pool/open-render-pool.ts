import { dialThroughExit, type EgressGuard } from '@tidemark/egress';
import type { Logger } from '@tidemark/service';
import { BrowserProcess } from '../chromium/browser-process.ts';
import { removeAbandonedProfiles } from '../chromium/profiles.ts';
import { requireSandbox, type SandboxSetting } from '../chromium/sandbox.ts';
import { BrowserSupervisor } from './browser-supervisor.ts';
import { RenderPool } from './render-pool.ts';

const MEGABYTE = 1024 * 1024;

export interface RenderPoolConfig {
  readonly CHROMIUM_PATH: string;
  readonly CHROMIUM_SANDBOX: SandboxSetting;
  readonly TIDEMARK_USER_AGENT: string;
  readonly PROFILE_DIR: string;
  readonly PAGE_MAX_MEGABYTES: number;
  readonly BROWSER_TABS: number;
  readonly QUEUE_LIMIT: number;
  readonly BROWSER_MAX_AGE_SECONDS: number;
  readonly BROWSER_MAX_PAGES: number;
  readonly BROWSER_MAX_MEGABYTES: number;
  readonly BROWSER_IDLE_SECONDS: number;
  readonly BROWSER_HANG_MS: number;
  readonly CONTEXT_MAX_PAGES: number;
  readonly BROWSER_SESSIONS: number;
  readonly BROWSER_SESSION_SECONDS: number;
}

interface BrowserDependencies {
  readonly config: RenderPoolConfig;
  readonly guard: EgressGuard;
  readonly log: Logger;
}

/**
 * Prepares the browsers. The first page launches one. The caller closes them.
 * @throws Error if Chromium's sandbox is on and not available
 */
export function openBrowsers({ config, guard, log }: BrowserDependencies): BrowserSupervisor {
  requireSandbox(config.CHROMIUM_SANDBOX);
  const isSandboxed = config.CHROMIUM_SANDBOX === 'on';
  if (!isSandboxed)
    log.warn({ setting: 'CHROMIUM_SANDBOX' }, 'Chromium runs without its sandbox, as set by CHROMIUM_SANDBOX=off');
  removeAbandonedProfiles(config.PROFILE_DIR);
  const launch = () =>
    BrowserProcess.launch({
      executablePath: config.CHROMIUM_PATH,
      userAgent: config.TIDEMARK_USER_AGENT,
      profileDir: config.PROFILE_DIR,
      egress: { guard, dialExit: dialThroughExit, maxBytes: config.PAGE_MAX_MEGABYTES * MEGABYTE },
      isSandboxed,
    });
  const limits = {
    maxAgeMs: config.BROWSER_MAX_AGE_SECONDS * 1_000,
    maxPages: config.BROWSER_MAX_PAGES,
    maxMemoryBytes: config.BROWSER_MAX_MEGABYTES * MEGABYTE,
    idleMs: config.BROWSER_IDLE_SECONDS * 1_000,
    hangMs: config.BROWSER_HANG_MS,
  };
  return new BrowserSupervisor(launch, limits, log);
}

/** Makes the pool of tabs that render pages. */
export const makeRenderPool = (browsers: BrowserSupervisor, config: RenderPoolConfig): RenderPool =>
  new RenderPool(browsers, {
    tabs: config.BROWSER_TABS,
    queue: config.QUEUE_LIMIT,
    pagesPerContext: config.CONTEXT_MAX_PAGES,
    sessions: config.BROWSER_SESSIONS,
    sessionMs: config.BROWSER_SESSION_SECONDS * 1_000,
  });
