import { newId } from '@tidemark/contracts';
import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { Claimed } from '../store/claims.ts';
import type { Destination } from './make-attempt.ts';

/** Whom a project tells of its runs, asked of projects in our own name; undefined: there is no such project. */
export type OpenChannels = (workspaceId: string, projectId: string) => Promise<Channels | undefined>;

/** An answer serves all of a project's messages for this long. */
const FRESH_MS = 5_000;
const DEADLINE_MS = 3_000;
const MOST_KEPT = 1_000;

/** Asks projects. */
export function askProjects(projects: Peer): OpenChannels {
  return async (workspaceId, projectId) => {
    const caller = { workspaceId, keyId: '', scope: 'admin', projects: [] } as const;
    try {
      const call = { requestId: newId('req'), caller };
      return (await projects.call(Projects.openChannels, { projectId }, call, { deadlineMs: DEADLINE_MS })).channels;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  };
}

/** Whom projects tell: asked now, or as it was answered a moment ago. */
export interface RememberedChannels {
  readonly fresh: OpenChannels;
  readonly recent: OpenChannels;
}

/** Remembers answers for a moment, so that a receiver's whole backlog asks once. An answer that failed is asked for again. */
export function rememberChannels(open: OpenChannels, nowMs: () => number): RememberedChannels {
  const kept = new Map<string, { readonly untilMs: number; readonly answer: ReturnType<OpenChannels> }>();
  const keyOf = (workspaceId: string, projectId: string): string => `${workspaceId}\n${projectId}`;
  const fresh: OpenChannels = (workspaceId, projectId) => {
    const key = keyOf(workspaceId, projectId);
    const answer = open(workspaceId, projectId);
    const entry = { untilMs: nowMs() + FRESH_MS, answer };
    kept.delete(key);
    kept.set(key, entry);
    answer.catch(() => kept.get(key) === entry && kept.delete(key));
    const oldest = kept.size > MOST_KEPT ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return answer;
  };
  const recent: OpenChannels = (workspaceId, projectId) => {
    const known = kept.get(keyOf(workspaceId, projectId));
    return known !== undefined && known.untilMs > nowMs() ? known.answer : fresh(workspaceId, projectId);
  };
  return { fresh, recent };
}

/** Where a message to a project's people goes by now: its address may have been mended, or taken out, since it was told. */
export function destinationOf(
  channels: Channels | undefined,
  { kind, recipient }: Claimed,
  known: string,
): Destination {
  if (channels === undefined) return { gone: 'the project is gone' };
  if (kind === 'mail')
    return channels.notifyEmails.includes(recipient)
      ? { url: known }
      : { gone: 'the project writes to this address no more' };
  const url = kind === 'webhook' ? channels.webhookUrl : channels.chatUrl;
  return url === '' ? { gone: `the project has no ${kind} any more` } : { url };
}
