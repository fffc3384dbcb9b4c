import type { Browser, BrowserContext, CDPSession } from 'puppeteer-core';
import { type Egress, EgressLane } from '../egress/lane.ts';
import { Documents } from '../page/documents.ts';
import { evasions } from './puppeteer.ts';

const CLOSE_DEADLINE_MS = 2_000;
const BLOCKED_TYPES = ['Image', 'Media', 'Font'] as const;
const BLOCKED_NAMES = [
  'avif',
  'gif',
  'ico',
  'jpeg',
  'jpg',
  'png',
  'svg',
  'webp',
  'mp3',
  'mp4',
  'webm',
  'woff',
  'woff2',
].flatMap((extension) => [`*.${extension}`, `*.${extension}?*`]);
// One name for every document: a world without one is made anew each time and never goes away.
const WORLD = 'tidemark';
/** Width and height of the page, and so of its screenshot: well under 20 megapixels. */
const VIEWPORT = { width: 1280, height: 800 };

/** Whose pages a context may show: one workspace, one origin, for as long as it lives. */
export interface TabKey {
  readonly workspaceId: string;
  readonly origin: string;
}

/** What a tab is opened on. */
export interface Ground {
  readonly browser: Browser;
  /** The session of the browser itself, not of a page. */
  readonly root: CDPSession;
  readonly egress: Egress;
  /** The tabs open on it. */
  readonly tabs: Set<Tab>;
}

/**
 * One page in a browser context of its own, with a way out of its own. Driven over the DevTools protocol: puppeteer's
 * Page would have every document carry a second JavaScript world and every event told twice.
 */
export class Tab {
  readonly session: CDPSession;
  readonly lane: EgressLane;
  readonly documents: Documents;
  readonly mainFrameId: string;
  readonly context: BrowserContext;
  readonly #tabs: Set<Tab>;
  /** Absent while nobody has used it. */
  key: TabKey | undefined;
  pages = 0;
  #isBlocking = false;
  #world: { readonly loaderId: string; readonly contextId: number } | undefined;

  private constructor(
    context: BrowserContext,
    session: CDPSession,
    lane: EgressLane,
    mainFrameId: string,
    tabs: Set<Tab>,
  ) {
    this.#tabs = tabs;
    this.context = context;
    this.session = session;
    this.lane = lane;
    this.mainFrameId = mainFrameId;
    this.documents = new Documents(session, mainFrameId);
    session.on('Fetch.requestPaused', ({ requestId }) => {
      session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => undefined);
    });
    session.on('Page.javascriptDialogOpening', () => {
      session.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
    });
  }

  static async open({ browser, root, egress, tabs }: Ground, key: TabKey | undefined): Promise<Tab> {
    const lane = await EgressLane.listen(egress);
    let context: BrowserContext | undefined;
    try {
      context = await browser.createBrowserContext({
        proxyServer: lane.url,
        proxyBypassList: ['<-loopback>'],
        downloadBehavior: { policy: 'deny' },
      });
      const session = await openPage(root, context);
      const { frameTree } = await session.send('Page.getFrameTree');
      const tab = new Tab(context, session, lane, frameTree.frame.id, tabs);
      tab.key = key;
      tabs.add(tab);
      return tab;
    } catch (error) {
      lane.close();
      context?.close().catch(() => undefined);
      throw error;
    }
  }

  /** Runs an expression beside the page's own scripts, in a world they can't reach. Its value must be JSON. */
  async evaluate(expression: string): Promise<unknown> {
    const contextId = await this.#contextId();
    try {
      const { result, exceptionDetails } = await this.session.send('Runtime.evaluate', {
        expression,
        contextId,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails === undefined) return result.value;
      throw new Error(`evaluation failed: ${exceptionDetails.text}`);
    } catch (error) {
      this.#world = undefined;
      throw error;
    }
  }

  /** Our world in the document shown now. */
  async #contextId(): Promise<number> {
    const { loaderId } = this.documents.current;
    if (this.#world?.loaderId === loaderId) return this.#world.contextId;
    const { executionContextId: contextId } = await this.session.send('Page.createIsolatedWorld', {
      frameId: this.mainFrameId,
      worldName: WORLD,
    });
    this.#world = { loaderId, contextId };
    return contextId;
  }

  /** Has images, media and fonts refused, or not. Other requests never leave the browser's fast path. */
  async block(isBlocking: boolean): Promise<void> {
    if (isBlocking === this.#isBlocking) return;
    this.#isBlocking = isBlocking;
    const patterns = BLOCKED_TYPES.map((resourceType) => ({ resourceType }));
    await Promise.all([
      // By name where the name tells: refused where they are asked for, at a tenth of the cost of asking us.
      this.session.send('Network.setBlockedURLs', { urls: isBlocking ? BLOCKED_NAMES : [] }),
      isBlocking ? this.session.send('Fetch.enable', { patterns }) : this.session.send('Fetch.disable'),
    ]);
  }

  /** Ends the context and everything in it. Resolves after a bounded time whatever the page does. */
  async close(): Promise<void> {
    this.#tabs.delete(this);
    this.lane.close();
    let late: NodeJS.Timeout | undefined;
    await Promise.race([
      this.context.close().catch(() => undefined),
      new Promise<void>((resolve) => {
        late = setTimeout(resolve, CLOSE_DEADLINE_MS);
      }),
    ]);
    clearTimeout(late);
  }
}

/** A blank page in the context, ready to be watched. */
async function openPage(root: CDPSession, context: BrowserContext): Promise<CDPSession> {
  const { id } = context;
  if (id === undefined) throw new Error('a context of our own has an id');
  await root.send('Target.createTarget', { url: 'about:blank', browserContextId: id, ...VIEWPORT });
  const target = await context.waitForTarget((candidate) => candidate.type() === 'page');
  const session = await target.createCDPSession();
  await Promise.all([
    session.send('Page.enable'),
    session.send('Inspector.enable'),
    // No bodies are ever asked for, so none are kept.
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: await evasions() }),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
  ]);
  return session;
}
