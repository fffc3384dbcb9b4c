import { type ExitLease, ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, handle } from '@tidemark/service';
import type { ExitOutcome } from '../exits/exit-record.ts';
import type { OpenExits } from '../exits/open-exits.ts';

const OUTCOMES: readonly ExitOutcome[] = ['read', 'refused', 'failed'];
const MAX_HOST = 300;
const MAX_SESSION = 200;
const MAX_TRIED = 50;

/** Methods of ExitService. No response contains the address or the credentials of an exit. */
export function exitMethods({ exits, leases, proxy }: OpenExits): BoundMethod[] {
  return [
    handle(Rpc.leaseExit, async (request) => {
      const { workspaceId, host, country = '', kind, session, tried } = request;
      if (workspaceId === '' || host === '') throw invalid('workspace_id and host are required');
      if (host.length > MAX_HOST || (session?.length ?? 0) > MAX_SESSION || tried.length > MAX_TRIED) {
        throw invalid('host, session or tried is too long');
      }
      const sessionKey = session === undefined ? '' : JSON.stringify([workspaceId, session]);
      const exit = await exits.pick({ host, country, kind, session: sessionKey, tried });
      if (exit === undefined || proxy === undefined) return { lease: undefined };
      const { id, token } = await leases.grant({ exit: exit.name, workspaceId, host });
      const lease: ExitLease = {
        id,
        exitName: exit.name,
        country: exit.country,
        kind: exit.kind,
        proxyHost: proxy.host,
        proxyPort: proxy.port,
        token,
      };
      return { lease };
    }),
    handle(Rpc.reportExit, async ({ workspaceId, leaseId, outcome: text, bytes }) => {
      const outcome = OUTCOMES.find((known) => known === text);
      if (outcome === undefined) throw invalid('outcome must be read, refused or failed');
      const lease = await leases.find(leaseId, workspaceId);
      if (lease === undefined) throw new AppError('not_found', 'lease not found');
      await Promise.all([exits.report(lease.exit, lease.host, outcome, Math.max(0, bytes)), leases.end(leaseId)]);
      return {};
    }),
    handle(Rpc.listExits, async () => ({
      exits: (await exits.view()).map(({ parityCheckedAt: _, burnedFor, adoptedBy, ...exit }) => ({
        ...exit,
        burnedFor: [...burnedFor],
        adoptedBy: [...adoptedBy],
      })),
    })),
    handle(Rpc.listExitCountries, async () => ({ countries: [...exits.countries] })),
  ];
}

const invalid = (message: string): AppError => new AppError('validation', message);
