import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());
afterEach(() => {
  setup.peers.recaptures.clear();
  setup.peers.recapturedUrls.length = 0;
  delete setup.peers.blockers.rederive;
});

const HOME = 'https://site.test/';
const page = (path: string, ...texts: string[]): FakePage => ({ url: `${HOME}${path}`, texts });
const site = (...more: FakePage[]): FakePage[] => [
  page('', 'Welcome to the harbour.'),
  page('tides', 'High at nine.'),
  ...more,
];
const hiddenPage = (text: string): FakePage => page('hidden', 'It is still here.', text);

describe('verification of a page that nothing links to', () => {
  it('compares a page that still responds and reports it as orphaned once', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(hiddenPage('As ever.')) });
    setup.peers.recaptures.set(`${HOME}hidden`, hiddenPage('As ever.'));
    const second = await run({ pages: site() });
    expect(second.record).toMatchObject({ counts: { same: 3, removed: 0, withheld: 0 }, coverage: { probed: 1 } });
    expect(second.entries).toMatchObject([{ url: `${HOME}hidden`, kind: 'same', links: 'orphaned' }]);
    const third = await run({ pages: site() });
    expect(third.record?.counts).toMatchObject({ same: 3, withheld: 0 });
    expect(third.entries).toEqual([]);
  });

  it('lists edits of the page and compares later runs with the verified reading', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(hiddenPage('The fee is ten.')) });
    setup.peers.recaptures.set(`${HOME}hidden`, hiddenPage('The fee is twelve.'));
    const second = await run({ pages: site() });
    expect(second.record?.counts).toMatchObject({ same: 2, modified: 1 });
    expect(second.entries).toMatchObject([{ kind: 'modified', links: 'orphaned', wordsAdded: 1, wordsRemoved: 1 }]);
    const third = await run({ pages: site() });
    expect(third.record?.counts).toMatchObject({ same: 3, modified: 0 });
    const fourth = await run({ pages: site(hiddenPage('The fee is twenty.')) });
    expect(fourth.entries).toMatchObject([{ kind: 'modified', links: 'linked', wordsAdded: 1, wordsRemoved: 1 }]);
    const { sql } = setup.servers.database;
    expect(await sql('SELECT FROM diff.recaptured_pages WHERE project_id = $1', [fourth.record?.projectId])).toEqual(
      [],
    );
  });

  it('reports a refused page as unverified and withholds one that a plain fetch cannot read', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(hiddenPage('Once.'), page('app', 'By scripts.'), page('silent', 'It responded.')) });
    setup.peers.recaptures.set(`${HOME}hidden`, 403);
    const tierLimit = { verdict: 'blocked', errorCode: 'TIER_LIMIT', httpStatus: 200 };
    setup.peers.recaptures.set(`${HOME}app`, { url: `${HOME}app`, row: tierLimit });
    const networkError = { verdict: 'blocked', errorCode: 'NETWORK', httpStatus: 0 };
    setup.peers.recaptures.set(`${HOME}silent`, { url: `${HOME}silent`, row: networkError });
    const { record, entries } = await run({ pages: site() });
    expect(record?.counts).toMatchObject({ unverified: 1, withheld: 2, removed: 0 });
    expect(entries.find(({ url }) => url.endsWith('hidden'))).toMatchObject({ reason: 'unreadable_at_second_look' });
    expect(entries.find(({ url }) => url.endsWith('app'))).toMatchObject({ reason: 'not_reached' });
  });

  it.each([
    ['by a browser', { method: 'browser' }],
    ['through an exit', { exit: 'lisbon' }],
  ])('withholds a refused page that the run had read %s', async (_, row) => {
    const { run } = projectIn(setup);
    await run({ pages: site({ ...hiddenPage('Behind a wall.'), row }) });
    setup.peers.recaptures.set(`${HOME}hidden`, 403);
    expect((await run({ pages: site() })).record?.counts).toMatchObject({ unverified: 0, withheld: 1 });
  });

  it('reports a move when the URL redirects to a page with the same content', async () => {
    const { run } = projectIn(setup);
    const words = 'The harbour was quiet that morning, and the boats hardly moved at the long wooden pier.';
    await run({ pages: site(page('old', words)) });
    setup.peers.recaptures.set(`${HOME}old`, page('new', words));
    const { record, entries } = await run({ pages: site(page('new', words)) });
    expect(record).toMatchObject({ counts: { same: 2, modified: 1, added: 0, removed: 0 }, moved: 1 });
    expect(entries).toMatchObject([{ kind: 'modified', url: `${HOME}new`, movedFrom: `${HOME}old` }]);
  });

  it('withholds the page when its URL redirects to one that the run did not reach', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(page('old', 'It moved.')) });
    setup.peers.recaptures.set(`${HOME}old`, page('nowhere', 'It moved.'));
    const { record } = await run({ pages: site() });
    expect(record?.counts).toMatchObject({ same: 2, withheld: 1 });
  });

  it('is skipped when the run was stopped', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(hiddenPage('Beyond the limit.')) });
    setup.peers.recaptures.set(`${HOME}hidden`, hiddenPage('Beyond the limit.'));
    const { record } = await run({ pages: site(), stop: 'page_limit' });
    expect(record?.counts).toMatchObject({ same: 2, withheld: 1 });
    expect(setup.peers.recapturedUrls).toEqual([]);
  });
});

describe('verification that contradicts the run', () => {
  it('prefers a readable verification over a 404 of the run', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(hiddenPage('It comes and goes.'), ...otherPages) });
    setup.peers.recaptures.set(`${HOME}hidden`, hiddenPage('It comes and goes.'));
    const notFound = { url: `${HOME}hidden`, row: { verdict: 'blocked', errorCode: 'NOT_FOUND', httpStatus: 404 } };
    const { record, entries } = await run({ pages: site(notFound, ...otherPages) });
    expect(record?.counts).toMatchObject({ same: 8, removed: 0, unverified: 0, withheld: 0 });
    expect(entries).toEqual([]);
  });
});

const otherPages = Array.from({ length: 5 }, (_, at) => page(`p${at}`, `Page number ${at}.`));

describe('rederiving a reading whose blocks were selected by other rules', () => {
  const html = '<p>The fee is ten.</p><p class="ad">Buy a boat.</p>';
  const fullPage: FakePage = { ...page('fees', 'The fee is ten.', 'Buy a boat.'), html };
  const reducedPage = page('fees', 'The fee is ten.');
  const config = { exclude_selectors: ['.ad'] };

  it('compares by the current rules when the HTML is stored', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(fullPage) });
    const { record, entries } = await run({ pages: site(reducedPage), config });
    expect(record?.counts).toMatchObject({ same: 3, modified: 0, unverified: 0 });
    expect(entries).toEqual([]);
  });

  it('still reports a real change', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(fullPage) });
    const { entries } = await run({ pages: site(page('fees', 'The fee is twelve.')), config });
    expect(entries.find(({ url }) => url.endsWith('fees'))).toMatchObject({ kind: 'modified', wordsAdded: 1 });
  });

  it('runs at most eight requests concurrently', async () => {
    const { run } = projectIn(setup);
    const stored = Array.from({ length: 30 }, (_, at) => ({ ...fullPage, url: `${HOME}${at}` }));
    await run({ pages: site(...stored) });
    let [running, maxConcurrent] = [0, 0];
    setup.peers.blockers.rederive = async () => {
      running += 1;
      maxConcurrent = Math.max(maxConcurrent, running);
      await new Promise(setImmediate);
      running -= 1;
    };
    const { record } = await run({ pages: site(...stored.map(({ url }) => ({ ...reducedPage, url }))), config });
    expect(record?.counts).toMatchObject({ same: 32, modified: 0 });
    expect([maxConcurrent > 1, maxConcurrent <= 8]).toEqual([true, true]);
  });

  it('reports the page as unverified once when its HTML is not stored', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(page('fees', 'The fee is ten.', 'Buy a boat.')) });
    const { record, entries } = await run({ pages: site(reducedPage), config });
    expect(record?.counts).toMatchObject({ same: 2, unverified: 1, modified: 0 });
    expect(entries).toMatchObject([{ url: `${HOME}fees`, kind: 'unverified', reason: 'configuration_changed' }]);
    expect((await run({ pages: site(reducedPage), config })).record?.counts).toMatchObject({ same: 3, unverified: 0 });
  });
});
