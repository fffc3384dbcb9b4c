import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let ground: DiffTestServers;
beforeAll(async () => {
  ground = await startDiffServers();
}, 60_000);
afterAll(() => ground.close());
afterEach(() => {
  ground.peers.recaptures.clear();
  ground.peers.recapturedUrls.length = 0;
  delete ground.peers.blockers.reread;
});

const HOME = 'https://site.test/';
const page = (path: string, ...texts: string[]): FakePage => ({ url: `${HOME}${path}`, texts });
const site = (...more: FakePage[]): FakePage[] => [
  page('', 'Welcome to the harbour.'),
  page('tides', 'High at nine.'),
  ...more,
];
const hidden = (text: string): FakePage => page('hidden', 'It is still here.', text);

describe('verification of a page that nothing links to', () => {
  it('compares a page that still responds and reports it as orphaned once', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(hidden('As ever.')) });
    ground.peers.recaptures.set(`${HOME}hidden`, hidden('As ever.'));
    const second = await run({ pages: site() });
    expect(second.record).toMatchObject({ counts: { same: 3, removed: 0, withheld: 0 }, coverage: { probed: 1 } });
    expect(second.entries).toMatchObject([{ url: `${HOME}hidden`, kind: 'same', links: 'orphaned' }]);
    const third = await run({ pages: site() });
    expect(third.record?.counts).toMatchObject({ same: 3, withheld: 0 });
    expect(third.entries).toEqual([]);
  });

  it('lists edits of the page and compares later runs with the verified reading', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(hidden('The fee is ten.')) });
    ground.peers.recaptures.set(`${HOME}hidden`, hidden('The fee is twelve.'));
    const second = await run({ pages: site() });
    expect(second.record?.counts).toMatchObject({ same: 2, modified: 1 });
    expect(second.entries).toMatchObject([{ kind: 'modified', links: 'orphaned', wordsAdded: 1, wordsRemoved: 1 }]);
    const third = await run({ pages: site() });
    expect(third.record?.counts).toMatchObject({ same: 3, modified: 0 });
    const fourth = await run({ pages: site(hidden('The fee is twenty.')) });
    expect(fourth.entries).toMatchObject([{ kind: 'modified', links: 'linked', wordsAdded: 1, wordsRemoved: 1 }]);
    const { sql } = ground.servers.database;
    expect(await sql('SELECT FROM diff.recaptured_pages WHERE project_id = $1', [fourth.record?.projectId])).toEqual(
      [],
    );
  });

  it('reports a refused page as unverified and withholds one that a plain fetch cannot read', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(hidden('Once.'), page('app', 'By scripts.'), page('silent', 'It answered.')) });
    ground.peers.recaptures.set(`${HOME}hidden`, 403);
    const tooMuch = { verdict: 'blocked', errorCode: 'TIER_LIMIT', httpStatus: 200 };
    ground.peers.recaptures.set(`${HOME}app`, { url: `${HOME}app`, row: tooMuch });
    const nothing = { verdict: 'blocked', errorCode: 'NETWORK', httpStatus: 0 };
    ground.peers.recaptures.set(`${HOME}silent`, { url: `${HOME}silent`, row: nothing });
    const { record, entries } = await run({ pages: site() });
    expect(record?.counts).toMatchObject({ unverified: 1, withheld: 2, removed: 0 });
    expect(entries.find(({ url }) => url.endsWith('hidden'))).toMatchObject({ reason: 'unreadable_at_second_look' });
    expect(entries.find(({ url }) => url.endsWith('app'))).toMatchObject({ reason: 'not_reached' });
  });

  it.each([
    ['by a browser', { method: 'browser' }],
    ['through an exit', { exit: 'lisbon' }],
  ])('withholds a refused page that the run had read %s', async (_, row) => {
    const { run } = projectIn(ground);
    await run({ pages: site({ ...hidden('Behind a wall.'), row }) });
    ground.peers.recaptures.set(`${HOME}hidden`, 403);
    expect((await run({ pages: site() })).record?.counts).toMatchObject({ unverified: 0, withheld: 1 });
  });

  it('reports a move when the URL redirects to a page with the same content', async () => {
    const { run } = projectIn(ground);
    const words = 'The harbour was quiet that morning, and the boats hardly moved at the long wooden pier.';
    await run({ pages: site(page('old', words)) });
    ground.peers.recaptures.set(`${HOME}old`, page('new', words));
    const { record, entries } = await run({ pages: site(page('new', words)) });
    expect(record).toMatchObject({ counts: { same: 2, modified: 1, added: 0, removed: 0 }, moved: 1 });
    expect(entries).toMatchObject([{ kind: 'modified', url: `${HOME}new`, movedFrom: `${HOME}old` }]);
  });

  it('withholds the page when its URL redirects to one that the run did not reach', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(page('old', 'It moved.')) });
    ground.peers.recaptures.set(`${HOME}old`, page('nowhere', 'It moved.'));
    const { record } = await run({ pages: site() });
    expect(record?.counts).toMatchObject({ same: 2, withheld: 1 });
  });

  it('is skipped when the run was stopped', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(hidden('Beyond the limit.')) });
    ground.peers.recaptures.set(`${HOME}hidden`, hidden('Beyond the limit.'));
    const { record } = await run({ pages: site(), stop: 'page_limit' });
    expect(record?.counts).toMatchObject({ same: 2, withheld: 1 });
    expect(ground.peers.recapturedUrls).toEqual([]);
  });
});

describe('verification that contradicts the run', () => {
  it('prefers a readable verification over a 404 of the run', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(hidden('It comes and goes.'), ...many) });
    ground.peers.recaptures.set(`${HOME}hidden`, hidden('It comes and goes.'));
    const gone = { url: `${HOME}hidden`, row: { verdict: 'blocked', errorCode: 'NOT_FOUND', httpStatus: 404 } };
    const { record, entries } = await run({ pages: site(gone, ...many) });
    expect(record?.counts).toMatchObject({ same: 8, removed: 0, unverified: 0, withheld: 0 });
    expect(entries).toEqual([]);
  });
});

const many = Array.from({ length: 5 }, (_, at) => page(`p${at}`, `Page number ${at}.`));

describe('rederiving a reading whose blocks were selected by other rules', () => {
  const html = '<p>The fee is ten.</p><p class="ad">Buy a boat.</p>';
  const whole: FakePage = { ...page('fees', 'The fee is ten.', 'Buy a boat.'), html };
  const cut = page('fees', 'The fee is ten.');
  const config = { exclude_selectors: ['.ad'] };

  it('compares by the current rules when the HTML is stored', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(whole) });
    const { record, entries } = await run({ pages: site(cut), config });
    expect(record?.counts).toMatchObject({ same: 3, modified: 0, unverified: 0 });
    expect(entries).toEqual([]);
  });

  it('still reports a real change', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(whole) });
    const { entries } = await run({ pages: site(page('fees', 'The fee is twelve.')), config });
    expect(entries.find(({ url }) => url.endsWith('fees'))).toMatchObject({ kind: 'modified', wordsAdded: 1 });
  });

  it('runs at most eight requests concurrently', async () => {
    const { run } = projectIn(ground);
    const stored = Array.from({ length: 30 }, (_, at) => ({ ...whole, url: `${HOME}${at}` }));
    await run({ pages: site(...stored) });
    let [underWay, most] = [0, 0];
    ground.peers.blockers.reread = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
    };
    const { record } = await run({ pages: site(...stored.map(({ url }) => ({ ...cut, url }))), config });
    expect(record?.counts).toMatchObject({ same: 32, modified: 0 });
    expect([most > 1, most <= 8]).toEqual([true, true]);
  });

  it('reports the page as unverified once when its HTML is not stored', async () => {
    const { run } = projectIn(ground);
    await run({ pages: site(page('fees', 'The fee is ten.', 'Buy a boat.')) });
    const { record, entries } = await run({ pages: site(cut), config });
    expect(record?.counts).toMatchObject({ same: 2, unverified: 1, modified: 0 });
    expect(entries).toMatchObject([{ url: `${HOME}fees`, kind: 'unverified', reason: 'configuration_changed' }]);
    expect((await run({ pages: site(cut), config })).record?.counts).toMatchObject({ same: 3, unverified: 0 });
  });
});
