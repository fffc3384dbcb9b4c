import { routes } from '@tidemark/api';
import { ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { type RecorderRef, RecorderServiceService as Rpc } from '@tidemark/contracts/scrape/v1/recorder';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { type Action, toCaptureAction, toConfigChange } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import type { ServerEvent } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireProject } from '../../queries/require-project.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { toLiveInput } from '../../requests/recorder-input.ts';
import { toPlayedActions, toRecorder, toRecorderStep } from '../../responses/recorder.ts';

/** Longer than scrape takes, ms. */
const OPEN_DEADLINE_MS = 50_000;
const INPUT_DEADLINE_MS = 80_000;
const PLAY_DEADLINE_MS = 140_000;
const STREAM_MAX_MS = 6 * 60_000;

interface RecorderPeers {
  readonly projects: Peer;
  readonly scrape: Peer;
}

interface RecorderParams {
  readonly id: string;
  readonly recorder: string;
}

/** Endpoints of the recorder of actions. */
export function recorderEndpoints({ projects, scrape }: RecorderPeers): Endpoint[] {
  /** Returns the reference to a recorder of a project that the caller may see. @throws AppError not_found */
  const refOf = async ({ id, recorder }: RecorderParams, call: CallContext) => {
    const project = await requireProject(projects, id, call);
    return { id: checkedId('rcs', recorder, 'recorder'), projectId: project.id };
  };
  /** Returns the capture options of a project, in which `actions` replace its own. Masked texts are filled in. */
  const optionsOf = async (
    projectId: string,
    actions: readonly Action[],
    call: CallContext,
  ): Promise<CaptureOptions> => {
    const request = { projectId, change: toConfigChange({ actions: [...actions] }) };
    const { options } = await projects.call(Projects.resolveConfig, request, call);
    if (options === undefined) throw new AppError('internal', 'projects returned no options');
    return options;
  };
  return [
    endpoint(routes.openRecorder, async ({ params, body, baseUrl, call, requestId }) => {
      const project = await requireProject(projects, params.id, call);
      const options = await optionsOf(project.id, [], call);
      const request = { projectId: project.id, url: body.url ?? project.seed, options };
      const { recorder } = await scrape.call(Rpc.openRecorder, request, call, { deadlineMs: OPEN_DEADLINE_MS });
      const opened = toRecorder(recorder);
      return {
        status: 201,
        headers: { location: `${baseUrl}/projects/${project.id}/recorder/${opened.id}` },
        body: { ...opened, creditsUsed: recorder?.credits ?? 0, request_id: requestId },
      };
    }),

    endpoint(routes.findRecorder, async ({ params, call, requestId }) => {
      const { id: projectId } = await requireProject(projects, params.id, call);
      const { recorder } = await scrape.call(Rpc.findRecorder, { projectId }, call);
      const found = recorder === undefined ? null : toRecorder(recorder);
      return { status: 200, body: { recorder: found, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.streamRecorder, async ({ params, call }) => {
      const recorder = await refOf(params, call);
      // A recorder that has ended is answered with 404, not with a stream.
      const open = await scrape.call(Rpc.findRecorder, { projectId: recorder.projectId }, call);
      if (open.recorder?.id !== recorder.id) throw new AppError('not_found', 'the recorder has ended; open another');
      return { status: 200, events: (signal) => framesOf(scrape, recorder, call, signal) };
    }),

    endpoint(routes.sendRecorderInput, async ({ params, body, call, requestId }) => {
      const input = toLiveInput(body);
      const request = { recorder: await refOf(params, call), input };
      const { result } = await scrape.call(Rpc.sendRecorderInput, request, call, { deadlineMs: INPUT_DEADLINE_MS });
      return { status: 200, body: toRecorderStep(present(result), requestId) };
    }),

    endpoint(routes.pickElement, async ({ params, body, call, requestId }) => {
      const request = { recorder: await refOf(params, call), point: body };
      const { element } = await scrape.call(Rpc.pickRecorderElement, request, call);
      if (element === undefined) return { status: 200, body: { element: null, creditsUsed: 0, request_id: requestId } };
      const { selector, tag, text, similar, similarCount, x, y, width, height } = element;
      const alike = similar === undefined ? null : { selector: similar, count: similarCount };
      const picked = { selector, tag, text, similar: alike, box: { x, y, width, height } };
      return { status: 200, body: { element: picked, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.patchRecorder, async ({ params, body, call, requestId }) => {
      const request = { recorder: await refOf(params, call), actions: body.actions.map(toCaptureAction) };
      const { recorder } = await scrape.call(Rpc.setRecorderActions, request, call);
      return { status: 200, body: { ...toRecorder(recorder), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.playRecorder, async ({ params, body, call, requestId }) => {
      const recorder = await refOf(params, call);
      const { actions } = await optionsOf(recorder.projectId, body.actions, call);
      const { result } = await scrape.call(Rpc.playRecorder, { recorder, actions }, call, {
        deadlineMs: PLAY_DEADLINE_MS,
      });
      return { status: 200, body: toPlayedActions(present(result), requestId) };
    }),

    endpoint(routes.closeRecorder, async ({ params, call }) => {
      await scrape.call(Rpc.closeRecorder, { recorder: await refOf(params, call) }, call);
      return { status: 204 };
    }),
  ];
}

function present<T>(result: T | undefined): T {
  if (result === undefined) throw new AppError('internal', 'scrape returned no result');
  return result;
}

/** Yields the frames of a recorder and why it ended. */
async function* framesOf(
  scrape: Peer,
  recorder: RecorderRef,
  call: CallContext,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const options = { deadlineMs: STREAM_MAX_MS, signal };
  for await (const { event: sent } of scrape.stream(Rpc.watchRecorder, { recorder }, call, options)) {
    const event = sent?.event;
    if (event?.$case === 'frame')
      yield { event: 'frame', data: { jpeg: event.value.jpeg.toString('base64'), url: event.value.url } };
    else if (event?.$case === 'ended') yield { event: 'ended', data: { reason: event.value } };
  }
}
