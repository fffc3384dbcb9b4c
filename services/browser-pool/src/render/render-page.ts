import { setTimeout as sleep } from 'node:timers/promises';
import { tracer } from '@tidemark/service';
import { z } from 'zod';
import { performActions } from '../actions/perform-actions.ts';
import type { Tab } from '../chromium/tab.ts';
import { ABORTED, type Failure } from '../page/failures.ts';
import type { NetworkActivity } from '../page/network-activity.ts';
import { readScript } from '../page/page-scripts.ts';
import { RenderContext } from '../page/render-context.ts';
import type { ActionResult, NameAndValue, RenderTask } from '../page/render-task.ts';
import { DeadlineExceeded, type TimeBudget } from '../page/time-budget.ts';
import { explainFailure, UnreadablePage } from '../page/unreadable-page.ts';
import { EndlessRedirects } from '../page/wait-until-stable.ts';
import { prepareTab } from './prepare-tab.ts';
import { takeScreenshot, waitForImages } from './screenshot.ts';
import { waitFor } from './wait-for.ts';

const MAX_HTML_BYTES = 20 * 1024 * 1024;
const MAX_READ_ATTEMPTS = 3;
const ABORT_GRACE_MS = 150;

/** Result of a render. `failure` is set if the page could not be read. */
export interface RenderedPage {
  readonly httpStatus: number;
  readonly landedUrl: string;
  readonly headers: readonly NameAndValue[];
  readonly html: string;
  readonly screenshot: Uint8Array;
  /** Redirects before the final URL, without navigations caused by actions. */
  readonly redirects: readonly string[];
  readonly failure?: Failure;
  readonly actions: readonly ActionResult[];
  readonly warnings: readonly string[];
}

/** Opens the URL in the tab, waits until it is stable, performs the actions and reads it. Rejects only if tab or browser fail. */
export async function renderPage(
  tab: Tab,
  task: RenderTask,
  activity: NetworkActivity,
  budget: TimeBudget,
): Promise<RenderedPage> {
  const context = new RenderContext(tab, activity, budget);
  try {
    const crashed = activity.crashed.then(() => {
      throw new UnreadablePage('crashed');
    });
    return await budget.within(Promise.race([loadAndRead(context, task), crashed]));
  } catch (error) {
    const failure = pageFailureOf(error);
    if (failure === undefined) throw error;
    return failedPage(context, task, failure);
  }
}

/** Returns why a page could not be read; undefined for an error of the tab or the browser. */
export function pageFailureOf(error: unknown): Failure | undefined {
  if (error instanceof DeadlineExceeded) return 'timeout';
  if (error instanceof EndlessRedirects) return 'protocol';
  return error instanceof UnreadablePage ? error.failure : undefined;
}

/**
 * Opens the URL and waits until the page is stable and meets its condition. @returns the redirects before the final URL
 * @throws UnreadablePage, EndlessRedirects, DeadlineExceeded
 */
export async function loadPage(context: RenderContext, task: RenderTask): Promise<readonly string[]> {
  const { tab, activity } = context;
  await prepareTab(context, task);
  await traced('navigate', () => navigate(tab, task, activity));
  await traced('wait until stable', () => context.waitUntilStable());
  const redirects = activity.visited.slice(0, -1);
  const { waitFor: condition } = task;
  if (condition !== undefined) await traced('wait for', () => waitFor(context, condition));
  return redirects;
}

async function loadAndRead(context: RenderContext, task: RenderTask): Promise<RenderedPage> {
  const { tab, activity } = context;
  const redirects = await loadPage(context, task);
  if (task.actions.length > 0) await traced('act', () => performActions(context, task.actions));
  if (task.screenshot !== 'none') await waitForImages(context);
  const { url, html } = await readDocument(tab);
  const screenshot = task.screenshot === 'none' ? new Uint8Array() : await takeScreenshot(context, task.screenshot);
  if (tab.egressProxy.isOverLimit) throw new UnreadablePage('too_large');
  if (!/^https?:/.test(url)) throw new UnreadablePage('protocol');
  const { actionResults: actions, warnings } = context;
  return { ...responseOf(activity), landedUrl: url, html, screenshot, redirects, actions, warnings };
}

async function traced<T>(name: string, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(`browser ${name}`, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
}

/** @throws UnreadablePage if there is no document */
async function navigate(tab: Tab, task: RenderTask, activity: NetworkActivity): Promise<void> {
  tab.documents.reset();
  const { errorText } = await tab.session.send('Page.navigate', { url: task.url.href });
  if (errorText === undefined) return;
  // A crashing renderer aborts its navigation before the crash is reported.
  if (errorText === ABORTED) await sleep(ABORT_GRACE_MS);
  throw new UnreadablePage(explainFailure(tab, activity.visited.at(-1) ?? task.url.href, errorText));
}

const ReadingShape = z.object({ url: z.string(), html: z.string().optional() });

async function readDocument(tab: Tab): Promise<{ url: string; html: string }> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      const { url, html } = ReadingShape.parse(await tab.evaluate(readScript(MAX_HTML_BYTES)));
      if (html === undefined || Buffer.byteLength(html) > MAX_HTML_BYTES) throw new UnreadablePage('too_large');
      return { url, html };
    } catch (error) {
      // A concurrent navigation replaces the document; read the next one.
      if (error instanceof UnreadablePage || attempts === MAX_READ_ATTEMPTS) throw error;
      await tab.documents.until(({ isParsed }) => isParsed);
    }
  }
}

function responseOf({ response }: NetworkActivity): Pick<RenderedPage, 'httpStatus' | 'headers'> {
  if (response === undefined) return { httpStatus: 0, headers: [] };
  const headers = Object.entries(response.headers).flatMap(([name, values]) =>
    // DevTools joins a repeated header with line feeds.
    values.split('\n').map((value) => ({ name: name.toLowerCase(), value: value.trim() })),
  );
  return { httpStatus: response.status, headers };
}

function failedPage(
  { activity, actionResults, warnings }: RenderContext,
  task: RenderTask,
  failure: Failure,
): RenderedPage {
  return {
    ...(failure === 'egress' || failure === 'exit' ? { httpStatus: 0, headers: [] } : responseOf(activity)),
    landedUrl: activity.visited.at(-1) ?? task.url.href,
    html: '',
    screenshot: new Uint8Array(),
    redirects: activity.visited.slice(0, -1),
    failure,
    actions: actionResults,
    warnings,
  };
}
