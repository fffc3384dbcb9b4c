import { ExportDatasetRequest, ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { callerIn } from '@tidemark/testkit';
import { pssMb } from '../../deploy/local/process-memory.ts';
import type { BenchRun } from '../archive/rows.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';
import type { ExportServers } from './servers.ts';

export interface Download {
  readonly bytes: number;
  readonly firstByteMs: number;
  readonly seconds: number;
  /** CPU milliseconds of archive, export and PostgreSQL. */
  readonly cpuMs: number;
  /** Highest PSS of export during the download, MB. */
  readonly peakMb: number;
}

const SAMPLE_MS = 50;
const DEADLINE_MS = 600_000;

/** Downloads a dataset and measures it. */
export async function download(
  servers: ExportServers,
  { workspaceId, projectId, runId }: BenchRun,
  request: Partial<ExportDatasetRequest>,
): Promise<Download> {
  const { pids } = servers;
  const cpuMs = () => cpuOfTreeMs(pids.archive) + cpuOfTreeMs(pids.export) + cpuOfTreeMs(pids.postgres);
  let peakMb = pssMb(pids.export);
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, pssMb(pids.export));
  }, SAMPLE_MS);
  const message = ExportDatasetRequest.fromPartial({ projectId, runId, compression: 'none', ...request });
  const cpuBefore = cpuMs();
  const startedAtMs = performance.now();
  let firstByteMs = 0;
  let bytes = 0;
  const call = callerIn(workspaceId);
  for await (const { part } of servers.export.stream(Rpc.exportDataset, message, call, { deadlineMs: DEADLINE_MS })) {
    if (part?.$case !== 'chunk') continue;
    if (bytes === 0) firstByteMs = performance.now() - startedAtMs;
    bytes += part.value.length;
  }
  clearInterval(timer);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { bytes, firstByteMs, seconds, cpuMs: cpuMs() - cpuBefore, peakMb };
}
