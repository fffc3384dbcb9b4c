import type { ChangeRecord } from '@tidemark/api';
import type { Api } from './api.ts';
import { until } from './until.ts';

/** Waits for the change record of a run. @throws Error where it failed */
export function recordOf(api: Api, projectId: string, runId: string, query = ''): Promise<ChangeRecord> {
  return until(`the record of ${runId}`, async () => {
    const { status, body, text } = await api.get(`/projects/${projectId}/changes?run_id=${runId}${query}`);
    if (status !== 200) throw new Error(`expected 200, got ${status} ${text}`);
    const record = body as ChangeRecord;
    if (record.status === 'failed') throw new Error(`the record failed: ${record.error}`);
    return record.status === 'made' ? record : undefined;
  });
}
