import { BrowserPoolServiceService } from '@tidemark/contracts/browser/v1/browser';
import { ExitServiceService } from '@tidemark/contracts/browser/v1/exits';
import { LivePageServiceService } from '@tidemark/contracts/browser/v1/live';
import { guardFromConfig } from '@tidemark/egress';
import { defineService } from '@tidemark/service';
import { config } from './config.ts';
import { openExits } from './exits/open-exits.ts';
import { browserPoolMethods } from './grpc/browser-pool-methods.ts';
import { exitMethods } from './grpc/exit-methods.ts';
import { livePageMethods } from './grpc/live-page-methods.ts';
import { LivePages } from './live/live-pages.ts';
import { makeRenderPool, openBrowsers } from './pool/open-render-pool.ts';

/** Renders pages in Chromium, and owns the exits of the operator. */
export const browserPool = defineService({
  name: 'browser-pool',
  config,
  async start(app) {
    const { config, log } = app;
    const guard = guardFromConfig(config);
    const exits = await openExits({ config, guard, log, own: app.own });
    const browsers = app.own(openBrowsers({ config, guard, log }));
    const limits = { pages: config.LIVE_PAGES, idleMs: config.LIVE_PAGE_IDLE_SECONDS * 1_000 };
    const livePages = app.own(new LivePages(browsers, limits));
    app.serve(BrowserPoolServiceService, browserPoolMethods(makeRenderPool(browsers, config), exits));
    app.serve(LivePageServiceService, livePageMethods(livePages, exits));
    app.serve(ExitServiceService, exitMethods(exits));
  },
});
