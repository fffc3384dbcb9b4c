import type { Browser, BrowserContext, CDPSession } from 'puppeteer-core';
import { type Egress, EgressProxy } from '../egress/egress-proxy.ts';
import { Documents } from '../page/documents.ts';
import { Wardrobe } from './guise.ts';
import { evasions } from './puppeteer.ts';
import { Requests } from './requests.ts';

const CLOSE_DEADLINE_MS = 2_000;
// One name for every document: a world without one is made anew each time and never goes away.
const WORLD = 'tidemark';
/** Width and height of the page where it is shown to a desktop, and so of its screenshot. */
const VIEWPORT = { width: 1280, height: 800 };

/** Whose pages a context may show for as long as it lives: of one workspace, by one exit, of one session or one origin. */
export interface TabKey {
  readonly workspaceId: string;
  /** Name of the exit; empty where none is used. */
  readonly exit: string;
  /** Empty where each page is alone. */
  readonly session: string;
  /** Empty where a session goes from origin to origin. */
  readonly origin: string;
}

/** Whether a context of the one may show a page of the other. */
export const isSameKey = (a: TabKey, b: TabKey): boolean =>
  a.workspaceId === b.workspaceId && a.exit === b.exit && a.session === b.session && a.origin === b.origin;

/** What a tab is opened on. */
export interface Ground {
  readonly browser: Browser;
  /** The session of the browser itself, not of a page. */
  readonly root: CDPSession;
  readonly egress: Egress;
  readonly userAgent: string;
  /** The tabs open on it. */
  readonly tabs: Set<Tab>;
}

/**
 * One page in a browser context of its own, with a way out of its own. Driven over the DevTools protocol: puppeteer's
 * Page would have every document carry a second JavaScript world and every event told twice.
 */
export class Tab {
  readonly session: CDPSession;
  readonly egressProxy: EgressProxy;
  readonly documents: Documents;
  readonly mainFrameId: string;
  readonly context: BrowserContext;
  readonly requests: Requests;
  readonly wardrobe: Wardrobe;
  readonly #tabs: Set<Tab>;
  /** Absent while nobody has used it. */
  key: TabKey | undefined;
  pages = 0;
  #world: { readonly loaderId: string; readonly contextId: number } | undefined;

  private constructor(
    ground: Ground,
    context: BrowserContext,
    session: CDPSession,
    egressProxy: EgressProxy,
    frameId: string,
  ) {
    this.#tabs = ground.tabs;
    this.context = context;
    this.session = session;
    this.egressProxy = egressProxy;
    this.mainFrameId = frameId;
    this.documents = new Documents(session, frameId);
    this.requests = new Requests(session);
    this.wardrobe = new Wardrobe(session, ground.userAgent);
    session.on('Page.javascriptDialogOpening', () => {
      session.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
    });
  }

  static async open(ground: Ground, key: TabKey | undefined): Promise<Tab> {
    const { browser, root, egress, tabs } = ground;
    const egressProxy = await EgressProxy.listen(egress);
    let context: BrowserContext | undefined;
    try {
      context = await browser.createBrowserContext({
        proxyServer: egressProxy.url,
        proxyBypassList: ['<-loopback>'],
        downloadBehavior: { policy: 'deny' },
      });
      const session = await openPage(root, context);
      const { frameTree } = await session.send('Page.getFrameTree');
      const tab = new Tab(ground, context, session, egressProxy, frameTree.frame.id);
      tab.key = key;
      tabs.add(tab);
      return tab;
    } catch (error) {
      egressProxy.close();
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

  /** Ends the context and everything in it. Resolves after a bounded time whatever the page does. */
  async close(): Promise<void> {
    this.#tabs.delete(this);
    this.egressProxy.close();
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
