import { setTimeout as sleep } from 'node:timers/promises';
import { tracer } from '@tidemark/service';
import { z } from 'zod';
import type { Tab } from '../chromium/tab.ts';
import type { Activity } from './activity.ts';
import { type Budget, TimeIsUp } from './budget.ts';
import { ABORTED, type Failure, failureOf } from './failures.ts';
import { readScript } from './scripts.ts';
import { EndlessRedirects, settle } from './settle.ts';

const HTML_BYTES_MAX = 20 * 1024 * 1024;
/** Kept back from the time to settle, so that what is there can still be read. */
const READ_RESERVE_MS = 1_500;
const IMAGES_MAX_MS = 3_000;
const JPEG_QUALITY = 70;
const READ_TRIES = 3;
const ABORT_GRACE_MS = 150;

/** What is to be rendered, and how. */
export interface Order {
  readonly url: URL;
  readonly workspaceId: string;
  readonly wantsScreenshot: boolean;
  readonly blocksResources: boolean;
}

/** What came of it. A page that can't be read is an answer, too. */
export interface Rendering {
  readonly httpStatus: number;
  readonly landedUrl: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly html: string;
  readonly screenshot: Uint8Array;
  readonly redirects: readonly string[];
  readonly failure?: Failure;
}

/** Thrown inside this module where the page has no content to give. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

/** Opens the URL in the tab, waits until it has settled, and reads it. Rejects only where tab or browser are gone. */
export async function renderPage(tab: Tab, order: Order, activity: Activity, budget: Budget): Promise<Rendering> {
  try {
    const crashed = activity.crashed.then(() => {
      throw new Unreadable('crashed');
    });
    return await budget.within(Promise.race([readablePage(tab, order, activity, budget), crashed]));
  } catch (error) {
    if (error instanceof TimeIsUp) return unreadable(order, activity, 'timeout');
    if (error instanceof EndlessRedirects) return unreadable(order, activity, 'protocol');
    if (error instanceof Unreadable) return unreadable(order, activity, error.failure);
    throw error;
  }
}

async function readablePage(tab: Tab, order: Order, activity: Activity, budget: Budget): Promise<Rendering> {
  const reserveMs = Math.min(READ_RESERVE_MS, budget.remainingMs / 5);
  await step('navigate', () => navigate(tab, order, activity));
  await step('settle', () => settle(tab, activity, budget, reserveMs));
  failWhereNothingLanded(tab, activity);
  if (order.wantsScreenshot) await untilImages(tab, budget, reserveMs);
  const { url, html } = await readDocument(tab);
  const screenshot = order.wantsScreenshot ? await takeScreenshot(tab) : new Uint8Array();
  if (tab.lane.isOverLimit) throw new Unreadable('too_large');
  if (!/^https?:/.test(url)) throw new Unreadable('protocol');
  return { ...answerOf(activity), landedUrl: url, html, screenshot, redirects: activity.visited.slice(0, -1) };
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(`browser ${name}`, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
}

/** @throws Unreadable where no document came */
async function navigate(tab: Tab, order: Order, activity: Activity): Promise<void> {
  tab.documents.forget();
  const { errorText } = await tab.session.send('Page.navigate', { url: order.url.href });
  if (errorText === undefined) return;
  // A renderer that dies aborts its navigation first and is reported dead a moment later.
  if (errorText === ABORTED) await sleep(ABORT_GRACE_MS);
  throw new Unreadable(explain(tab, activity.visited.at(-1) ?? order.url.href, errorText));
}

/** The page itself went on to an address that can't be had: what it showed before is not what it is. */
function failWhereNothingLanded(tab: Tab, activity: Activity): void {
  const { failed } = activity;
  if (failed === undefined || failed.error === ABORTED) return;
  throw new Unreadable(explain(tab, failed.url, failed.error));
}

/** Chromium knows only that its proxy said no; the lane knows why. */
function explain(tab: Tab, href: string, error: string): Failure {
  if (tab.lane.isOverLimit) return 'too_large';
  const url = URL.parse(href);
  const fault = url === null ? undefined : tab.lane.faultAt(url);
  if (fault === 'egress' || fault === 'dns' || fault === 'timeout' || fault === 'reset') return fault;
  return failureOf(error);
}

async function untilImages(tab: Tab, budget: Budget, reserveMs: number): Promise<void> {
  const mostMs = Math.max(0, Math.min(IMAGES_MAX_MS, budget.remainingMs - reserveMs));
  const loaded = tab.documents.until(({ isLoaded }) => isLoaded);
  await budget.within(loaded, mostMs).catch((error: unknown) => {
    if (!(error instanceof TimeIsUp)) throw error;
  });
}

const ReadingShape = z.object({ url: z.string(), html: z.string().optional() });

async function readDocument(tab: Tab): Promise<{ url: string; html: string }> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { url, html } = ReadingShape.parse(await tab.evaluate(readScript(HTML_BYTES_MAX)));
      if (html === undefined || Buffer.byteLength(html) > HTML_BYTES_MAX) throw new Unreadable('too_large');
      return { url, html };
    } catch (error) {
      // A navigation in this very moment takes the document away; the next one can be read.
      if (error instanceof Unreadable || tries === READ_TRIES) throw error;
      await tab.documents.until(({ isParsed }) => isParsed);
    }
  }
}

async function takeScreenshot(tab: Tab): Promise<Uint8Array> {
  const { data } = await tab.session.send('Page.captureScreenshot', { format: 'jpeg', quality: JPEG_QUALITY });
  return Buffer.from(data, 'base64');
}

function answerOf({ answer }: Activity): Pick<Rendering, 'httpStatus' | 'headers'> {
  if (answer === undefined) return { httpStatus: 0, headers: [] };
  const headers = Object.entries(answer.headers).flatMap(([name, values]) =>
    // DevTools joins a repeated header with line feeds.
    values.split('\n').map((value) => ({ name: name.toLowerCase(), value: value.trim() })),
  );
  return { httpStatus: answer.status, headers };
}

function unreadable(order: Order, activity: Activity, failure: Failure): Rendering {
  return {
    ...(failure === 'egress' ? { httpStatus: 0, headers: [] } : answerOf(activity)),
    landedUrl: activity.visited.at(-1) ?? order.url.href,
    html: '',
    screenshot: new Uint8Array(),
    redirects: activity.visited.slice(0, -1),
    failure,
  };
}
