import { ExportServiceService, ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { defineService, handle, openPool, pingDatabase } from '@tidemark/service';
import { config } from './config.ts';

const missing = async (): Promise<never> => {
  throw new AppError('not_found', 'there is no such connection');
};

/** How other services are reached on the customer's behalf. */
export const exportService = defineService({
  name: 'export',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'export'));
    app.serve(ExportServiceService, [
      handle(Rpc.listProviders, async () => ({ providers: [] })),
      handle(Rpc.listConnections, async () => ({ connections: [], next: '' })),
      handle(Rpc.createConnection, missing),
      handle(Rpc.getConnection, missing),
      handle(Rpc.updateConnection, missing),
      handle(Rpc.deleteConnection, missing),
      handle(Rpc.testConnection, missing),
      handle(Rpc.openConnection, missing),
    ]);
    app.ready('postgres', () => pingDatabase(pool));
  },
});
