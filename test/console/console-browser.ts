import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../deploy/local/parts/chromium.ts';
import { ROOT, TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { PASSWORD } from '../harness/people.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Screenshots of failed journeys. */
const FAILURES_DIR = join(ROOT, '.tidemark/console-failures');
const WAIT_MS = 30_000;

export interface Display {
  readonly theme: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Language of the browser (BCP 47). */
  readonly locale?: string;
}

/** One browser profile with one page. */
export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console, uncaught exceptions and violations of the content security policy so far. */
  readonly problems: string[];
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Starts the Chromium of the repository. Root has no sandbox. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = await chromiumPath(TOOLS_DIR, () => undefined);
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--no-zygote-sandbox', '--disable-gpu'] });
}

export async function openPage(
  browser: Browser,
  { theme, width = 1360, height = 900, locale = 'en-US' }: Display,
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') problems.push(`${page.url()}: ${line.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
  page.setDefaultTimeout(WAIT_MS);
  return { page, context, problems };
}

/** Signs a person in on the sign-in page, as a person does. */
export async function signIn(page: Page, url: string, email: string): Promise<void> {
  await page.goto(`${url}/auth/login`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((address) => address.pathname === '/');
}

/** Returns the violations that axe finds, as `rule: element`, and whether the page is wider than its window. */
export async function flawsOf(page: Page): Promise<string[]> {
  // A transition of colours would be measured half way.
  await page.evaluate(
    'Promise.all(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished.catch(() => undefined))).then(() => true)',
  );
  await page.evaluate(AXE);
  // A frame shows the markup of another site, from an opaque origin.
  const { violations }: AxeResult = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, iframes: false })`,
  );
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`)),
    ...(isTooWide === true ? ['the page is wider than its window'] : []),
  ];
}

/** Runs a part of a journey; keeps a screenshot if it fails. */
export async function keepingScreenshot(page: Page, name: string, part: () => Promise<void>): Promise<void> {
  try {
    await part();
  } catch (error) {
    mkdirSync(FAILURES_DIR, { recursive: true });
    await page.screenshot({ path: join(FAILURES_DIR, `${name.replace(/\W+/g, '-')}.png`) });
    throw error;
  }
}

/** Counts the clicks of the mouse and of the keys Enter and Space from now on. Loading another document ends the count. @returns reads the count */
export async function countedClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(
    'window.__clicks = 0; addEventListener("click", (event) => { if (event.isTrusted) window.__clicks += 1; }, { capture: true });',
  );
  return async () => Number(await page.evaluate('window.__clicks'));
}
