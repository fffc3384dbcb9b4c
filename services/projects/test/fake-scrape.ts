import { Login, LoginServiceService as Logins } from '@tidemark/contracts/scrape/v1/logins';
import { ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withUnimplemented } from '@tidemark/testkit';

/** A scrape that checks selectors and stores which saved logins exist. */
export interface FakeScrape extends RunningService {
  /** Saved logins and their workspaces. */
  readonly logins: Map<string, string>;
  /** Runs and the logins they were started with. */
  readonly runLogins: Map<string, string>;
  /** Error of a selector; empty: none. What it throws is the response. */
  /** Why a selector can't be used; undefined: it can. */
  faultOf: (selector: string) => string | undefined;
  /** Whether the calls about logins fail with `unavailable`. */
  isUnavailable: boolean;
  /** Calls that failed because of `isUnavailable`. */
  refused: number;
}

export async function startFakeScrape(): Promise<FakeScrape> {
  const logins = new Map<string, string>();
  const runLogins = new Map<string, string>();
  const controls: Pick<FakeScrape, 'faultOf' | 'isUnavailable' | 'refused'> = {
    faultOf: () => undefined,
    isUnavailable: false,
    refused: 0,
  };
  const refuseWhileUnavailable = (): void => {
    if (!controls.isUnavailable) return;
    controls.refused += 1;
    throw new AppError('unavailable', 'scrape cannot be reached');
  };
  const check = (id: string, workspaceId: string): void => {
    refuseWhileUnavailable();
    if (logins.get(id) !== workspaceId) throw new AppError('not_found', 'saved login not found');
  };
  const definition = defineService({
    name: 'scrape',
    config: {},
    async start(app) {
      app.serve(
        Rpc,
        withUnimplemented(Rpc, [
          handle(Rpc.matchSelectors, async ({ selectors }) => ({
            pages: [],
            errors: Object.fromEntries(
              selectors.flatMap((selector, at): [number, string][] => {
                const fault = controls.faultOf(selector);
                return fault === undefined ? [] : [[at, fault]];
              }),
            ),
          })),
        ]),
      );
      app.serve(
        Logins,
        withUnimplemented(Logins, [
          handle(Logins.getLogin, async ({ id, namedByProject }, ctx) => {
            const { workspaceId, access } = callerOf(ctx);
            check(id, access.kind === 'only' && !namedByProject ? '' : workspaceId);
            return { login: Login.fromPartial({ id, state: 'unknown' }) };
          }),
          handle(Logins.recordRunLogin, async ({ runId, loginId }, ctx) => {
            check(loginId, callerOf(ctx).workspaceId);
            runLogins.set(runId, loginId);
            return {};
          }),
          handle(Logins.getRunLogin, async ({ runId }, ctx) => {
            refuseWhileUnavailable();
            const loginId = runLogins.get(runId) ?? '';
            return { loginId: logins.get(loginId) === callerOf(ctx).workspaceId ? loginId : undefined };
          }),
        ]),
      );
    },
  });
  return Object.assign(controls, await startService(definition, {}), { logins, runLogins });
}
