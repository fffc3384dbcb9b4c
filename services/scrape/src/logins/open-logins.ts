import { controls, events } from '@tidemark/contracts';
import type { LoginDeleted } from '@tidemark/contracts/scrape/v1/events';
import { LoginServiceService } from '@tidemark/contracts/scrape/v1/logins';
import { type App, type Bus, type Outbox, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';
import type { LoginDeletions } from './login-deletions.ts';
import { loginMethods } from './login-methods.ts';
import type { LoginSessions } from './login-sessions.ts';
import { LoginStore } from './login-store.ts';
import { makeOnRunFinished } from './on-run-finished.ts';
import type { ProbeLogin } from './probe-login.ts';
import { RunLogins } from './run-logins.ts';
import { SavedLogins } from './saved-logins.ts';
import { makeTestLogin } from './test-login.ts';

const CLEANUP_EVERY_MS = 3_600_000;

type LoginApp = Pick<App<unknown>, 'serve' | 'own' | 'log'>;

interface LoginDeps {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly outbox: Outbox;
  readonly sessions: LoginSessions;
  readonly loginDeletions: LoginDeletions;
  readonly probe: ProbeLogin;
  readonly admit: (url: string, field: string) => Promise<void>;
  readonly now: () => Date;
}

/** Serves LoginService, and keeps the state of saved sessions up to date from the ends of runs. */
export function openLogins(
  app: LoginApp,
  { pool, bus, outbox, sessions, loginDeletions, probe, admit, now }: LoginDeps,
): void {
  const logins = new LoginStore(pool);
  const runLogins = new RunLogins(pool);
  const reportDeleted = (login: LoginDeleted) => bus.control.send(controls.loginDeleted, login);
  const savedLogins = new SavedLogins({
    logins,
    sessions,
    admit,
    send: (events) => outbox.send(events),
    reportDeleted,
    now,
  });
  const testLogin = makeTestLogin({ logins, sessions, probe, now });
  app.serve(LoginServiceService, loginMethods({ savedLogins, testLogin, runLogins }));
  bus.control.receive(controls.loginDeleted, (login) => loginDeletions.report(login));
  // The event reaches one instance, also after the one that deleted the login has died; it passes it on to all.
  bus.consume(events.loginDeleted, 'scrape', async (batch) => {
    for (const { event } of batch) reportDeleted(event);
  });
  bus.consume(events.runFinished, 'scrape', makeOnRunFinished(runLogins));
  app.own(
    new PeriodicTask({
      everyMs: CLEANUP_EVERY_MS,
      run: () => runLogins.deleteOld(),
      failed: 'old rows of login_runs could not be deleted, will retry',
      log: app.log,
    }),
  );
}
