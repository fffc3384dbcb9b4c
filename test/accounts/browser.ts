import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { chromiumPath } from '../../deploy/local/parts/chromium.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';

/** A Chromium for one suite. */
export interface TestBrowser {
  readonly browser: Browser;
  /** Opens a page in a profile of its own, and collects its console errors and violations of the content security policy. */
  open(options?: PageOptions): Promise<TestPage>;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}

export interface TestPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console, uncaught exceptions and violations of the policy so far. */
  readonly problems: string[];
}

export async function openBrowser(flags: readonly string[] = []): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'tidemark-browser-'));
  const browser = await puppeteer.launch({
    executablePath: await chromiumPath(TOOLS_DIR, () => undefined),
    headless: 'shell',
    pipe: true,
    userDataDir: profile,
    // The pages are those of this repository, and root has no sandbox.
    args: ['--no-sandbox', '--no-zygote-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...flags],
  });
  return {
    browser,
    open: (options) => openPage(browser, options),
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function openPage(
  browser: Browser,
  { width = 1280, height = 900, dark = false }: PageOptions = {},
): Promise<TestPage> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warn') problems.push(`${page.url()}: ${line.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${String(error)}`));
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  page.setDefaultTimeout(30_000);
  return { page, context, problems };
}

/** Fills the fields of a form by id and presses its button. */
export async function submit(page: Page, values: Readonly<Record<string, string>>, form = '#form'): Promise<void> {
  for (const [id, value] of Object.entries(values)) await page.locator(`#${id}`).fill(value);
  await page.locator(`${form} button[type=submit]`).click();
}

/** Waits until the page shows a text. Functions of pages are texts: the tests have no types of the DOM. */
export const untilText = (page: Page, text: string) =>
  page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`);

/** Waits for the URL of a page. */
export const untilPath = (page: Page, path: string) =>
  page.waitForFunction(`location.pathname === ${JSON.stringify(path)} && document.readyState === 'complete'`);

/** Returns the texts of all elements of a selector. */
export async function textsOf(page: Page, selector: string): Promise<string[]> {
  const texts: unknown = await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`,
  );
  return Array.isArray(texts) ? texts.map(String) : [];
}
