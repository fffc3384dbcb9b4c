import type { Caller } from '@tidemark/contracts';
import { LivePageServiceService as Live, type LivePage } from '@tidemark/contracts/browser/v1/live';
import {
  type RecorderRef,
  RecorderServiceService as Rpc,
  type WatchRecorderResponse,
  type Recorder as WireRecorder,
} from '@tidemark/contracts/scrape/v1/recorder';
import { AppError, codeOf } from '@tidemark/errors';
import {
  type BoundMethod,
  type CallOptions,
  callerOf,
  type HandlerContext,
  handle,
  handleStream,
  type Peer,
} from '@tidemark/service';
import { messageOfFailure } from '../engines/failure-messages.ts';
import type { LivePageClient } from './live-page-client.ts';
import type { OpenRecorder } from './open-recorder.ts';
import { type OpenedRecorder, RECORDER_MS } from './recorder.ts';
import type { RecorderStore } from './recorder-store.ts';

/** Longer than browser-pool takes, ms. */
const INPUT_DEADLINE_MS = 75_000;
const PLAY_DEADLINE_MS = 130_000;
const PICK_DEADLINE_MS = 6_000;
const WATCH_DEADLINE_MS = RECORDER_MS + 10_000;

interface RecorderMethodsDeps {
  readonly recorders: RecorderStore;
  readonly livePages: LivePageClient;
  readonly openRecorder: OpenRecorder;
  readonly now: () => Date;
}

/** Identifies the live page of a recorder. */
interface PageRef {
  readonly id: string;
  readonly workspaceId: string;
}

/** Methods of RecorderService. */
export function recorderMethods(deps: RecorderMethodsDeps): BoundMethod[] {
  const { recorders, livePages, openRecorder, now } = deps;
  const requireOwn = async (ctx: HandlerContext, ref: RecorderRef | undefined): Promise<OpenedRecorder> => {
    const recorder = await findOwn(recorders, callerOf(ctx), ref, now());
    if (recorder === undefined) throw hasEnded();
    return recorder;
  };
  /** Calls the instance that has the page. A page that has ended ends its recorder. */
  const relay = async <T>(recorder: OpenedRecorder, call: (peer: Peer, page: PageRef) => Promise<T>): Promise<T> => {
    const { id, workspaceId } = recorder;
    try {
      return await call(livePages.at(recorder), { id, workspaceId });
    } catch (error) {
      if (!(await endIfGone(deps, recorder, error))) throw error;
      throw hasEnded();
    }
  };
  return [
    handle(Rpc.openRecorder, async ({ projectId, url, options }, ctx) => {
      if (options === undefined) throw new AppError('validation', 'capture options are missing');
      const { recorder, page } = await openRecorder(callerOf(ctx), { projectId, url, options }, ctx.signal);
      return { recorder: toMessage(recorder, page) };
    }),
    handle(Rpc.findRecorder, async ({ projectId }, ctx) => {
      const recorder = await recorders.find(callerOf(ctx), now());
      if (recorder === undefined || recorder.projectId !== projectId) return { recorder: undefined };
      const page = await livePages.find(recorder);
      if (page !== undefined) return { recorder: toMessage(recorder, page) };
      await recorders.end(recorder.id);
      return { recorder: undefined };
    }),
    handleStream(Rpc.watchRecorder, ({ recorder }, ctx) => watch(deps, () => requireOwn(ctx, recorder), ctx.signal)),
    handle(Rpc.sendRecorderInput, async ({ recorder, input }, ctx) => {
      const options = within(INPUT_DEADLINE_MS, ctx);
      const { result } = await relay(await requireOwn(ctx, recorder), (peer, page) =>
        peer.call(Live.sendLiveInput, { ...page, input }, ctx, options),
      );
      if (result?.failure === undefined) return { result };
      return { result: { ...result, note: messageOfFailure(result.failure) } };
    }),
    handle(Rpc.pickRecorderElement, async ({ recorder, point }, ctx) =>
      relay(await requireOwn(ctx, recorder), (peer, page) =>
        peer.call(Live.pickElement, { ...page, point }, ctx, within(PICK_DEADLINE_MS, ctx)),
      ),
    ),
    handle(Rpc.setRecorderActions, async ({ recorder: ref, actions }, ctx) => {
      const recorder = await requireOwn(ctx, ref);
      const { page } = await relay(recorder, (peer, live) => peer.call(Live.setLiveActions, { ...live, actions }, ctx));
      if (page === undefined) throw hasEnded();
      return { recorder: toMessage(recorder, page) };
    }),
    handle(Rpc.playRecorder, async ({ recorder, actions }, ctx) =>
      relay(await requireOwn(ctx, recorder), (peer, page) =>
        peer.call(Live.playLiveActions, { ...page, actions }, ctx, within(PLAY_DEADLINE_MS, ctx)),
      ),
    ),
    handle(Rpc.closeRecorder, async ({ recorder: ref }, ctx) => {
      const recorder = await findOwn(recorders, callerOf(ctx), ref, now());
      if (recorder === undefined) return {};
      await livePages.close(recorder);
      await recorders.end(recorder.id);
      return {};
    }),
  ];
}

const within = (deadlineMs: number, { signal }: HandlerContext): CallOptions => ({ deadlineMs, signal });

/** Returns the recorder of a caller if it is the one that is named. */
async function findOwn(
  recorders: RecorderStore,
  caller: Caller,
  ref: RecorderRef | undefined,
  now: Date,
): Promise<OpenedRecorder | undefined> {
  const recorder = await recorders.find(caller, now);
  return recorder?.id === ref?.id && recorder?.projectId === ref?.projectId ? recorder : undefined;
}

/** Ends a recorder if a call failed because its page has ended or its instance is gone. */
async function endIfGone(
  { recorders, livePages }: Pick<RecorderMethodsDeps, 'recorders' | 'livePages'>,
  recorder: OpenedRecorder,
  error: unknown,
): Promise<boolean> {
  const code = codeOf(error);
  const isGone = code === 'not_found' || (code === 'unavailable' && (await livePages.find(recorder)) === undefined);
  if (isGone) await recorders.end(recorder.id);
  return isGone;
}

async function* watch(
  deps: RecorderMethodsDeps,
  requireOwn: () => Promise<OpenedRecorder>,
  signal: AbortSignal,
): AsyncGenerator<WatchRecorderResponse> {
  const recorder = await requireOwn();
  const { id, workspaceId } = recorder;
  const options = { deadlineMs: WATCH_DEADLINE_MS, signal };
  try {
    const watching = deps.livePages.at(recorder);
    for await (const message of watching.stream(Live.watchLivePage, { id, workspaceId }, { requestId: '' }, options)) {
      if (message.event?.event?.$case === 'ended') await deps.recorders.end(id);
      yield message;
    }
  } catch (error) {
    if (signal.aborted || !(await endIfGone(deps, recorder, error))) throw error;
    yield { event: { event: { $case: 'ended', value: 'crashed' } } };
  }
}

const toMessage = (
  { id, projectId, startUrl, createdAt, expiresAt, credits }: OpenedRecorder,
  page: LivePage,
): WireRecorder => ({ id, projectId, startUrl, createdAt, expiresAt, credits, page });

const hasEnded = (): AppError => new AppError('not_found', 'the recorder has ended; open another');
