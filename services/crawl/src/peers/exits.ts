import { ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import { CachedValue, type Logger, type Peer } from '@tidemark/service';

/** Exits change only when browser-pool restarts. */
const REFRESH_MS = 10_000;
/** Longest the start of the service waits for browser-pool. */
const FIRST_MS = 3_000;

/** Whether pages can be fetched through exits, as browser-pool last stated it. */
export interface Exits {
  /** True until browser-pool has responded: a page then reserves the credits of the most expensive engine. */
  readonly areConfigured: boolean;
  close(): void;
}

/** Reads whether exits are configured, and again in the background. Close it at the end. */
export async function openExits(pool: Peer, log: Logger): Promise<Exits> {
  const countries = new CachedValue({
    load: async () => (await pool.call(Rpc.listExitCountries, {}, { requestId: '' })).countries,
    everyMs: REFRESH_MS,
    failed: 'list of exit countries failed, will retry',
    log,
  });
  await countries.start(FIRST_MS);
  return {
    get areConfigured() {
      return countries.current?.length !== 0;
    },
    close: () => countries.close(),
  };
}
