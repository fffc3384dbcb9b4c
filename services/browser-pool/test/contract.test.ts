import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { browserPoolContract } from '@tidemark/testkit';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

let site: TestSite;
let pool: TestPool;

beforeAll(async () => {
  site = await serveSite({
    '/': (request, response) => {
      const { 'x-tidemark-test': header = '', cookie = '' } = request.headers;
      response.setHeader('content-type', 'text/html');
      response.end(`<h1>Tides</h1><p>${header}</p><p>${cookie}</p>`);
    },
  });
  pool = await startTestPool([site, { ...site, authority: '127.0.0.9:4999' }]);
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

describe('the contract of browser-pool', () => {
  it.each([...browserPoolContract, ...browserPoolContract.ofPages])('$title', ({ run }) =>
    run({ peer: pool.peer, pageUrl: `${site.url}/`, unreachableUrl: 'http://127.0.0.9:4999/' }),
  );
});
