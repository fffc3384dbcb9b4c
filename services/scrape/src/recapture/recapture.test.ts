import { expect, it } from '@jest/globals';
import type { HostLimiter } from '@tidemark/host-pace';
import { captureOptions, pageRow } from '@tidemark/testkit';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { PageTask } from '../domain/page-task.ts';
import { PageVisitor, type PageVisitorDeps } from '../visit/page-visitor.ts';
import { makeRecapture, type RecaptureRequest } from './recapture.ts';

const request: RecaptureRequest = {
  url: 'https://site.test/',
  options: toCaptureOptions(captureOptions({ renderJs: 'auto', maxTier: 'browser' })),
  workspaceId: 'wsp_1',
  pace: { concurrency: 1, delayMs: 0 },
  engine: 'http',
};
const visitorOf = (capture: PageVisitorDeps['capture'], pace: HostLimiter) =>
  new PageVisitor({
    capture,
    robots: { policyOf: () => Promise.reject(new Error('robots.txt is not read')) },
    pace,
    now: () => new Date(),
  });
const hold = async (): Promise<void> => undefined;

it('recapture fetches by plain http, without a browser and without an exit', async () => {
  const tasks: PageTask[] = [];
  const capture = async (task: PageTask) => {
    tasks.push(task);
    return { row: pageRow({ verdict: 'ok' }), bodies: undefined };
  };
  const pace: HostLimiter = { hold, acquire: async () => ({ delayMs: 0, release: async () => 'up' }) };
  await makeRecapture(visitorOf(capture, pace))(request, new AbortController().signal);
  expect(tasks).toMatchObject([
    { isRecapture: true, options: { useProxy: 'never', maxTier: 'http', renderJs: 'never' } },
  ]);
});

it('recapture by the browser renders the page without an exit and without a screenshot', async () => {
  const tasks: PageTask[] = [];
  const capture = async (task: PageTask) => {
    tasks.push(task);
    return { row: pageRow({ verdict: 'ok', method: 'browser' }), bodies: undefined };
  };
  const pace: HostLimiter = { hold, acquire: async () => ({ delayMs: 0, release: async () => 'up' }) };
  const options = toCaptureOptions(captureOptions({ renderJs: 'auto', maxTier: 'browser', screenshot: 'full' }));
  const recapture = makeRecapture(visitorOf(capture, pace));
  const { page } = await recapture({ ...request, options, engine: 'browser' }, new AbortController().signal);
  expect(tasks).toMatchObject([
    { options: { useProxy: 'never', maxTier: 'browser', renderJs: 'always', screenshot: 'none' } },
  ]);
  expect(page?.row).toMatchObject({ verdict: 'ok', method: 'browser' });
});

it("recapture rejects with rate_limited if the host's permit does not come in time", async () => {
  const leaving = new AbortController();
  const capture = () => Promise.reject(new Error('the page was fetched without a permit'));
  const pace: HostLimiter = {
    hold,
    acquire: async () => {
      leaving.abort();
      return { ms: 60_000 };
    },
  };
  const recaptured = makeRecapture(visitorOf(capture, pace))(request, leaving.signal);
  await expect(recaptured).rejects.toMatchObject({ code: 'rate_limited' });
});
