import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());

const pages = [{ url: 'https://site.test/', texts: ['Welcome to the harbour.'] }];

it('a record that takes long does not delay records of other projects', async () => {
  const [slow, quick] = [projectIn(setup), projectIn(setup)];
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  setup.peers.blockers.run = () => {
    started.resolve();
    return released.promise;
  };
  const slowRun = await slow.finishRun({ pages });
  await started.promise;
  setup.peers.blockers.run = async () => undefined;
  for (let run = 0; run < 3; run += 1) expect((await quick.run({ pages })).record?.status).toBe('made');
  expect((await slow.record(slowRun)).record?.status).toBe('making');
  released.resolve();
  expect((await slow.awaitRecord(slowRun)).record?.status).toBe('made');
});
