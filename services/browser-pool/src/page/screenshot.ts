import { setTimeout as sleep } from 'node:timers/promises';
import { TimeIsUp } from './budget.ts';
import type { Visit } from './visit.ts';

const JPEG_QUALITY = 70;
/** Where the usual quality makes too much of it. */
const JPEG_QUALITY_LOW = 35;
const BYTES_MAX = 12 * 1024 * 1024;
/** Of the picture: Chromium repeats what lies beyond 16,384 pixels, and 20 megapixels are all a page gets. */
const PIXELS_HIGH_MAX = 16_000;
const PIXELS_MAX = 20_000_000;
const IMAGES_MAX_MS = 3_000;
const POLL_MS = 100;
/** A look at each window of the page, so that what loads when it is seen does. */
const SCROLL_MAX_MS = 4_000;
const WINDOWS_MAX = 30;

/** Goes down the page a window at a time and back up. Timers, not frames: a page that draws nothing has none. */
const SCROLL_THROUGH = `(async () => {
  const page = document.scrollingElement ?? document.documentElement;
  const before = page.scrollTop;
  const to = (top) => page.scrollTo({ top, behavior: 'instant' });
  for (let step = 1; step <= ${WINDOWS_MAX} && step * innerHeight < page.scrollHeight; step += 1) {
    to(step * innerHeight);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  to(before);
  await new Promise((resolve) => setTimeout(resolve, 60));
})()`;

const HAS_IMAGES = `[...document.images].every((image) => image.complete || image.getClientRects().length === 0)`;

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** A JPEG of the page as it stands: of the window, or of everything. Empty, with a warning, where it isn't ready in time. */
export async function takeScreenshot(visit: Visit, kind: 'viewport' | 'full_page'): Promise<Uint8Array> {
  const clip = kind === 'full_page' ? await wholePage(visit) : undefined;
  for (const quality of [JPEG_QUALITY, JPEG_QUALITY_LOW]) {
    const picture = await capture(visit, clip, quality);
    if (picture === undefined) break;
    if (picture.byteLength <= BYTES_MAX) return picture;
  }
  visit.warn('screenshot: it was not ready in time, or too large');
  return new Uint8Array();
}

/** Waits until images that are shown have come, for a time. */
export async function untilImages(visit: Visit): Promise<void> {
  const { documents } = visit.tab;
  await visit.patiently(
    documents.until(({ isLoaded }) => isLoaded),
    IMAGES_MAX_MS,
  );
}

async function wholePage(visit: Visit): Promise<Clip> {
  await visit.ask(SCROLL_THROUGH, Math.min(SCROLL_MAX_MS, visit.spareMs));
  const endsAtMs = performance.now() + Math.min(IMAGES_MAX_MS, visit.spareMs);
  while (performance.now() < endsAtMs && (await visit.ask(HAS_IMAGES, POLL_MS)) !== true) await sleep(POLL_MS);
  const { cssContentSize, cssLayoutViewport } = await visit.tab.session.send('Page.getLayoutMetrics');
  const density = visit.tab.wardrobe.density;
  // A page that is wider than its window is shown as wide as it is, up to twice that.
  const width = Math.min(cssContentSize.width, cssLayoutViewport.clientWidth * 2);
  const highest = Math.min(PIXELS_HIGH_MAX / density, PIXELS_MAX / (width * density * density));
  if (cssContentSize.height > highest) {
    visit.warn(`screenshot: the first ${Math.floor(highest)} of ${cssContentSize.height} pixels`);
  }
  return { x: 0, y: 0, width, height: Math.min(cssContentSize.height, Math.floor(highest)), scale: 1 };
}

async function capture(visit: Visit, clip: Clip | undefined, quality: number): Promise<Uint8Array | undefined> {
  const captured = visit.tab.session.send('Page.captureScreenshot', {
    format: 'jpeg',
    quality,
    ...(clip === undefined ? {} : { clip, captureBeyondViewport: true }),
  });
  try {
    // What has been read is not given up for a picture of it.
    const { data } = await visit.budget.within(captured, visit.budget.remainingMs - POLL_MS);
    return Buffer.from(data, 'base64');
  } catch (error) {
    if (error instanceof TimeIsUp) return undefined;
    throw error;
  }
}
