import { type AuditEntry, routes } from '@tidemark/api';
import { textOrEmpty } from '@tidemark/contracts';
import {
  type ListAuditResponse,
  AccountServiceService as Rpc,
  type AuditEntry as WireEntry,
} from '@tidemark/contracts/identity/v1/accounts';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { keyOrMember } from '../../responses/month-spend.ts';
import { auditFile } from './audit-file.ts';

/** Entries that one call of an export reads. */
const PAGE = 1_000;

interface AuditQuery {
  readonly action: string;
  readonly actor: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Endpoints of the audit log. */
export function auditEndpoints(identity: Peer): Endpoint[] {
  return [
    endpoint(routes.listAudit, async ({ query, baseUrl, call, requestId, cursors }) => {
      const { limit } = query;
      const cursor = cursors.openId('aud', query.cursor);
      const { entries, nextCursor } = await identity.call(Rpc.listAudit, { ...filterOf(query), cursor, limit }, call);
      const nextPage = cursors.nextPage(`${baseUrl}/me/audit?${new URLSearchParams(sent(query))}`, nextCursor);
      return { status: 200, body: { data: entries.map(toEntry), ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.exportAudit, async ({ query, call }) => {
      // The first page is read before the status is sent.
      const pages = readPages(identity, query, call);
      const first = await pages.next();
      return auditFile(query.format, first.done === true ? [] : first.value, pages);
    }),
  ];
}

async function* readPages(
  identity: Peer,
  query: AuditQuery,
  call: CallContext,
): AsyncGenerator<AuditEntry[], undefined> {
  let cursor: string | undefined;
  do {
    const page: ListAuditResponse = await identity.call(
      Rpc.listAudit,
      { ...filterOf(query), cursor, limit: PAGE },
      call,
    );
    yield page.entries.map(toEntry);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

const filterOf = ({ action, actor, from, to }: AuditQuery) => ({
  action,
  actorId: actor,
  from: from === undefined ? undefined : new Date(from),
  to: to === undefined ? undefined : new Date(to),
});

/** Returns the parameters of the next page: those that were sent. */
function sent({ action, actor, from, to, limit }: AuditQuery & { readonly limit: number }): Record<string, string> {
  const given = { action, actor, from: from ?? '', to: to ?? '', limit: String(limit) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

function toEntry({ id, at, action, actorId, actorName, subjectId, detailJson, ip, userAgent }: WireEntry): AuditEntry {
  return {
    id,
    at: timeOf(at),
    action,
    ...keyOrMember(actorId),
    actor: textOrEmpty(actorName),
    subjectId: subjectId ?? null,
    detail: JSON.parse(detailJson || '{}'),
    ip: ip || null,
    userAgent: userAgent || null,
  };
}
