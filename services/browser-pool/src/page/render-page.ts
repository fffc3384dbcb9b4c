import { setTimeout as sleep } from 'node:timers/promises';
import { tracer } from '@tidemark/service';
import { z } from 'zod';
import type { Tab } from '../chromium/tab.ts';
import { perform } from './actions/perform.ts';
import type { Activity } from './activity.ts';
import { type Budget, TimeIsUp } from './budget.ts';
import { ABORTED, type Failure } from './failures.ts';
import type { ActionOutcome, NameAndValue, Order } from './order.ts';
import { prepare } from './prepare.ts';
import { takeScreenshot, untilImages } from './screenshot.ts';
import { readScript } from './scripts.ts';
import { EndlessRedirects } from './settle.ts';
import { explain, Unreadable } from './unreadable.ts';
import { Visit } from './visit.ts';
import { waitFor } from './wait-for.ts';

const HTML_BYTES_MAX = 20 * 1024 * 1024;
const READ_TRIES = 3;
const ABORT_GRACE_MS = 150;

/** What came of it. A page that can't be read is an answer, too. */
export interface Rendering {
  readonly httpStatus: number;
  readonly landedUrl: string;
  readonly headers: readonly NameAndValue[];
  readonly html: string;
  readonly screenshot: Uint8Array;
  /** What led to where the page landed; where actions led after that is no redirect. */
  readonly redirects: readonly string[];
  readonly failure?: Failure;
  readonly actions: readonly ActionOutcome[];
  readonly warnings: readonly string[];
}

/** Opens the URL in the tab, waits until it has settled, acts, and reads it. Rejects only where tab or browser are gone. */
export async function renderPage(tab: Tab, order: Order, activity: Activity, budget: Budget): Promise<Rendering> {
  const visit = new Visit(tab, activity, budget);
  try {
    const crashed = activity.crashed.then(() => {
      throw new Unreadable('crashed');
    });
    return await budget.within(Promise.race([readablePage(visit, order), crashed]));
  } catch (error) {
    if (error instanceof TimeIsUp) return unreadable(visit, order, 'timeout');
    if (error instanceof EndlessRedirects) return unreadable(visit, order, 'protocol');
    if (error instanceof Unreadable) return unreadable(visit, order, error.failure);
    throw error;
  }
}

async function readablePage(visit: Visit, order: Order): Promise<Rendering> {
  const { tab, activity } = visit;
  await prepare(visit, order);
  await step('navigate', () => navigate(tab, order, activity));
  await step('settle', () => visit.settle());
  const redirects = activity.visited.slice(0, -1);
  const { waitFor: wanted } = order;
  if (wanted !== undefined) await step('wait for', () => waitFor(visit, wanted));
  if (order.actions.length > 0) await step('act', () => perform(visit, order.actions));
  if (order.screenshot !== 'none') await untilImages(visit);
  const { url, html } = await readDocument(tab);
  const screenshot = order.screenshot === 'none' ? new Uint8Array() : await takeScreenshot(visit, order.screenshot);
  if (tab.egressProxy.isOverLimit) throw new Unreadable('too_large');
  if (!/^https?:/.test(url)) throw new Unreadable('protocol');
  const { outcomes: actions, warnings } = visit;
  return { ...answerOf(activity), landedUrl: url, html, screenshot, redirects, actions, warnings };
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

function answerOf({ answer }: Activity): Pick<Rendering, 'httpStatus' | 'headers'> {
  if (answer === undefined) return { httpStatus: 0, headers: [] };
  const headers = Object.entries(answer.headers).flatMap(([name, values]) =>
    // DevTools joins a repeated header with line feeds.
    values.split('\n').map((value) => ({ name: name.toLowerCase(), value: value.trim() })),
  );
  return { httpStatus: answer.status, headers };
}

function unreadable({ activity, outcomes, warnings }: Visit, order: Order, failure: Failure): Rendering {
  return {
    ...(failure === 'egress' || failure === 'exit' ? { httpStatus: 0, headers: [] } : answerOf(activity)),
    landedUrl: activity.visited.at(-1) ?? order.url.href,
    html: '',
    screenshot: new Uint8Array(),
    redirects: activity.visited.slice(0, -1),
    failure,
    actions: outcomes,
    warnings,
  };
}
