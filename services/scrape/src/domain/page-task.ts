import { createHash } from 'node:crypto';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { CaptureOptions } from './capture-options.ts';

/** Who goes first where hands are short: somebody waits for a page, nobody for a batch's, and a run has time. */
export const LANES = ['interactive', 'batch', 'run'] as const;
export type Lane = (typeof LANES)[number];

/** One page to be captured, whatever asked for it: a single scrape, a batch, a crawl. */
export interface PageTask {
  readonly jobId: string;
  readonly captureId: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly options: CaptureOptions;
  /** Pages of one session share cookies and exit; empty: the page is alone. */
  readonly session: string;
  /** Whether someone else holds the host back where it asks for that; the fetch then doesn't wait by itself. */
  readonly isPaced: boolean;
  readonly lane: Lane;
  /** Looked at, and no more: its bodies are kept nowhere. */
  readonly isLook?: true;
  /** An earlier reading: where the site says that it is unchanged, this is the page. */
  readonly earlier?: PageRow;
  /** Set where the page is to be compared with other readings: see `contentVariantKeyOf`. */
  readonly contentVariantKey?: string;
}

/**
 * Returns a hash of the options that decide how a page is captured. A stored capture may replace a new one only under the same key.
 * Options that affect only the verdict, the price or the speed are not part of it.
 */
export function captureKey(options: CaptureOptions): string {
  const { renderJs, country, headers, cookies, device, userAgent, waitFor, actions, screenshot } = options;
  const { onlyMainContent, includeSelectors, excludeSelectors, removeBanners, removeBase64Images, fields } = options;
  const facts: unknown[] = [
    [renderJs, country, headers, cookies, device, userAgent, waitFor ?? null, actions, screenshot],
    [onlyMainContent, includeSelectors, excludeSelectors, removeBanners, removeBase64Images, fields],
    options.parseDocuments,
  ];
  // What one login is shown stands for nothing that anyone else is.
  if (options.loginId !== '') facts.push(options.loginId);
  // What was set aside stays so in a reading that stands for another.
  const { cutBlocks = false, volatileSelectors } = options;
  if (cutBlocks && volatileSelectors !== undefined && volatileSelectors.selectors.length > 0)
    facts.push([...volatileSelectors.selectors].sort());
  return createHash('sha1').update(JSON.stringify(facts)).digest('base64url');
}
