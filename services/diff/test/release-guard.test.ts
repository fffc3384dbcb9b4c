import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers({ TIDEMARK_RELEASE: 'r7' });
});
afterAll(() => setup.close());
/** Makes the release new again. */
beforeEach(async () => {
  const { sql } = setup.servers.database;
  await sql('DELETE FROM diff.releases');
  await sql('DELETE FROM diff.broken_runs');
});
const anHourPasses = (): Promise<unknown> =>
  setup.servers.database.sql(`UPDATE diff.releases SET first_seen_at = now() - interval '2 hours'`);

const config = { fields: { price: { selector: '.price' } } };
const pages = (...fields: string[]): FakePage[] => [
  { url: 'https://site.test/', texts: ['Berths at the pier.'], row: { matched: { fields, include: [] } } },
];

/** Returns a project with its own workspace and site, whose selector can be made to break. */
function watched(host: string) {
  const project = projectIn(setup);
  const seed = `https://${host}/`;
  return {
    ...project,
    work: () => project.run({ pages: pages('price'), config, seed }),
    break: () => project.run({ pages: pages(), config, seed }),
  };
}
const [found, atFault] = [{ selectorBreaks: 1 }, { selectorBreaks: 0 }];

it('the release guard withholds breaks of three unrelated projects within an hour of a release', async () => {
  const [first, second, third] = [watched('a.test'), watched('b.test'), watched('c.test')];
  for (const { work } of [first, second, third]) await work();
  // Two breaks may coincide by chance.
  const broken = [await first.break(), await second.break()];
  for (const { record } of broken) expect(record).toMatchObject({ counts: found });
  const last = await third.break();
  const [one, two] = broken.map(({ record }) => record?.runId ?? '');
  for (const { record } of [last, await first.record(one ?? ''), await second.record(two ?? '')])
    expect(record).toMatchObject({
      counts: atFault,
      breaks: [],
      coverage: { verdict: false, complete: true, reasons: ['selectors_withheld'] },
    });
  // A selector that still fails with the next run, long after the release, was broken by its site.
  await anHourPasses();
  expect((await first.break()).record).toMatchObject({ counts: found, coverage: { verdict: true } });
});

it('the release guard sees breaks of records that finish concurrently', async () => {
  const projects = ['a', 'b', 'c', 'd'].map((name) => watched(`${name}.test`));
  await Promise.all(projects.map(({ work }) => work()));
  const read = async ({ break: run, record }: (typeof projects)[number]) => ({
    id: (await run()).record?.runId ?? '',
    record,
  });
  const broken = await Promise.all(projects.map(read));
  for (const { record } of await Promise.all(broken.map((each) => each.record(each.id))))
    expect(record).toMatchObject({ counts: atFault, breaks: [], coverage: { reasons: ['selectors_withheld'] } });
});

it('a selector that stays broken is reported after the release guard blamed a release, regardless of records in between', async () => {
  const [first, second, third] = [watched('a.test'), watched('b.test'), watched('c.test')];
  for (const { work } of [first, second, third]) await work();
  await first.break();
  // The break was reported with the previous record.
  expect((await first.break()).record).toMatchObject({ counts: atFault });
  for (const project of [second, third]) await project.break();
  await anHourPasses();
  expect((await first.break()).record).toMatchObject({ counts: found, coverage: { verdict: true } });
});
