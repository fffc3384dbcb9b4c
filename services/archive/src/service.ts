import { openBlobs } from '@tidemark/blobs';
import { facts } from '@tidemark/contracts';
import { ArchiveServiceService } from '@tidemark/contracts/archive/v1/archive';
import { Bus, defineService, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { Arrivals } from './arrivals.ts';
import { config } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { archiveGrpc } from './grpc.ts';
import { makeListPages } from './list-pages.ts';
import { makeReadAttachment } from './read-attachment.ts';
import { PageStore } from './store/page-store.ts';

/** Every page ever kept, and questions about it. */
export const archive = defineService({
  name: 'archive',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'archive'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'archive') }));
    const blobs = app.own(openBlobs(app.config.BLOB_URL));
    const bus = app.own(await Bus.connect(app.config.NATS_URL, 'archive', app.log));
    const pages = new PageStore(pool, db);
    const arrivals = new Arrivals();

    const listPages = makeListPages({ pages, blobs, arrivals, now: Date.now });

    app.serve(
      ArchiveServiceService,
      archiveGrpc({ listPages, readAttachment: makeReadAttachment({ listPages, blobs }), pages }),
    );
    bus.consume(facts.pageCaptured, 'archive', async (batch) => {
      const captured = batch.map((delivered) => delivered.fact);
      await pages.record(captured);
      arrivals.announce(captured.map((page) => page.jobId));
    });
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => blobs.ping());
  },
});
