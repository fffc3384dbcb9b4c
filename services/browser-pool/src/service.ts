import { BrowserPoolServiceService } from '@tidemark/contracts/browser/v1/browser';
import { ExitServiceService } from '@tidemark/contracts/browser/v1/exits';
import { createGuard, dialThroughExit } from '@tidemark/egress';
import { defineService } from '@tidemark/service';
import { BrowserProcess } from './chromium/browser-process.ts';
import { removeAbandonedProfiles } from './chromium/profiles.ts';
import { config } from './config.ts';
import { exitMethods } from './exits/exit-grpc.ts';
import { openExits } from './exits/open-exits.ts';
import { browserPoolMethods } from './grpc.ts';
import { Browsers } from './pool/browsers.ts';
import { Pool } from './pool/pool.ts';

export const browserPool = defineService({
  name: 'browser-pool',
  config,
  async start(app) {
    const { config: set, log } = app;
    removeAbandonedProfiles(set.PROFILE_DIR);

    const guard = createGuard({ allow: set.TIDEMARK_EGRESS_ALLOW });
    const exits = await openExits({ config: set, guard, log, own: app.own });
    const egress = {
      guard,
      dialExit: dialThroughExit,
      bytesMax: set.PAGE_MAX_MEGABYTES * 1024 * 1024,
    };
    const launch = () =>
      BrowserProcess.launch({
        executablePath: set.CHROMIUM_PATH,
        userAgent: set.TIDEMARK_USER_AGENT,
        profileDir: set.PROFILE_DIR,
        egress,
        log,
      });
    const browsers = new Browsers(
      launch,
      {
        maxAgeMs: set.BROWSER_MAX_AGE_SECONDS * 1_000,
        maxPages: set.BROWSER_MAX_PAGES,
        maxMemoryBytes: set.BROWSER_MAX_MEGABYTES * 1024 * 1024,
        idleMs: set.BROWSER_IDLE_SECONDS * 1_000,
        hangMs: set.BROWSER_HANG_MS,
      },
      log,
    );
    const pool = app.own(
      new Pool(browsers, {
        tabs: set.BROWSER_TABS,
        queue: set.QUEUE_LIMIT,
        pagesPerContext: set.CONTEXT_MAX_PAGES,
        sessions: set.BROWSER_SESSIONS,
        sessionMs: set.BROWSER_SESSION_SECONDS * 1_000,
      }),
    );

    app.serve(BrowserPoolServiceService, browserPoolMethods(pool, exits));
    app.serve(ExitServiceService, exitMethods(exits));
  },
});
