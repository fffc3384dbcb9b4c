import puppeteerCore, { type Browser } from 'puppeteer-core';
import { addExtra } from 'puppeteer-extra';
import createStealth from 'puppeteer-extra-plugin-stealth';

/**
 * The enabled evasions. All of them, installed by the plugin, cost about 11 ms per document, iframes included (an empty page
 * takes 32 ms, lower quartile of 50 loads); the enabled ones cost less than 1.4 ms each. Disabled for their cost in ms:
 * chrome.csi 2.4, media.codecs 3.0, navigator.permissions 2.2, navigator.plugins 2.9, webgl.vendor 1.6, and
 * navigator.webdriver 1.8, which a flag replaces at no cost. Disabled because it does not apply to how scripts are
 * evaluated here: sourceurl. Disabled by policy: user-agent-override, since Tidemark identifies itself by one user agent.
 */
const EVASIONS = [
  'chrome.app',
  'chrome.loadTimes',
  'chrome.runtime',
  'defaultArgs',
  'iframe.contentWindow',
  'navigator.hardwareConcurrency',
  'navigator.languages',
  'window.outerdimensions',
];

const puppeteer = addExtra(puppeteerCore);
puppeteer.use(createStealth({ enabledEvasions: new Set(EVASIONS) }));
let cachedScript: Promise<string> | undefined;

export interface LaunchOptions {
  readonly executablePath: string;
  readonly args: readonly string[];
  readonly profileDir: string;
  readonly timeoutMs: number;
}

/**
 * Launches Chromium. Only this module depends on puppeteer-extra, which is no longer maintained. DevTools uses a pipe: no
 * port is open, and Chromium exits when the pipe closes, also if this process is killed.
 */
export async function launchChromium(options: LaunchOptions): Promise<Browser> {
  const { PATH = '/usr/bin:/bin', LANG = 'en_US.UTF-8', TZ = 'UTC' } = process.env;
  const browser: Browser = await puppeteer.launch({
    executablePath: options.executablePath,
    headless: 'shell',
    pipe: true,
    args: [...options.args],
    userDataDir: options.profileDir,
    timeout: options.timeoutMs,
    // The environment of this process may contain secrets. Temporary files stay in the profile.
    env: { PATH, LANG, TZ, HOME: options.profileDir, TMPDIR: options.profileDir },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    waitForInitialPage: false,
  });
  // Puppeteer removes its listeners before the pipes close; an unhandled error event of a killed browser ends this process.
  for (const stream of browser.process()?.stdio ?? []) stream?.on('error', () => undefined);
  // The plugins install themselves in new pages without reporting completion; `evasions` replaces this.
  browser.removeAllListeners('targetcreated');
  return browser;
}

/**
 * Returns the evasions as one script to run before the scripts of a page. It applies to the main frame only, since its cost
 * would be paid for every iframe.
 */
export function evasions(): Promise<string> {
  cachedScript ??= buildEvasionScript();
  return cachedScript;
}

/** Installs the plugins into a page double that records their scripts. */
async function buildEvasionScript(): Promise<string> {
  const scripts: string[] = [];
  const recorder = {
    async evaluateOnNewDocument(script: unknown, ...values: unknown[]) {
      scripts.push(`(${script})(${values.map((value) => JSON.stringify(value) ?? 'undefined').join(', ')});`);
    },
  };
  for (const plugin of puppeteer.plugins) await plugin['onPageCreated']?.(recorder);
  return `if (self === top && location.protocol !== 'about:') {\n${scripts.join('\n')}\n}`;
}
