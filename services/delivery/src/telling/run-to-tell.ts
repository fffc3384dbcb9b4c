import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Fleet } from './fleet.ts';
import { ENTRIES_DIGESTED, ENTRIES_SHOWN, type RunToTell } from './ports.ts';

/** A run with what its project and its record say by now; undefined: its project is gone. */
export async function runToTell(fleet: Fleet, run: RunFinished): Promise<RunToTell | undefined> {
  const { workspaceId, projectId } = run;
  const channels = await fleet.channels(workspaceId, projectId);
  if (channels === undefined) return undefined;
  const most = channels.digestConnectionId === '' ? ENTRIES_SHOWN : ENTRIES_DIGESTED;
  const found = await fleet.record(workspaceId, run, most);
  const record = found?.record?.status === 'made' ? found.record : undefined;
  const entries = record === undefined ? [] : (found?.entries ?? []);
  return { kind: 'run', workspaceId, channels, run, record, entries };
}
