import { expect, it } from '@jest/globals';
import { PageRow } from '@tidemark/contracts/page/v1/page';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { PaceKeeper } from '../pace/pace-keeper.ts';
import { type Look, makeReadAgain } from './read-again.ts';

const look: Look = {
  url: 'https://site.test/',
  options: toCaptureOptions(captureOptions({ renderJs: 'auto', maxTier: 'browser' })),
  workspaceId: 'wsp_1',
  pace: { concurrency: 1, delayMs: 0 },
};
const robots = { rulesOf: async () => ({ crawlDelaySeconds: undefined }) };
const hold = async (): Promise<void> => undefined;

it('a look asks as anybody would: by no browser and through no exit', async () => {
  const tasks: PageTask[] = [];
  const capture = async (task: PageTask) => {
    tasks.push(task);
    return { row: PageRow.fromPartial({ verdict: 'ok' }), bodies: undefined };
  };
  const pace: PaceKeeper = { hold, ask: async () => ({ done: async () => 'up' }) };
  await makeReadAgain({ capture, robots, pace })(look, new AbortController().signal);
  expect(tasks).toMatchObject([
    { isRecapture: true, options: { useProxy: 'never', maxTier: 'http', renderJs: 'never' } },
  ]);
});

it('a host whose turn does not come in time says nothing of the page, nor that scrape is away', async () => {
  const leaving = new AbortController();
  const capture = () => Promise.reject(new Error('it was fetched out of turn'));
  const pace: PaceKeeper = {
    hold,
    ask: async () => {
      leaving.abort();
      return { ms: 60_000 };
    },
  };
  const looking = makeReadAgain({ capture, robots, pace })(look, leaving.signal);
  await expect(looking).rejects.toMatchObject({ code: 'rate_limited' });
});
