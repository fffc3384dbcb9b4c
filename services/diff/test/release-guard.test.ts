import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let ground: DiffTestServers;
beforeAll(async () => {
  ground = await startDiffServers({ TIDEMARK_RELEASE: 'r7' });
}, 60_000);
afterAll(() => ground.close());
/** The release is new again. */
beforeEach(async () => {
  const { sql } = ground.servers.database;
  await sql('DELETE FROM diff.releases');
  await sql('DELETE FROM diff.broken_runs');
});
const anHourPasses = (): Promise<unknown> =>
  ground.servers.database.sql(`UPDATE diff.releases SET first_seen_at = now() - interval '2 hours'`);

const config = { fields: { price: { selector: '.price' } } };
const pages = (...fields: string[]): FakePage[] => [
  { url: 'https://site.test/', texts: ['Berths at the pier.'], row: { matched: { fields, include: [] } } },
];

/** A project of its own workspace and site, whose selector finds its place no more. */
function watched(host: string) {
  const project = projectIn(ground);
  const seed = `https://${host}/`;
  return {
    ...project,
    work: () => project.run({ pages: pages('price'), config, seed }),
    break: () => project.run({ pages: pages(), config, seed }),
  };
}
const [found, atFault] = [{ selectorBreaks: 1 }, { selectorBreaks: 0 }];

it('selectors of unrelated projects that break within an hour of a release are not told: the release is at fault', async () => {
  const [first, second, third] = [watched('a.test'), watched('b.test'), watched('c.test')];
  for (const { work } of [first, second, third]) await work();
  // Two may be chance.
  expect((await first.break()).record).toMatchObject({ counts: found });
  expect((await second.break()).record).toMatchObject({ counts: found });
  const last = await third.break();
  for (const { record } of [last, await first.record(), await second.record()])
    expect(record).toMatchObject({
      counts: atFault,
      breaks: [],
      coverage: { verdict: false, complete: true, reasons: ['selectors_withheld'] },
    });
  // A selector that still finds nothing with the next run, long after the release, was broken by its site.
  await anHourPasses();
  expect((await first.break()).record).toMatchObject({ counts: found, coverage: { verdict: true } });
});

it('those of records that are made at the same moment are seen together', async () => {
  const projects = ['a', 'b', 'c', 'd'].map((name) => watched(`${name}.test`));
  await Promise.all(projects.map(({ work }) => work()));
  await Promise.all(projects.map((project) => project.break()));
  for (const { record } of await Promise.all(projects.map((project) => project.record())))
    expect(record).toMatchObject({ counts: atFault, breaks: [], coverage: { reasons: ['selectors_withheld'] } });
});

it('one that stays broken is told after the release was blamed, whatever records were made in between', async () => {
  const [first, second, third] = [watched('a.test'), watched('b.test'), watched('c.test')];
  for (const { work } of [first, second, third]) await work();
  await first.break();
  // Nothing new: it was found broken the time before.
  expect((await first.break()).record).toMatchObject({ counts: atFault });
  for (const project of [second, third]) await project.break();
  await anHourPasses();
  expect((await first.break()).record).toMatchObject({ counts: found, coverage: { verdict: true } });
});
