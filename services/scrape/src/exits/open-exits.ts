import { ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import { CachedValue, type Logger, type Peer } from '@tidemark/service';
import type { ExitPool, ExitRequest } from '../capture/capture-deps.ts';
import type { ExitRoute } from '../domain/ports.ts';

/** Exits change only when browser-pool restarts. */
const REFRESH_MS = 10_000;
/** Longest the start of the service waits for browser-pool. */
const FIRST_MS = 3_000;
const LEASE_DEADLINE_MS = 2_000;
const REPORT_DEADLINE_MS = 5_000;
const CALL = { requestId: '' } as const;

/** Exits as browser-pool provides them. Whether there are any is read from memory; only pages that use one cause a call. */
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

  /** While browser-pool has not responded yet, exits count as present: a page that needs one fails as with a failed exit. */
  get isEmpty(): boolean {
    return this.#countries.current?.length === 0;
  }

  /** Whether an exit of the country is configured; empty: whether there is one at all. */
  hasCountry(country: string): boolean {
    const { current } = this.#countries;
    if (current === undefined) return true;
    return country === '' ? current.length > 0 : current.includes(country.toUpperCase());
  }

  async lease({ tried, ...request }: ExitRequest): Promise<ExitRoute | undefined> {
    try {
      const leaseRequest = { ...request, kind: '', tried: [...tried] };
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
      this.#log.warn({ err: error, host: request.host }, 'exit lease failed, page continues as with a failed exit');
      return undefined;
    }
  }

  report(workspaceId: string, { leaseId }: ExitRoute, outcome: 'read' | 'refused' | 'failed', bytes: number): void {
    this.#pool
      .call(Rpc.reportExit, { workspaceId, leaseId, outcome, bytes }, CALL, { deadlineMs: REPORT_DEADLINE_MS })
      .catch((error: unknown) => this.#log.debug({ err: error, leaseId }, 'exit report failed, it is lost'));
  }
}

/** The exits of browser-pool. Resolves once it is known whether there are any, or after three seconds. Close it at the end. */
export async function openExits(pool: Peer, log: Logger): Promise<PooledExits> {
  const exits = new PooledExits(pool, log);
  await exits.start();
  return exits;
}
