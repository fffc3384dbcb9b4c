import { afterEach, describe, expect, it } from '@jest/globals';
import { Tidemark } from '@tidemark/sdk';
import { type FakeServer, sendJson, startFakeServer } from './fake-server.ts';

let server: FakeServer;
afterEach(() => server.close());

/** Starts a server where the record of the newest full run, run_2, has these states, one for each request; after the first, a newer run ends. */
async function serve(states: readonly string[]): Promise<ReturnType<Tidemark['projects']['of']>> {
  let reads = 0;
  server = await startFakeServer(({ url }, response) => {
    const list = { next: null, cursor: null, request_id: 'req_1' };
    if (reads > 0 && !url.includes('run_id=run_2'))
      return sendJson(response, 200, { ...list, status: 'made', runId: 'run_3', entries: [{ id: 'later' }] });
    const status = states[Math.min(reads, states.length - 1)];
    reads += 1;
    sendJson(response, 200, { ...list, status, runId: 'run_2', entries: status === 'made' ? [{ id: 'newest' }] : [] });
  });
  return new Tidemark({ apiKey: 'service_secret', baseUrl: server.baseUrl }).projects.of('prj_1');
}

async function idsOf(entries: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of entries) ids.push(id);
  return ids;
}

describe('the change record of a project in the SDK', () => {
  it('is that of the run that was the newest at the first request, also where a newer one ends while it is made', async () => {
    const project = await serve(['making', 'making', 'made']);
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
    expect(server.seen).toHaveLength(1);
  });

  it('ends its wait when the signal of the call aborts', async () => {
    const project = await serve(['making']);
    const signal = AbortSignal.timeout(100);
    await expect(project.record({}, { signal })).rejects.toMatchObject({ code: 'aborted' });
  });
});
