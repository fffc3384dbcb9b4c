import assert from 'node:assert/strict';
import {
  type ActionKind,
  RenderRequest,
  type RenderResponse,
  BrowserPoolServiceService as Rpc,
} from '@tidemark/contracts/browser/v1/browser';
import { ExitServiceService as ExitRpc, LeaseExitRequest } from '@tidemark/contracts/browser/v1/exits';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { anonymous, newWorkspace } from '../callers.ts';
import type { ContractCase } from './contract-case.ts';

/** A pool, a page whose heading is “Tides”, and an address that cannot be reached. */
export interface BrowserPoolUnderTest {
  readonly peer: Peer;
  readonly pageUrl: string;
  readonly unreachableUrl: string;
}

const render = (pool: BrowserPoolUnderTest, url: string, more: Partial<RenderRequest> = {}): Promise<RenderResponse> =>
  pool.peer.call(
    Rpc.render,
    RenderRequest.fromPartial({
      url,
      timeoutMs: 15_000,
      blockResources: true,
      device: 'desktop',
      workspaceId: newWorkspace(),
      ...more,
    }),
    anonymous(),
    { deadlineMs: 20_000 },
  );

const action = (kind: ActionKind, selector: string) => ({ kind, selector, text: '', ms: 0 });

const ofEveryPool: readonly ContractCase<BrowserPoolUnderTest>[] = [
  {
    title: 'a render returns the status, the final URL and the rendered document',
    async run(pool) {
      const { httpStatus, landedUrl, html, failure, warnings } = await render(pool, pool.pageUrl);
      assert.deepEqual(
        { httpStatus, landedUrl, failure, warnings },
        { httpStatus: 200, landedUrl: pool.pageUrl, failure: undefined, warnings: [] },
      );
      assert.match(html, /<h1>Tides<\/h1>/);
    },
  },
  {
    title: 'a page that fails is a response with a failure code, not an error',
    async run(pool) {
      const { httpStatus, html, failure } = await render(pool, pool.unreachableUrl);
      assert.deepEqual({ httpStatus, html }, { httpStatus: 0, html: '' });
      assert.ok(failure);
    },
  },
  {
    title: 'an address that the egress policy forbids fails with egress',
    async run(pool) {
      for (const url of ['file:///etc/passwd', 'data:text/html,x'])
        assert.equal((await render(pool, url)).failure, 'egress');
    },
  },
  {
    title: 'a pool without exits leases none and states that there are none',
    async run(pool) {
      const request = LeaseExitRequest.fromPartial({ workspaceId: newWorkspace(), host: 'example.com' });
      const { lease } = await pool.peer.call(ExitRpc.leaseExit, request, anonymous());
      const { countries } = await pool.peer.call(ExitRpc.listExitCountries, {}, anonymous());
      const { exits } = await pool.peer.call(ExitRpc.listExits, {}, anonymous());
      assert.deepEqual({ lease, countries, exits }, { lease: undefined, countries: [], exits: [] });
    },
  },
  {
    title: 'a report on a lease that does not exist is not found',
    async run(pool) {
      const report = { workspaceId: newWorkspace(), leaseId: 'exl_none', outcome: 'read' as const, bytes: 1 };
      await assert.rejects(
        pool.peer.call(ExitRpc.reportExit, report, anonymous()),
        (error) => error instanceof AppError && error.code === 'not_found',
      );
    },
  },
  {
    title: 'rejects a render without a workspace',
    async run(pool) {
      await assert.rejects(
        render(pool, pool.pageUrl, { workspaceId: '' }),
        (error) => error instanceof AppError && error.code === 'validation',
      );
    },
  },
];

const ofPages: readonly ContractCase<BrowserPoolUnderTest>[] = [
  {
    title: 'a selector that never appears is a warning, and the page is returned',
    async run(pool) {
      const waitFor = { selector: '#never', ms: 0, networkIdle: false };
      const { failure, html, warnings } = await render(pool, pool.pageUrl, { waitFor, timeoutMs: 4_000 });
      assert.equal(failure, undefined);
      assert.match(html, /<h1>Tides<\/h1>/);
      assert.match(warnings.join(), /^wait_for: nothing visible matched "#never" in \d+ ms$/);
    },
  },
  {
    title: 'every action up to the first failure has a result, later ones have none, and the page is returned',
    async run(pool) {
      const actions = [action('click', 'h1'), action('click', '#never'), action('scroll', '')];
      const page = await render(pool, pool.pageUrl, { actions });
      assert.deepEqual(
        page.actions.map(({ kind, selector, ok, note }) => ({ kind, selector, ok, note })),
        [
          { kind: 'click', selector: 'h1', ok: true, note: '' },
          { kind: 'click', selector: '#never', ok: false, note: 'nothing matched' },
        ],
      );
      assert.deepEqual(page.warnings, ['actions: click failed, nothing matched; the 1 after it were not tried']);
      assert.match(page.html, /<h1>Tides<\/h1>/);
    },
  },
  {
    title: 'requested headers and cookies are sent',
    async run(pool) {
      const { html } = await render(pool, pool.pageUrl, {
        headers: [{ name: 'X-Tidemark-Test', value: 'seen' }],
        cookies: [{ name: 'tide', value: 'high' }],
      });
      assert.match(html, /seen/);
      assert.match(html, /tide=high/);
    },
  },
  {
    title: 'an exit that cannot be used fails the page as exit',
    async run(pool) {
      const { failure, exitBytes, html } = await render(pool, pool.pageUrl, { exitLeaseId: 'exl_none' });
      assert.deepEqual({ failure, exitBytes, html }, { failure: 'exit', exitBytes: 0, html: '' });
    },
  },
];

/**
 * What callers of `Render` rely on. The cases of `ofPages` need real browsers; there the page must show the values of the header
 * X-Tidemark-Test and of the cookies of its request.
 */
export const browserPoolContract = Object.assign(ofEveryPool, { ofPages });
