import { loadCatalogue, planOf } from '@tidemark/catalogue';
import { events } from '@tidemark/contracts';
import { AccountServiceService } from '@tidemark/contracts/identity/v1/accounts';
import { ChildServiceService } from '@tidemark/contracts/identity/v1/children';
import { IdentityServiceService } from '@tidemark/contracts/identity/v1/identity';
import { RequestLogServiceService } from '@tidemark/contracts/identity/v1/requests';
import { Sealer } from '@tidemark/sealing';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { makeAuthenticate } from './access/authenticate.ts';
import { makeCreateKey } from './access/create-key.ts';
import { makeGrantAccess } from './access/grant-access.ts';
import { makeRevokeKey } from './access/revoke-key.ts';
import { makeCredentials } from './accounts/make-credentials.ts';
import { makeMembers } from './accounts/make-members.ts';
import { makeSessions } from './accounts/make-sessions.ts';
import { makeSignUps } from './accounts/make-sign-ups.ts';
import { makeCheckOwnPassword } from './accounts/reset-password.ts';
import { makeSavedViews } from './accounts/saved-views.ts';
import { openAccountSweep } from './accounts/sweep-accounts.ts';
import { makeChildren } from './children/manage-children.ts';
import { config } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { childMethods } from './grpc/child-methods.ts';
import { identityMethods } from './grpc/identity-methods.ts';
import { memberMethods } from './grpc/member-methods.ts';
import { oidcMethods } from './grpc/oidc-methods.ts';
import { passkeyMethods } from './grpc/passkey-methods.ts';
import { requestMethods } from './grpc/request-methods.ts';
import { credentialMethods, makeSignedIn, sessionMethods, signUpMethods } from './grpc/session-methods.ts';
import { viewMethods } from './grpc/view-methods.ts';
import { AccountMails } from './mail/account-mails.ts';
import { type MailAdmins, makeMailAdmins } from './mail/mail-admins.ts';
import { makeMailCreditsLow } from './mail/mail-credits-low.ts';
import { makeMailRenewalUnpaid } from './mail/mail-renewal-unpaid.ts';
import { readGroupRoles } from './oidc/group-roles.ts';
import { makeOidc, openProvider } from './oidc/make-oidc.ts';
import { makePasskeys } from './passkeys/make-passkeys.ts';
import { Passwords } from './proofs/passwords.ts';
import { AttemptCounter } from './store/attempt-counter.ts';
import { AuditLog } from './store/audit-log.ts';
import { ChildStore } from './store/child-store.ts';
import { FactorStore } from './store/factor-store.ts';
import { InviteStore } from './store/invite-store.ts';
import { KeyStore } from './store/key-store.ts';
import { MemberStore } from './store/member-store.ts';
import { RequestLog } from './store/request-log.ts';
import { SessionStore } from './store/session-store.ts';
import { storePlans } from './store/store-plans.ts';
import { TokenStore } from './store/token-store.ts';
import { UserStore } from './store/user-store.ts';
import { ViewStore } from './store/view-store.ts';
import { WelcomeStore } from './store/welcome-store.ts';
import { readSnapshot } from './store/workspace-snapshot.ts';
import { WorkspaceStore } from './store/workspace-store.ts';

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

    const keys = new KeyStore(db);
    const send = outbox.send.bind(outbox);
    const sealer = new Sealer(app.config.SEALING_KEYS);
    const settings = {
      signUp: app.config.SIGN_UP,
      passwordMin: app.config.PASSWORD_MIN,
      defaultPlan: app.config.TIDEMARK_DEFAULT_PLAN,
    };
    const mails = new AccountMails({ sealer, send, isOn: app.config.ACCOUNT_MAILS === 'on', now });
    const passwords = new Passwords();
    const users = new UserStore(pool);
    const sessions = new SessionStore(pool);
    const factors = new FactorStore(pool, sealer);
    const tokens = new TokenStore(pool);
    const members = new MemberStore(pool);
    const invites = new InviteStore(pool);
    const workspaces = new WorkspaceStore(pool);
    const children = new ChildStore(pool);
    const welcome = new WelcomeStore(now);
    const attempts = new AttemptCounter(pool);
    const audit = new AuditLog(pool);
    const requests = new RequestLog(pool);
    const checkOwnPassword = makeCheckOwnPassword({ users, sessions, attempts, passwords });
    const passkeys = makePasskeys({ pool, factors, mails, checkOwnPassword, log: app.log });
    const sessionCases = makeSessions({
      pool,
      factors,
      passwords,
      mails,
      checkPasskey: passkeys.check,
      log: app.log,
      now,
    });
    const { viewSession } = sessionCases;
    const signUps = makeSignUps({ pool, factors, passwords, mails, settings, welcome, send });
    const credentials = makeCredentials({
      pool,
      factors,
      passwords,
      mails,
      settings,
      checkOwnPassword,
      log: app.log,
    });
    const memberCases = makeMembers({ pool, passwords, mails, settings, send, now });
    const provider = openProvider(app.config, { own: (http) => app.own(http), log: app.log });
    const oidc = makeOidc({
      pool,
      provider,
      mails,
      settings,
      welcome,
      send,
      groupRoles: readGroupRoles(app.config.OIDC_GROUP_ROLES),
    });
    const allowedBy = (plan: string) => catalogue.plans[plan]?.subAccounts ?? 0;
    const signedIn = makeSignedIn(viewSession);
    app.serve(
      IdentityServiceService,
      identityMethods({
        keys,
        authenticate: makeAuthenticate({ keys, now }),
        createKey: makeCreateKey({ pool, members, now }),
        grantAccess: makeGrantAccess({ pool, members, send, now }),
        revokeKey: makeRevokeKey({ pool, send }),
        updateWorkspace: memberCases.updateWorkspace,
        plans: Object.keys(catalogue.plans),
        snapshotOf: (workspaceId) => readSnapshot(pool, workspaceId),
      }),
    );
    app.serve(
      ChildServiceService,
      childMethods(makeChildren({ pool, children, members, workspaces, allowedBy, send, now })),
    );
    app.serve(AccountServiceService, [
      ...sessionMethods(sessionCases, signedIn),
      ...signUpMethods(signUps, signedIn),
      ...credentialMethods(credentials),
      ...passkeyMethods(passkeys, signedIn),
      ...viewMethods(makeSavedViews({ views: new ViewStore(pool) })),
      ...oidcMethods(oidc, { signedIn, settings, hasMails: mails.isOn }),
      ...memberMethods({ useCases: memberCases, viewSession, members, invites, audit }),
    ]);
    app.serve(RequestLogServiceService, requestMethods(requests));
    const { REQUEST_LOG_DAYS: requestDays } = app.config;
    app.own(openAccountSweep({ users, sessions, tokens, children, audit, requests, requestDays, log: app.log }));
    for (const event of [
      events.projectsAudited,
      events.scrapeAudited,
      events.exportAudited,
      events.billingAudited,
      events.deliveryAudited,
    ])
      bus.consume(event, 'identity', (batch) => audit.store(batch.map((received) => received.event)));
    mailBillingEvents(bus, makeMailAdmins({ pool, members, workspaces, mails }));
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
function mailBillingEvents(bus: Bus, mailAdmins: MailAdmins): void {
  const mailCreditsLow = makeMailCreditsLow(mailAdmins);
  bus.consume(events.creditsLow, 'identity', async (batch) => {
    for (const { event } of batch) await mailCreditsLow(event);
  });
  const mailRenewalUnpaid = makeMailRenewalUnpaid(mailAdmins);
  bus.consume(events.renewalUnpaid, 'identity', async (batch) => {
    for (const { event } of batch) await mailRenewalUnpaid(event);
  });
}
