import assert from 'node:assert/strict';
import {
  RenderRequest,
  type RenderResponse,
  BrowserPoolServiceService as Rpc,
} from '@tidemark/contracts/browser/v1/browser';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { anonymous, newWorkspace } from '../callers.ts';
import type { Guarantee } from './guarantee.ts';

/** What the contract is run against: a pool, a page it can open whose heading is “Tides”, and an address it can't reach. */
export interface BrowserPoolUnderTest {
  readonly peer: Peer;
  readonly pageUrl: string;
  readonly unreachableUrl: string;
}

const render = (pool: BrowserPoolUnderTest, url: string, workspaceId = newWorkspace()): Promise<RenderResponse> =>
  pool.peer.call(
    Rpc.render,
    RenderRequest.fromPartial({ url, timeoutMs: 15_000, blockResources: true, workspaceId }),
    anonymous(),
    { deadlineMs: 20_000 },
  );

/** What scrape relies on when it asks for a page to be rendered. */
export const browserPoolContract: readonly Guarantee<BrowserPoolUnderTest>[] = [
  {
    title: 'a page is answered with its status, where it landed and the document as it stands',
    async holds(pool) {
      const { httpStatus, landedUrl, html, failure } = await render(pool, pool.pageUrl);
      assert.deepEqual(
        { httpStatus, landedUrl, failure },
        { httpStatus: 200, landedUrl: pool.pageUrl, failure: undefined },
      );
      assert.match(html, /<h1>Tides<\/h1>/);
    },
  },
  {
    title: 'a page that can’t be had is an answer that names the failure, not an error',
    async holds(pool) {
      const { httpStatus, html, failure } = await render(pool, pool.unreachableUrl);
      assert.deepEqual({ httpStatus, html }, { httpStatus: 0, html: '' });
      assert.ok(failure);
    },
  },
  {
    title: 'an address no browser of ours opens is refused as egress',
    async holds(pool) {
      for (const url of ['file:///etc/passwd', 'data:text/html,x'])
        assert.equal((await render(pool, url)).failure, 'egress');
    },
  },
  {
    title: 'a render in nobody’s name is refused',
    async holds(pool) {
      await assert.rejects(
        render(pool, pool.pageUrl, ''),
        (error) => error instanceof AppError && error.code === 'validation',
      );
    },
  },
];
