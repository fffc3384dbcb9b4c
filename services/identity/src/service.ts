import { loadCatalogue } from '@tidemark/catalogue';
import { IdentityServiceService } from '@tidemark/contracts/identity/v1/identity';
import { defineService, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { makeAuthenticate } from './authenticate.ts';
import { config } from './config.ts';
import { makeCreateKey } from './create-key.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { identityGrpc } from './grpc.ts';
import { KeyStore } from './store/key-store.ts';

/** Workspaces, API keys and authentication. */
export const identity = defineService({
  name: 'identity',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'identity'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'identity') }));
    const keys = new KeyStore(db);
    const now = () => new Date();

    const authenticate = makeAuthenticate({ keys, now });
    const createKey = makeCreateKey({ keys, now });
    const plans = Object.keys(loadCatalogue(app.config.TIDEMARK_CATALOGUE).plans);

    app.serve(IdentityServiceService, identityGrpc({ keys, authenticate, createKey, plans, now }));
    app.ready('postgres', () => pingDatabase(pool));
  },
});
