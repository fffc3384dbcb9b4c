import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';

let ground: DiffTestServers;
beforeAll(async () => {
  ground = await startDiffServers();
}, 60_000);
afterAll(() => ground.close());

const pages = [{ url: 'https://site.test/', texts: ['Welcome to the harbour.'] }];

it('a record that takes long does not delay records of other projects', async () => {
  const [slow, quick] = [projectIn(ground), projectIn(ground)];
  const [begun, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  ground.peers.blockers.run = () => {
    begun.resolve();
    return mayGoOn.promise;
  };
  const held = await slow.end({ pages });
  await begun.promise;
  ground.peers.blockers.run = async () => undefined;
  for (let run = 0; run < 3; run += 1) expect((await quick.run({ pages })).record?.status).toBe('made');
  expect((await slow.record(held)).record?.status).toBe('making');
  mayGoOn.resolve();
  expect((await slow.made(held)).record?.status).toBe('made');
});
