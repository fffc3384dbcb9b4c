import puppeteerCore, { type Browser } from 'puppeteer-core';
import { addExtra } from 'puppeteer-extra';
import createStealth from 'puppeteer-extra-plugin-stealth';

/**
 * Evasions left out. `user-agent-override`: Tidemark says who it is, under one user agent.
 */
const WITHOUT = ['user-agent-override'];

const stealth = createStealth();
for (const evasion of WITHOUT) stealth.enabledEvasions.delete(evasion);
const puppeteer = addExtra(puppeteerCore);
if (process.env.STEALTH) puppeteer.use(stealth);

export interface LaunchOptions {
  readonly executablePath: string;
  readonly args: readonly string[];
  readonly profileDir: string;
  readonly timeoutMs: number;
}

/**
 * Launches Chromium. The one module that knows puppeteer-extra, which is no longer maintained.
 * The protocol goes over a pipe: no port for others to find, and Chromium ends when our end closes, however we end.
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
    defaultViewport: { width: 1280, height: 800 },
    // Nothing of our environment: it may hold secrets. Temporary files stay in the profile.
    env: { PATH, LANG, TZ, HOME: options.profileDir, TMPDIR: options.profileDir },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    waitForInitialPage: false,
  });
  return browser;
}
