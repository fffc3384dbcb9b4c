import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Api, type ApiResponse, settledCredits } from '../harness/api.ts';
import { type OwnFleet, serviceOf } from '../harness/fleet.ts';
import { makeProject } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { startFaultyFleet } from './invariants.ts';

const web = await startWeb();
let fleet: OwnFleet;
let workspace: Workspace;
let project: string;
beforeAll(async () => {
  fleet = await startFaultyFleet();
}, 90_000);
beforeEach(async () => {
  workspace = await fleet.workspaces.make();
  project = (await makeProject(workspace.writer, { seed: web.url('/article') })).id;
});
afterAll(async () => {
  await fleet?.close();
  await web.close();
}, 30_000);

const LIMIT_MS = 150_000;
const open = (): Promise<ApiResponse> => workspace.writer.post(`/projects/${project}/recorder`, {});
const idOf = ({ body, text, status }: ApiResponse): string => {
  if (status !== 201) throw new Error(text);
  return (body as { id: string }).id;
};

/** Reads the frames of a recorder until the stream ends. @returns the names of its events and its text */
async function framesOf({ url, key }: Api, path: string, onFrame: () => void) {
  const response = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('event: frame')) onFrame();
  }
  return text;
}

describe('a recorder', () => {
  test(
    'ends with its reason when browser-pool is killed, is charged once, and its member can open another',
    async () => {
      const id = idOf(await open());
      const seen = Promise.withResolvers<void>();
      const path = `/projects/${project}/recorder/${id}`;
      const stream = framesOf(workspace.writer, `${path}/frames`, seen.resolve);
      await seen.promise;
      await serviceOf(fleet, 'browser-pool').kill('SIGKILL');
      expect(await stream).toContain('event: ended\ndata: {"reason":"crashed"}');
      const input = await workspace.writer.post(`${path}/input`, { type: 'scroll' });
      expect(input.status).toBe(404);
      await serviceOf(fleet, 'browser-pool').restart();
      await until('another recorder', async () => (await open()).status === 201, { withinMs: 60_000 });
      expect((await settledCredits(workspace.reader)).usedThisMonth).toBe(10);
    },
    LIMIT_MS,
  );

  test(
    'stays open when the gateway or scrape is killed, and its member finds it again',
    async () => {
      const id = idOf(await open());
      for (const service of ['gateway', 'scrape'] as const) {
        await serviceOf(fleet, service).kill('SIGKILL');
        await serviceOf(fleet, service).restart();
        await until(`the recorder after the restart of ${service}`, async () => {
          const { status, body } = await workspace.writer
            .get(`/projects/${project}/recorder`)
            .catch(() => ({ status: 0, body: undefined }));
          return status === 200 && (body as { recorder: { id: string } | null }).recorder?.id === id;
        });
      }
      const path = `/projects/${project}/recorder/${id}`;
      expect((await workspace.writer.post(`${path}/input`, { type: 'scroll' })).status).toBe(200);
      expect((await workspace.writer.delete(path)).status).toBe(204);
    },
    LIMIT_MS,
  );
});
