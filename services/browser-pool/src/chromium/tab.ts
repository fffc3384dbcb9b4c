import { within } from '@tidemark/deadline';
import type { Browser, BrowserContext, CDPSession } from 'puppeteer-core';
import { type EgressOptions, EgressProxy } from '../egress/egress-proxy.ts';
import { DeviceEmulation } from './device-emulation.ts';
import { DocumentTracker } from './document-tracker.ts';
import { evasions } from './puppeteer.ts';
import { PAUSED_REQUESTS, RequestInterceptor } from './request-interceptor.ts';

const CLOSE_DEADLINE_MS = 2_000;
// A fixed name, since a world without one is created for each call and never freed.
const WORLD_NAME = 'tidemark';
/** Desktop viewport, and size of its screenshot. */
const VIEWPORT = { width: 1280, height: 800 };

/** Identifies the pages that a context may show: of one workspace, through one exit, of one session or one origin. */
export interface TabKey {
  readonly workspaceId: string;
  /** Name of the exit; empty: none. */
  readonly exit: string;
  /** Empty: no session. */
  readonly session: string;
  /** Empty for a session, which may visit several origins. */
  readonly origin: string;
}

/** Whether a context of one key may show a page of the other. */
export const isSameKey = (a: TabKey, b: TabKey): boolean =>
  a.workspaceId === b.workspaceId && a.exit === b.exit && a.session === b.session && a.origin === b.origin;

/** The browser in which tabs are opened. */
export interface BrowserHandle {
  readonly browser: Browser;
  /** DevTools session of the browser, not of a page. */
  readonly browserSession: CDPSession;
  readonly egress: EgressOptions;
  readonly userAgent: string;
  /** Its open tabs. */
  readonly tabs: Set<Tab>;
}

/**
 * One page in its own browser context with its own egress proxy. It uses the DevTools protocol directly: puppeteer's Page
 * adds a second JavaScript world to every document and doubles every event.
 */
export class Tab {
  readonly session: CDPSession;
  readonly egressProxy: EgressProxy;
  readonly documents: DocumentTracker;
  readonly mainFrameId: string;
  readonly context: BrowserContext;
  readonly interceptor: RequestInterceptor;
  readonly emulation: DeviceEmulation;
  readonly #tabs: Set<Tab>;
  /** Undefined until its first use. */
  key: TabKey | undefined;
  pages = 0;
  #world: { readonly loaderId: string; readonly contextId: number } | undefined;

  private constructor(
    handle: BrowserHandle,
    context: BrowserContext,
    session: CDPSession,
    egressProxy: EgressProxy,
    frameId: string,
  ) {
    this.#tabs = handle.tabs;
    this.context = context;
    this.session = session;
    this.egressProxy = egressProxy;
    this.mainFrameId = frameId;
    this.documents = new DocumentTracker(session, frameId);
    this.interceptor = new RequestInterceptor(session);
    this.emulation = new DeviceEmulation(session, handle.userAgent);
    session.on('Page.javascriptDialogOpening', () => {
      session.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
    });
  }

  static async open(handle: BrowserHandle, key: TabKey | undefined): Promise<Tab> {
    const { browser, browserSession, egress, tabs } = handle;
    const egressProxy = await EgressProxy.listen(egress);
    let context: BrowserContext | undefined;
    try {
      context = await browser.createBrowserContext({
        proxyServer: egressProxy.url,
        proxyBypassList: ['<-loopback>'],
        downloadBehavior: { policy: 'deny' },
      });
      const session = await openPage(browserSession, context);
      const { frameTree } = await session.send('Page.getFrameTree');
      const tab = new Tab(handle, context, session, egressProxy, frameTree.frame.id);
      tab.key = key;
      tabs.add(tab);
      return tab;
    } catch (error) {
      egressProxy.close();
      context?.close().catch(() => undefined);
      throw error;
    }
  }

  /** Evaluates an expression in an isolated world, which scripts of the page cannot access. Its value must be JSON. */
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

  /** Returns the isolated world of the current document. */
  async #contextId(): Promise<number> {
    const { loaderId } = this.documents.current;
    if (this.#world?.loaderId === loaderId) return this.#world.contextId;
    const { executionContextId: contextId } = await this.session.send('Page.createIsolatedWorld', {
      frameId: this.mainFrameId,
      worldName: WORLD_NAME,
    });
    this.#world = { loaderId, contextId };
    return contextId;
  }

  /** Closes the context. Resolves after a bounded time even if the page blocks. */
  async close(): Promise<void> {
    this.#tabs.delete(this);
    this.egressProxy.close();
    const closing = this.context.close().catch(() => undefined);
    await within(closing, CLOSE_DEADLINE_MS, () => undefined);
  }
}

/** Opens a blank page in the context with its events enabled. */
async function openPage(browserSession: CDPSession, context: BrowserContext): Promise<CDPSession> {
  const { id } = context;
  if (id === undefined) throw new Error('the browser context has no id');
  await browserSession.send('Target.createTarget', { url: 'about:blank', browserContextId: id, ...VIEWPORT });
  const target = await context.waitForTarget((candidate) => candidate.type() === 'page');
  const session = await target.createCDPSession();
  await Promise.all([
    session.send('Page.enable'),
    session.send('Inspector.enable'),
    // Response bodies are never read, so none are buffered.
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: await evasions() }),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    session.send('Fetch.enable', PAUSED_REQUESTS),
  ]);
  return session;
}
