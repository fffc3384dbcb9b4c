import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ENTRIES_DIGESTED, ENTRIES_SHOWN, type FinishedRun } from '../notifications/notification.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';

/** Loads a run's channels and record; undefined: its project was deleted. */
export async function loadFinishedRun(peerQueries: PeerQueries, run: RunFinished): Promise<FinishedRun | undefined> {
  const { workspaceId, projectId } = run;
  const channels = await peerQueries.channels(workspaceId, projectId);
  if (channels === undefined) return undefined;
  const most = channels.digestConnectionId === undefined ? ENTRIES_SHOWN : ENTRIES_DIGESTED;
  const found = await peerQueries.record(workspaceId, run, most);
  const record = found?.record?.status === 'made' ? found.record : undefined;
  const entries = record === undefined ? [] : (found?.entries ?? []);
  return { kind: 'run', workspaceId, channels, run, record, entries };
}
