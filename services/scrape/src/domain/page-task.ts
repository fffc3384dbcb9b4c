import { createHash } from 'node:crypto';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { textOrEmpty } from '@tidemark/contracts/text-or-empty';
import type { CaptureOptions } from './capture-options.ts';

/** Order in which tasks are served under load: a client waits for interactive pages; runs have the lowest priority. */
export const PRIORITY_CLASSES = ['interactive', 'batch', 'run'] as const;
export type PriorityClass = (typeof PRIORITY_CLASSES)[number];

/** One page to capture, for a single scrape, a batch or a run. */
export interface PageTask {
  readonly jobId: string;
  readonly captureId: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly options: CaptureOptions;
  /** Pages of one session share cookies and exit; empty: the page has its own. */
  readonly session: string;
  readonly priority: PriorityClass;
  /** Captured for comparison only; the bodies are not stored. */
  readonly isRecapture?: true;
  /** An earlier capture, which is reused if the site answers 304. */
  readonly earlier?: PageRow;
  /** Set where the page is to be compared with other readings: see `contentVariantKeyOf`. */
  readonly contentVariantKey?: string;
  /** Set for pages of runs: keys of the blocks that repeat over the site. */
  readonly repeatedBlocks?: Uint8Array;
}

/**
 * Returns a hash of the options that decide how a page is captured. A stored capture may replace a new one only under the same key.
 * Options that affect only the verdict, the price or the speed are not part of it.
 */
export function captureKey(options: CaptureOptions): string {
  const { renderJs, country, headers, cookies, device, userAgent, waitFor, actions, screenshot } = options;
  const { onlyMainContent, includeSelectors, excludeSelectors, removeBanners, removeBase64Images, fields } = options;
  const parts: unknown[] = [
    [
      renderJs,
      textOrEmpty(country),
      headers,
      cookies,
      device,
      textOrEmpty(userAgent),
      waitFor ?? null,
      actions,
      screenshot,
    ],
    [onlyMainContent, includeSelectors, excludeSelectors, removeBanners, removeBase64Images, fields],
    options.parseDocuments,
  ];
  if (options.omitTitleHeading) parts.push('omit title heading');
  // Pages read with one login do not replace pages read with another or without one.
  if (options.loginId !== undefined) parts.push(options.loginId);
  // Volatile selectors are part of the key, because they change the blocks.
  const { cutBlocks = false, volatileSelectors } = options;
  if (cutBlocks && volatileSelectors !== undefined && volatileSelectors.selectors.length > 0)
    parts.push([...volatileSelectors.selectors].sort());
  return createHash('sha1').update(JSON.stringify(parts)).digest('base64url');
}
