import type { Protocol } from 'puppeteer-core';
import type { Tab } from '../chromium/tab.ts';

const QUALITY = 60;
/** Limits of a frame, pixels: the viewport of a desktop, and the whole viewport of a phone at its width in CSS pixels. */
const MAX_WIDTH = 1_280;
const MAX_HEIGHT = 900;
/** Minimum interval of frames, ms. Chromium sends the next frame after the last one was acknowledged. */
const FRAME_INTERVAL_MS = 200;
/** Larger frames are not sent: noise at this size needs about 900 KB. */
const MAX_FRAME_BYTES = 2 * 1024 * 1024;

/** Sends JPEGs of a tab's viewport whenever it changes, at most five a second, while it is started. */
export class Screencast {
  readonly #tab: Tab;
  readonly #onFrame: (jpeg: Buffer) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  #isRunning = false;

  readonly #onScreencastFrame = ({ data, sessionId }: Protocol.Page.ScreencastFrameEvent): void => {
    const jpeg = Buffer.from(data, 'base64');
    if (this.#isRunning && jpeg.byteLength <= MAX_FRAME_BYTES) this.#onFrame(jpeg);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#send('Page.screencastFrameAck', { sessionId });
    }, FRAME_INTERVAL_MS);
    this.#timers.add(timer);
  };

  constructor(tab: Tab, onFrame: (jpeg: Buffer) => void) {
    this.#tab = tab;
    this.#onFrame = onFrame;
    tab.session.on('Page.screencastFrame', this.#onScreencastFrame);
  }

  /** Sends the present frame, then every change. Idempotent. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#send('Page.startScreencast', {
      format: 'jpeg',
      quality: QUALITY,
      maxWidth: MAX_WIDTH,
      maxHeight: MAX_HEIGHT,
      everyNthFrame: 1,
    });
  }

  stop(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#send('Page.stopScreencast');
  }

  /** The tab may have been closed meanwhile, or its browser has exited. */
  #send(...command: Parameters<Tab['session']['send']>): void {
    this.#tab.session.send(...command).catch(() => undefined);
  }
}
