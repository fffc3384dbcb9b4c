import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Display, flawsOf, keepingScreenshot, openPage, signIn } from './console-browser.ts';

const PICTURES = process.env['CONSOLE_PICTURES'] ?? '';

export interface Journey {
  readonly name: string;
  readonly url: string;
  readonly email: string;
  readonly display: Display;
  /** Statuses of refused calls that the journey expects; a browser reports each. */
  readonly refusals?: readonly number[];
  readonly steps: (page: Page) => Promise<void>;
}

/** Keeps a screenshot of the whole page, if a folder for them is set. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (PICTURES === '') return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

/** Runs the steps of a signed-in person. Fails for errors of the browser and for findings of axe on the page at the end. */
export async function runJourney(browser: Browser, journey: Journey): Promise<void> {
  const { name, url, email, display, refusals = [], steps } = journey;
  const { page, context, problems } = await openPage(browser, display);
  await keepingScreenshot(page, name, async () => {
    await signIn(page, url, email);
    await steps(page);
    await page.waitForLoadState('networkidle');
    await keepPicture(page, `journey-${name.replace(/\W+/g, '-')}-${display.theme}`);
    expect(await flawsOf(page)).toEqual([]);
  });
  const isExpected = (problem: string) => refusals.some((status) => problem.includes(`status of ${status}`));
  expect(problems.filter((problem) => !isExpected(problem))).toEqual([]);
  await context.close();
}
