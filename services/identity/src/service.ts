import { loadCatalogue, planOf } from '@tidemark/catalogue';
import { events } from '@tidemark/contracts';
import { AccountServiceService } from '@tidemark/contracts/identity/v1/accounts';
import { ChildServiceService } from '@tidemark/contracts/identity/v1/children';
import { IdentityServiceService } from '@tidemark/contracts/identity/v1/identity';
import { Sealer } from '@tidemark/sealing';
import {
  type App,
  Bus,
  type ConfigOf,
  defineService,
  Outbox,
  openPool,
  pingDatabase,
  prismaAdapter,
} from '@tidemark/service';
import type pg from 'pg';
import type { AccountParts } from './accounts/account-parts.ts';
import { openAccounts } from './accounts/open-accounts.ts';
import { makeAuthenticate } from './authenticate.ts';
import { openChildren } from './children/manage-children.ts';
import { config } from './config.ts';
import { makeCreateKey } from './create-key.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { makeGrantAccess } from './grant-access.ts';
import { childMethods } from './grpc/child-methods.ts';
import { identityMethods } from './grpc/identity-methods.ts';
import { memberMethods } from './grpc/member-methods.ts';
import { oidcMethods } from './grpc/oidc-methods.ts';
import { passkeyMethods } from './grpc/passkey-methods.ts';
import { makeSignedIn, sessionMethods } from './grpc/session-methods.ts';
import { AccountMails } from './mail/account-mails.ts';
import type { MailAdminsDeps } from './mail/mail-admins.ts';
import { makeMailCreditsLow } from './mail/mail-credits-low.ts';
import { makeMailRenewalUnpaid } from './mail/mail-renewal-unpaid.ts';
import { openOidc, openProvider } from './oidc/open-oidc.ts';
import { openPasskeys } from './passkeys/open-passkeys.ts';
import { WebAuthn } from './passkeys/webauthn.ts';
import { Passwords } from './proofs/passwords.ts';
import { AttemptCounter } from './store/attempt-counter.ts';
import { AuditLog } from './store/audit-log.ts';
import { ChildStore } from './store/child-store.ts';
import { FactorStore } from './store/factor-store.ts';
import { IdentityStore } from './store/identity-store.ts';
import { InviteStore } from './store/invite-store.ts';
import { KeyStore } from './store/key-store.ts';
import { MemberStore } from './store/member-store.ts';
import { PasskeyStore } from './store/passkey-store.ts';
import { SessionStore } from './store/session-store.ts';
import { storePlans } from './store/store-plans.ts';
import { TokenStore } from './store/token-store.ts';
import { UserStore } from './store/user-store.ts';
import { WelcomeStore } from './store/welcome-store.ts';
import { readSnapshot } from './store/workspace-snapshot.ts';
import { WorkspaceStore } from './store/workspace-store.ts';
import { openAccountSweep } from './sweep-accounts.ts';

const CONNECTIONS = 10;

/** Workspaces, API keys, people and their sessions. */
export const identity = defineService({
  name: 'identity',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, TIDEMARK_CATALOGUE } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'identity', CONNECTIONS));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'identity') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'identity', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'identity', app.log));
    const now = () => new Date();
    const catalogue = loadCatalogue(TIDEMARK_CATALOGUE);
    planOf(catalogue, app.config.TIDEMARK_DEFAULT_PLAN);

    const keys = new KeyStore(db, outbox);
    const authenticate = makeAuthenticate({ keys, now });
    const createKey = makeCreateKey({ keys, now });
    const send = outbox.send.bind(outbox);
    const parts = accountParts(app.config, { pool, send, now });
    const grantAccess = makeGrantAccess({ keys, members: parts.members, now });
    const children = new ChildStore(pool);
    const audit = new AuditLog(pool);
    const allowedBy = (plan: string) => catalogue.plans[plan]?.subAccounts ?? 0;
    const childAccounts = openChildren({ ...parts, children, allowedBy, send, now });
    const passkeys = openPasskeys({ ...parts, webauthn: new WebAuthn(), log: app.log });
    const accounts = openAccounts(parts, { log: app.log, checkPasskey: passkeys.check });
    const signedIn = makeSignedIn(accounts);
    const provider = openProvider(app.config, { own: (http) => app.own(http), log: app.log });
    const oidc = openOidc({ ...parts, provider, identities: new IdentityStore(pool) });
    const plans = Object.keys(catalogue.plans);

    const snapshotOf = (workspaceId: string) => readSnapshot(pool, workspaceId);
    const forKeys = { keys, authenticate, createKey, grantAccess, accounts, plans, snapshotOf, now };
    app.serve(IdentityServiceService, identityMethods(forKeys));
    app.serve(ChildServiceService, childMethods(childAccounts));
    app.serve(AccountServiceService, [
      ...sessionMethods(accounts, signedIn),
      ...passkeyMethods(passkeys, signedIn),
      ...oidcMethods(oidc, { signedIn, settings: parts.settings, hasMails: parts.mails.isOn }),
      ...memberMethods({ ...parts, accounts, audit }),
    ]);
    app.own(openAccountSweep({ ...parts, children, audit, log: app.log }));
    for (const event of [
      events.projectsAudited,
      events.scrapeAudited,
      events.exportAudited,
      events.billingAudited,
      events.deliveryAudited,
    ])
      bus.consume(event, 'identity', (batch) => audit.store(batch.map((received) => received.event)));
    mailBillingEvents(bus, parts);
    bus.consume(events.planChanged, 'identity', (batch) =>
      storePlans(
        pool,
        batch.map((received) => received.event),
      ),
    );
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});

/** Mails alerts of credits and unpaid renewals. */
function mailBillingEvents(bus: Bus, parts: MailAdminsDeps): void {
  const mailCreditsLow = makeMailCreditsLow(parts);
  bus.consume(events.creditsLow, 'identity', async (batch) => {
    for (const { event } of batch) await mailCreditsLow(event);
  });
  const mailRenewalUnpaid = makeMailRenewalUnpaid(parts);
  bus.consume(events.renewalUnpaid, 'identity', async (batch) => {
    for (const { event } of batch) await mailRenewalUnpaid(event);
  });
}

/** Opens the stores of accounts. */
function accountParts(
  settings: App<ConfigOf<typeof config>>['config'],
  { pool, send, now }: { readonly pool: pg.Pool; readonly send: Outbox['send']; readonly now: () => Date },
): AccountParts {
  const sealer = new Sealer(settings.SEALING_KEYS);
  return {
    pool,
    users: new UserStore(pool),
    sessions: new SessionStore(pool),
    factors: new FactorStore(pool, sealer),
    passkeys: new PasskeyStore(pool),
    tokens: new TokenStore(pool),
    members: new MemberStore(pool),
    invites: new InviteStore(pool),
    workspaces: new WorkspaceStore(pool),
    welcome: new WelcomeStore(now),
    send,
    attempts: new AttemptCounter(pool),
    passwords: new Passwords(),
    mails: new AccountMails({ sealer, send, isOn: settings.ACCOUNT_MAILS === 'on', now }),
    settings: {
      signUp: settings.SIGN_UP,
      passwordMin: settings.PASSWORD_MIN,
      defaultPlan: settings.TIDEMARK_DEFAULT_PLAN,
    },
    now,
  };
}
