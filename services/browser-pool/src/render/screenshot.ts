import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { RenderContext } from '../page/render-context.ts';
import { DeadlineExceeded } from '../page/time-budget.ts';

const JPEG_QUALITY = 70;
/** Quality for a picture that would exceed the size limit. */
const JPEG_QUALITY_LOW = 35;
const MAX_BYTES = 12 * 1024 * 1024;
/** Chromium repeats content beyond 16,384 pixels. */
const MAX_HEIGHT_PIXELS = 16_000;
const MAX_PIXELS = 20_000_000;
const IMAGES_MAX_MS = 3_000;
const POLL_MS = 100;
/** Limits of scrolling through the page, which triggers lazy loading. */
const SCROLL_MAX_MS = 4_000;
const MAX_WINDOWS = 30;

/** Scrolls down by windows and back up. Uses timers, since a page that draws nothing has no animation frames. */
const SCROLL_THROUGH = `(async () => {
  const page = document.scrollingElement ?? document.documentElement;
  const before = page.scrollTop;
  const to = (top) => page.scrollTo({ top, behavior: 'instant' });
  for (let step = 1; step <= ${MAX_WINDOWS} && step * innerHeight < page.scrollHeight; step += 1) {
    to(step * innerHeight);
    await sleep(60);
  }
  to(before);
  await sleep(60);
})()`;

const HAS_IMAGES = `[...document.images].every((image) => image.complete || image.getClientRects().length === 0)`;

/**
 * Returns the scripts of the document that no font shows. Two characters that are drawn alike are blanks or boxes. Fonts of the page itself may
 * show its text, so that nothing is stated where it has any.
 */
const MISSING_FONTS = `(() => {
  const text = (document.body?.textContent ?? '').slice(0, 1_000_000);
  const scripts = [
    ['Chinese, Japanese or Korean', /[\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7a3]/, '\\u6f22', '\\u5b57'],
    ['emoji', /\\p{Emoji_Presentation}/u, '\\u{1f600}', '\\u{1f697}'],
  ];
  const drawn = (character) => {
    const canvas = new OffscreenCanvas(32, 32).getContext('2d');
    canvas.font = '24px sans-serif';
    canvas.fillText(character, 2, 26);
    return canvas.getImageData(0, 0, 32, 32).data.join();
  };
  return scripts
    .filter(([, letters, one, other]) => document.fonts.size === 0 && letters.test(text) && drawn(one) === drawn(other))
    .map(([name]) => name);
})()`;
/** Time to look for missing fonts, ms. */
const FONTS_MAX_MS = 500;
const Names = z.array(z.string());

/** Warns where the screenshot will show blanks instead of text. */
async function warnOfMissingFonts(context: RenderContext): Promise<void> {
  const missing = Names.safeParse(await context.tryEvaluate(MISSING_FONTS, Math.min(FONTS_MAX_MS, context.spareMs)));
  for (const name of missing.data ?? []) context.warn(`screenshot: no font for ${name}`);
}

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** Returns a JPEG of the viewport or of the full page. Empty, with a warning, if it fails the deadline or the size limit. */
export async function takeScreenshot(context: RenderContext, kind: 'viewport' | 'full_page'): Promise<Uint8Array> {
  await warnOfMissingFonts(context);
  const clip = kind === 'full_page' ? await fullPageClip(context) : undefined;
  for (const quality of [JPEG_QUALITY, JPEG_QUALITY_LOW]) {
    const jpeg = await capture(context, clip, quality);
    if (jpeg === undefined) break;
    if (jpeg.byteLength <= MAX_BYTES) return jpeg;
  }
  context.warn('screenshot: not ready in time, or too large');
  return new Uint8Array();
}

/** Waits until the images of the document are loaded, for a limited time. */
export async function waitForImages(context: RenderContext): Promise<void> {
  const { documents } = context.tab;
  await context.waitUpTo(
    documents.until(({ isLoaded }) => isLoaded),
    IMAGES_MAX_MS,
  );
}

async function fullPageClip(context: RenderContext): Promise<Clip> {
  await context.tryEvaluate(SCROLL_THROUGH, Math.min(SCROLL_MAX_MS, context.spareMs));
  const endsAtMs = performance.now() + Math.min(IMAGES_MAX_MS, context.spareMs);
  while (performance.now() < endsAtMs && (await context.tryEvaluate(HAS_IMAGES, POLL_MS)) !== true)
    await sleep(POLL_MS);
  const { cssContentSize, cssLayoutViewport } = await context.tab.session.send('Page.getLayoutMetrics');
  const scaleFactor = context.tab.emulation.deviceScaleFactor;
  // A page wider than its window is captured up to twice the width of the window.
  const width = Math.min(cssContentSize.width, cssLayoutViewport.clientWidth * 2);
  const maxHeight = Math.min(MAX_HEIGHT_PIXELS / scaleFactor, MAX_PIXELS / (width * scaleFactor * scaleFactor));
  if (cssContentSize.height > maxHeight) {
    context.warn(`screenshot: the first ${Math.floor(maxHeight)} of ${cssContentSize.height} pixels`);
  }
  return { x: 0, y: 0, width, height: Math.min(cssContentSize.height, Math.floor(maxHeight)), scale: 1 };
}

async function capture(
  context: RenderContext,
  clip: Clip | undefined,
  quality: number,
): Promise<Uint8Array | undefined> {
  const captured = context.tab.session.send('Page.captureScreenshot', {
    format: 'jpeg',
    quality,
    ...(clip === undefined ? {} : { clip, captureBeyondViewport: true }),
  });
  try {
    // The page has been read already and must not be lost to a slow screenshot.
    const { data } = await context.budget.within(captured, context.budget.remainingMs - POLL_MS);
    return Buffer.from(data, 'base64');
  } catch (error) {
    if (error instanceof DeadlineExceeded) return undefined;
    throw error;
  }
}
