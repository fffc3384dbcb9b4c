import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { browserPoolContract } from '../contracts/browser-pool.ts';
import { type FakeBrowserPool, startFakeBrowserPool } from './fake-browser-pool.ts';

describe('the fake browser pool', () => {
  let pool: FakeBrowserPool;
  beforeAll(async () => {
    pool = await startFakeBrowserPool();
    pool.render = ({ url }) => (url.endsWith('/nowhere') ? { failure: 'refused' } : { html: '<h1>Tides</h1>' });
  });
  afterAll(() => pool.close());

  it.each(browserPoolContract)('$title', ({ run }) =>
    run({ peer: pool.peer, pageUrl: 'https://example.com/', unreachableUrl: 'https://example.com/nowhere' }),
  );
});
