import { newId, onOwnBehalf } from '@tidemark/contracts';
import { LoginServiceService as Rpc } from '@tidemark/contracts/scrape/v1/logins';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { RequestContext } from '../request-context.ts';

/** Deadline of one call, ms. A scheduled start makes it before the call to crawl; both must end within the claim's lease. */
const DEADLINE_MS = 3_000;

/** Client of the saved logins in scrape. All methods reject with `unavailable` if scrape cannot be reached. */
export class SavedLogins {
  readonly #scrape: Peer;

  constructor(scrape: Peer) {
    this.#scrape = scrape;
  }

  /** Whether the workspace has this login. Does not check the caller's project allow-list. */
  async exists(context: RequestContext, id: string): Promise<boolean> {
    return isFound(this.#scrape.call(Rpc.getLogin, { id, namedByProject: true }, context, { deadlineMs: DEADLINE_MS }));
  }

  /** Records that a run is about to start with the login's session. Idempotent. @returns false if there is no such login */
  async recordRun(context: RequestContext, loginId: string, runId: string): Promise<boolean> {
    return isFound(this.#scrape.call(Rpc.recordRunLogin, { runId, loginId }, context, { deadlineMs: DEADLINE_MS }));
  }

  /** Whether the run was started with a login that still exists. */
  async hasRunLogin(workspaceId: string, runId: string): Promise<boolean> {
    const caller = onOwnBehalf('projects', workspaceId);
    const context = { caller, requestId: newId('req') };
    const { loginId } = await this.#scrape.call(Rpc.getRunLogin, { runId }, context, { deadlineMs: DEADLINE_MS });
    return loginId !== undefined;
  }
}

async function isFound(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false;
    throw error;
  }
}
