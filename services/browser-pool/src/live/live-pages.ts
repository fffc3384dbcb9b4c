import { AppError } from '@tidemark/errors';
import type { Failure } from '../page/failures.ts';
import type { RenderTask } from '../page/render-task.ts';
import type { BrowserSupervisor } from '../pool/browser-supervisor.ts';
import { LivePage } from './live-page.ts';

export interface LiveLimits {
  /** Maximum live pages of this instance. */
  readonly pages: number;
  /** Time without watchers and input after which a page ends, ms. */
  readonly idleMs: number;
}

/** The live pages of this instance. */
export class LivePages {
  readonly #browsers: BrowserSupervisor;
  readonly #limits: LiveLimits;
  readonly #open = new Map<string, LivePage>();
  #opening = 0;

  constructor(browsers: BrowserSupervisor, limits: LiveLimits) {
    this.#browsers = browsers;
    this.#limits = limits;
  }

  /** @returns the page, or why it can not be opened @throws AppError conflict if all pages are in use, unavailable */
  async open(
    { id, task, lifetimeMs }: { readonly id: string; readonly task: RenderTask; readonly lifetimeMs: number },
    signal: AbortSignal,
  ): Promise<LivePage | Failure> {
    const { pages, idleMs } = this.#limits;
    if (this.#open.size + this.#opening >= pages)
      throw new AppError(
        'conflict',
        `all ${pages} live pages of the browser pool are in use; try again in some minutes`,
      );
    this.#opening += 1;
    try {
      const onEnd = (page: LivePage) => {
        if (this.#open.get(page.id) === page) this.#open.delete(page.id);
      };
      const page = await LivePage.open(this.#browsers, { id, task, lifetimeMs, idleMs, onEnd }, signal);
      if (typeof page === 'string') return page;
      // It may have crashed as soon as it was open.
      if (page.hasEnded) return 'crashed';
      this.#open.set(id, page);
      return page;
    } finally {
      this.#opening -= 1;
    }
  }

  /** @throws AppError not_found if the workspace has no such page here */
  require(id: string, workspaceId: string): LivePage {
    const page = this.#open.get(id);
    if (page === undefined || page.workspaceId !== workspaceId)
      throw new AppError('not_found', 'the live page has ended');
    return page;
  }

  /** Ends the page, if the workspace has it here. */
  async endPage(id: string, workspaceId: string): Promise<void> {
    const page = this.#open.get(id);
    if (page?.workspaceId === workspaceId) await page.end('closed');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((page) => page.end('shutdown')));
  }
}
