import { ExportServiceService } from '@tidemark/contracts/export/v1/export';
import { createGuard, createHttpClient, makeRequirePublicUrl, parseAllowList } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import { defineService, openPool, pingDatabase } from '@tidemark/service';
import { config } from './config.ts';
import { ConnectionDesk } from './connection-desk.ts';
import { exportGrpc } from './grpc.ts';
import { ConnectionStore } from './store/connection-store.ts';
import { makeTryProvider } from './try-provider.ts';

/** How other services are reached on the customer's behalf. */
export const exportService = defineService({
  name: 'export',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'export'));
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const client = app.own(createHttpClient(guard));
    const desk = new ConnectionDesk({
      connections: new ConnectionStore(pool),
      seals: new Sealer(app.config.SEALING_KEYS),
      admit: makeRequirePublicUrl(guard),
      tryProvider: makeTryProvider(client),
      now: () => new Date(),
    });
    app.serve(ExportServiceService, exportGrpc(desk));
    app.ready('postgres', () => pingDatabase(pool));
  },
});

/** The name hosts know it by, which no declaration can have. */
export { exportService as export };
