import { BrowserPoolServiceService } from '@tidemark/contracts/browser/v1/browser';
import { ExitServiceService } from '@tidemark/contracts/browser/v1/exits';
import { guardFromConfig } from '@tidemark/egress';
import { defineService } from '@tidemark/service';
import { config } from './config.ts';
import { openExits } from './exits/open-exits.ts';
import { browserPoolMethods } from './grpc/browser-pool-methods.ts';
import { exitMethods } from './grpc/exit-methods.ts';
import { openRenderPool } from './pool/open-render-pool.ts';

/** Renders pages in Chromium, and owns the exits of the operator. */
export const browserPool = defineService({
  name: 'browser-pool',
  config,
  async start(app) {
    const { config, log } = app;
    const guard = guardFromConfig(config);
    const exits = await openExits({ config, guard, log, own: app.own });
    const pool = app.own(openRenderPool({ config, guard, log }));
    app.serve(BrowserPoolServiceService, browserPoolMethods(pool, exits));
    app.serve(ExitServiceService, exitMethods(exits));
  },
});
