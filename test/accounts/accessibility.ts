import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

interface Layout {
  readonly unlabelled: readonly string[];
  readonly isTooWide: boolean;
}

/** Returns the violations of WCAG 2.2 A and AA that axe finds on a page, contrast and labels included, as `rule: element`. */
export async function violationsOf(page: Page, { isMail = false } = {}): Promise<string[]> {
  await page.evaluate(AXE);
  // Landmarks are for pages: a mail is a part of one.
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', ...(isMail ? [] : ['best-practice'])];
  const found = await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(tags)} })`);
  const { violations } = found as AxeResult;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Returns the inputs without a visible label of their own, and whether the page is wider than its window. */
export async function layoutOf(page: Page): Promise<Layout> {
  const layout = await page.evaluate(`({
    unlabelled: [...document.querySelectorAll('input')].filter((input) => (input.labels[0]?.textContent ?? '') === '').map(({ outerHTML }) => outerHTML),
    isTooWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  })`);
  return layout as Layout;
}
