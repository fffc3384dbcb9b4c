import { AccountMailRequested } from '@tidemark/contracts/identity/v1/events';
import { gateway } from '@tidemark/gateway';
import { identity } from '@tidemark/identity';
import { Sealer } from '@tidemark/sealing';
import { freePort, type RunningService, startRedis, startService, startTestServers } from '@tidemark/testkit';
import { People } from '../harness/people.ts';

const SEALING_KEYS = Buffer.alloc(32, 7).toString('base64');
const NOWHERE = '127.0.0.1:1';
/** Services that the routes of accounts do not call. */
const OTHERS = [
  'BILLING',
  'SCRAPE',
  'BROWSER_POOL',
  'ARCHIVE',
  'CRAWL',
  'MAP',
  'PROJECTS',
  'DIFF',
  'EXPORT',
  'DELIVERY',
];

/** A mail that identity requested. Delivery does not run, so that its event stays in the outbox. */
export interface RequestedMail {
  readonly kind: string;
  readonly to: string;
  readonly token?: string;
}

/** The pages and routes of accounts on a real gateway and identity. */
export interface AccountSite {
  /** Origin by host name: passkeys and cookies need one. */
  readonly url: string;
  readonly people: People;
  readonly identity: RunningService;
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  mailsTo(email: string): Promise<RequestedMail[]>;
  /** Starts another gateway on the same identity. @returns its origin */
  secondGateway(settings?: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

export interface AccountSiteOptions {
  readonly identity?: Readonly<Record<string, string>>;
  readonly gateway?: Readonly<Record<string, string>>;
}

/** Starts identity and a gateway; without a mail host unless `identity` sets one. */
export async function startAccountSite(options: AccountSiteOptions = {}): Promise<AccountSite> {
  const servers = await startTestServers();
  const redis = servers.own(await startRedis());
  const settings = { SEALING_KEYS, SIGN_UP: 'open', ...options.identity };
  const identityService = servers.own(await startService(identity, { ...servers.env, ...settings }));
  const startGateway = async (more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const port = await freePort();
    const addresses = Object.fromEntries(OTHERS.map((name) => [`${name}_ADDR`, NOWHERE]));
    const own = { LISTEN: `127.0.0.1:${port}`, INSTALLATION: String(port), REDIS_URL: redis.url };
    const env = {
      ...servers.env,
      ...addresses,
      ...own,
      IDENTITY_ADDR: identityService.address,
      ...options.gateway,
      ...more,
    };
    servers.own(await startService(gateway, env));
    return `http://localhost:${port}`;
  };
  const url = await startGateway();
  const sealer = new Sealer(SEALING_KEYS);
  return {
    url,
    people: new People(url),
    identity: identityService,
    sql: (text, values = []) => servers.database.sql(text, [...values]),
    async mailsTo(email) {
      const rows = await servers.database.sql<{ payload: Buffer }>(
        "SELECT payload FROM identity.outbox WHERE subject = 'event.account.mail' ORDER BY id",
      );
      return rows
        .map(({ payload }) => AccountMailRequested.decode(payload))
        .map(({ id, kind, sealed }) => ({ kind, ...JSON.parse(sealer.open(sealed, id)) }))
        .filter(({ to }) => to === email);
    },
    secondGateway: startGateway,
    close: () => servers.close(),
  };
}
