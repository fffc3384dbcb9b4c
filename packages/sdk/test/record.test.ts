import { afterEach, describe, expect, it } from '@jest/globals';
import { Tidemark } from '@tidemark/sdk';
import { type FakeServer, sendJson, startFakeServer } from './fake-server.ts';

let server: FakeServer;
afterEach(() => server.close());

/** Starts a server whose newest full run has these states of its record, one for each request; that of the run before is made. */
async function serve(states: readonly (string | null)[]): Promise<ReturnType<Tidemark['projects']['of']>> {
  let reads = 0;
  server = await startFakeServer(({ url }, response) => {
    const list = { next: null, cursor: null, request_id: 'req_1' };
    if (url.includes('/runs?'))
      return sendJson(response, 200, {
        ...list,
        data: [
          { id: 'run_3', trigger: 'recrawl' },
          { id: 'run_2', trigger: 'api' },
          { id: 'run_1', trigger: 'api' },
        ],
      });
    if (!url.includes('run_id=run_2'))
      return sendJson(response, 200, { ...list, status: 'made', runId: 'run_1', entries: [{ id: 'earlier' }] });
    const status = states[Math.min(reads, states.length - 1)] ?? null;
    reads += 1;
    const runId = status === null ? null : 'run_2';
    sendJson(response, 200, { ...list, status, runId, entries: status === 'made' ? [{ id: 'newest' }] : [] });
  });
  return new Tidemark({ apiKey: 'service_secret', baseUrl: server.baseUrl }).projects.of('prj_1');
}

async function idsOf(entries: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of entries) ids.push(id);
  return ids;
}

describe('the change record of a project in the SDK', () => {
  it('is that of the newest full run, also while it is not made yet: never that of the run before', async () => {
    const project = await serve([null, 'making', 'made']);
    expect(await idsOf(project.changeEntries())).toEqual(['newest']);
  });

  it('of a named run is waited for too', async () => {
    const project = await serve(['making', 'made']);
    expect(await project.record({ run_id: 'run_2' })).toMatchObject({ status: 'made', runId: 'run_2' });
  });

  it('that is not made in the given time is returned as it is', async () => {
    const project = await serve(['making']);
    expect(await project.record({}, { waitMs: 600 })).toMatchObject({ status: 'making', entries: [] });
  });

  it('that failed is returned at once', async () => {
    const project = await serve(['failed']);
    expect(await project.record()).toMatchObject({ status: 'failed' });
    expect(server.seen).toHaveLength(2);
  });

  it('ends its wait when the signal of the call aborts', async () => {
    const project = await serve(['making']);
    const signal = AbortSignal.timeout(100);
    await expect(project.record({}, { signal })).rejects.toMatchObject({ code: 'aborted' });
  });
});
