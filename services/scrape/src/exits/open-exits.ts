import { ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import { CachedValue, type Logger, type Peer } from '@tidemark/service';
import type { ExitPool, ExitRequest } from '../capture/capture-deps.ts';
import type { ExitRoute } from '../domain/ports.ts';

/** Refresh interval, ms. The exits change only when browser-pool restarts. */
const REFRESH_MS = 10_000;
/** Maximum wait for browser-pool at start, ms. */
const FIRST_MS = 3_000;
const LEASE_DEADLINE_MS = 2_000;
const REPORT_DEADLINE_MS = 5_000;
const CALL = { requestId: '' } as const;

/** The exits of browser-pool. Countries are cached; only pages that use an exit cause a call. */
export class PooledExits implements ExitPool {
  readonly #pool: Peer;
  readonly #log: Logger;
  readonly #countries: CachedValue<readonly string[]>;

  constructor(pool: Peer, log: Logger) {
    this.#pool = pool;
    this.#log = log;
    this.#countries = new CachedValue({
      load: async () => (await pool.call(Rpc.listExitCountries, {}, CALL, { deadlineMs: LEASE_DEADLINE_MS })).countries,
      everyMs: REFRESH_MS,
      failed: 'list of exit countries failed, will retry',
      log,
    });
  }

  async start(): Promise<void> {
    await this.#countries.start(FIRST_MS);
  }

  close(): void {
    this.#countries.close();
  }

  /** Before the first response of browser-pool, exits count as present: a page that needs one fails as with a failed exit. */
  get isEmpty(): boolean {
    return this.#countries.current?.length === 0;
  }

  /** Whether an exit of the country is configured; empty: any country. */
  hasCountry(country: string): boolean {
    const { current } = this.#countries;
    if (current === undefined) return true;
    return country === '' ? current.length > 0 : current.includes(country.toUpperCase());
  }

  async lease({ tried, ...request }: ExitRequest): Promise<ExitRoute | undefined> {
    try {
      const leaseRequest = { ...request, tried: [...tried] };
      const { lease } = await this.#pool.call(Rpc.leaseExit, leaseRequest, CALL, { deadlineMs: LEASE_DEADLINE_MS });
      if (lease === undefined) return undefined;
      const { id, exitName, proxyHost, proxyPort, token } = lease;
      const key = JSON.stringify([exitName, request.workspaceId]);
      return {
        leaseId: id,
        name: exitName,
        proxy: { key, host: proxyHost, port: proxyPort, username: id, password: token },
      };
    } catch (error) {
      this.#log.warn({ err: error, host: request.host }, 'exit lease failed, treating it as a failed exit');
      return undefined;
    }
  }

  report(workspaceId: string, { leaseId }: ExitRoute, outcome: 'read' | 'refused' | 'failed', bytes: number): void {
    this.#pool
      .call(Rpc.reportExit, { workspaceId, leaseId, outcome, bytes }, CALL, { deadlineMs: REPORT_DEADLINE_MS })
      .catch((error: unknown) => this.#log.debug({ err: error, leaseId }, 'exit report failed, dropping it'));
  }
}

/** Opens the exits of browser-pool. Resolves when its countries are loaded, or after three seconds. The caller closes them. */
export async function openExits(pool: Peer, log: Logger): Promise<PooledExits> {
  const exits = new PooledExits(pool, log);
  await exits.start();
  return exits;
}
