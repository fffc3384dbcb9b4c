import { RenderRequest } from '@tidemark/contracts/browser/v1/browser';
import {
  type LiveInputResult,
  type LivePage as LivePageMessage,
  type OpenLivePageRequest,
  LivePageServiceService as Rpc,
  type WatchLivePageResponse,
} from '@tidemark/contracts/browser/v1/live';
import { type BoundMethod, handle, handleStream } from '@tidemark/service';
import type { OpenExits } from '../exits/open-exits.ts';
import type { InputResult, LivePage } from '../live/live-page.ts';
import type { LivePages } from '../live/live-pages.ts';
import type { RenderTask } from '../page/render-task.ts';
import { parseLiveInput, parsePoint, toActionMessage } from './parse-live-input.ts';
import { parseActions, parseRenderRequest } from './parse-render-request.ts';
import { withExit } from './with-exit.ts';

const MAX_LIFETIME_MS = 10 * 60_000;

/** Methods of LivePageService. */
export function livePageMethods(pages: LivePages, exits: OpenExits): BoundMethod[] {
  const find = ({ id, workspaceId }: { readonly id: string; readonly workspaceId: string }): LivePage =>
    pages.require(id, workspaceId);
  return [
    handle(Rpc.openLivePage, async (request, { signal }) => {
      const task = toTask(request);
      if (task === undefined) return { failure: 'egress' as const, page: undefined };
      const routedTask = await withExit(task, request.exitLeaseId, exits);
      if (routedTask === undefined) return { failure: 'exit' as const, page: undefined };
      const lifetimeMs = Math.min(Math.max(request.lifetimeMs, 1_000), MAX_LIFETIME_MS);
      const opened = await pages.open({ id: request.id, task: routedTask, lifetimeMs }, signal);
      return typeof opened === 'string'
        ? { failure: opened, page: undefined }
        : { failure: undefined, page: toMessage(opened) };
    }),
    handle(Rpc.getLivePage, async (request) => ({ page: toMessage(find(request)) })),
    handleStream(Rpc.watchLivePage, (request, { signal }) => watch(find(request), signal)),
    handle(Rpc.sendLiveInput, async (request, { signal }) => {
      const input = parseLiveInput(request.input);
      const page = find(request);
      return { result: toInputResult(page, await page.input(input, signal)) };
    }),
    handle(Rpc.pickElement, async (request, { signal }) => {
      const element = await find(request).pick(parsePoint(request.point), signal);
      if (element === undefined) return { element: undefined };
      const { similar, box, ...rest } = element;
      return {
        element: { ...rest, ...box, similar: similar?.selector, similarCount: similar?.count ?? 0 },
      };
    }),
    handle(Rpc.setLiveActions, async (request) => {
      const page = find(request);
      page.setActions(parseActions(request.actions));
      return { page: toMessage(page) };
    }),
    handle(Rpc.playLiveActions, async (request, { signal }) => {
      const page = find(request);
      const { results, failure } = await page.play(parseActions(request.actions), signal);
      return { result: { results: [...results], failure, url: page.url } };
    }),
    handle(Rpc.closeLivePage, async ({ id, workspaceId }) => {
      await pages.endPage(id, workspaceId);
      return {};
    }),
  ];
}

function toTask({
  url,
  workspaceId,
  headers,
  cookies,
  userAgent,
  device,
}: OpenLivePageRequest): RenderTask | undefined {
  const task = parseRenderRequest(
    RenderRequest.fromPartial({ url, workspaceId, headers, cookies, userAgent, device, blockResources: false }),
  );
  return task === undefined ? undefined : { ...task, isOperated: true };
}

const toMessage = (page: LivePage): LivePageMessage => ({
  url: page.url,
  ...page.viewport,
  actions: page.actions.map(toActionMessage),
});

function toInputResult(page: LivePage, { list, ...result }: InputResult): LiveInputResult {
  return {
    ...result,
    actions: page.actions.map(toActionMessage),
    url: page.url,
    options: list === undefined ? undefined : { selector: list.selector, options: [...list.options] },
  };
}

async function* watch(page: LivePage, signal: AbortSignal): AsyncGenerator<WatchLivePageResponse> {
  for await (const event of page.watch(signal)) {
    yield typeof event === 'string'
      ? { event: { event: { $case: 'ended', value: event } } }
      : { event: { event: { $case: 'frame', value: event } } };
  }
}
