import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Entry } from '@tidemark/contracts/diff/v1/diff';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());
afterEach(() => {
  setup.peers.recaptures.clear();
  setup.peers.rendered.clear();
  setup.peers.recapturedUrls.length = 0;
});

const HOME = 'https://site.test/';
const PRICES = `${HOME}prices`;
const WIDGET = 'Chat with our team.';
const plain = (price: string): FakePage => ({ url: PRICES, texts: ['The berth is covered.', `It costs ${price}.`] });
const rendered = (price: string): FakePage => ({
  url: PRICES,
  texts: ['The berth is covered.', `It costs ${price}.`, WIDGET],
  row: { method: 'browser' },
});
const home: FakePage = { url: HOME, texts: ['Welcome to the harbour.'] };
const changed = ({ blocks }: Entry) => blocks.map(({ before, after }) => [before, after]);

describe('a record after the engine of a project was switched', () => {
  it('reports an edit that was made meanwhile without what the browser adds, by a plain control reading', async () => {
    const { run } = projectIn(setup);
    await run({ pages: [home, plain('680 euros')] });
    setup.peers.recaptures.set(PRICES, plain('734 euros'));
    const second = await run({ pages: [home, rendered('734 euros')], config: { screenshot: 'viewport' } });
    expect(second.record?.counts).toMatchObject({ modified: 1, same: 1, unverified: 0 });
    expect(second.entries.map(changed)).toEqual([[['It costs 680 euros.', 'It costs 734 euros.']]]);
    expect(setup.peers.recapturedUrls).toEqual([PRICES]);
    const third = await run({ pages: [home, rendered('734 euros')], config: { screenshot: 'viewport' } });
    expect(third.record?.counts).toMatchObject({ same: 2 });
  });

  it('makes the control reading by the browser where the earlier engine was the browser', async () => {
    const { run } = projectIn(setup);
    await run({ pages: [home, rendered('680 euros')], config: { screenshot: 'viewport' } });
    setup.peers.rendered.set(PRICES, rendered('680 euros'));
    const second = await run({ pages: [home, plain('680 euros')], config: { render_js: 'never' } });
    expect(second.record?.counts).toMatchObject({ modified: 0, same: 2, unverified: 0 });
  });

  it('lists the words of a page in doubt where the control reading fails', async () => {
    const { run } = projectIn(setup);
    await run({ pages: [home, plain('680 euros')] });
    setup.peers.recaptures.set(PRICES, 403);
    const second = await run({ pages: [home, rendered('734 euros')], config: { screenshot: 'viewport' } });
    expect(second.record?.counts).toMatchObject({ modified: 0, same: 1, unverified: 1 });
    expect(second.entries).toMatchObject([{ kind: 'unverified', reason: 'method_changed' }]);
    expect(second.entries.map(changed)).toEqual([
      [
        ['It costs 680 euros.', 'It costs 734 euros.'],
        [undefined, WIDGET],
      ],
    ]);
  });

  it('makes no control reading of a project that sends cookies', async () => {
    const { run } = projectIn(setup);
    const config = { cookies: { consent: 'yes' } };
    await run({ pages: [home, plain('680 euros')], config });
    setup.peers.recaptures.set(PRICES, plain('734 euros'));
    await run({ pages: [home, rendered('734 euros')], config: { ...config, screenshot: 'viewport' } });
    expect(setup.peers.recapturedUrls).toEqual([]);
  });
});
