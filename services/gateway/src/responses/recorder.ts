import type { FoundRecorder, PlayedActions, RecorderStep } from '@tidemark/api';
import type { Action as ActionMessage } from '@tidemark/contracts/browser/v1/browser';
import type { LiveInputResult, LivePlayResult } from '@tidemark/contracts/browser/v1/live';
import type { Recorder as RecorderMessage } from '@tidemark/contracts/scrape/v1/recorder';
import { AppError } from '@tidemark/errors';
import type { Action } from '@tidemark/project-config';
import { timeOf } from './job-envelope.ts';

type RecorderState = NonNullable<FoundRecorder['recorder']>;

const SCROLL_TARGETS = ['down', 'up', 'top', 'bottom'] as const;

/** Converts an action as browser-pool performs it to one of a configuration. */
export function toConfigAction({ kind, selector, text, ms }: ActionMessage): Action {
  const at = selector === '' ? {} : { selector };
  switch (kind) {
    case 'click':
      return { type: 'click', selector };
    case 'type':
      return { type: 'type', selector, text };
    case 'press':
      return { type: 'press', key: text, ...at };
    case 'scroll':
      return { type: 'scroll', to: SCROLL_TARGETS.find((to) => to === text) ?? 'down', ...at };
    case 'wait':
      return { type: 'wait', ms, ...at };
    case 'select':
      return { type: 'select', selector, value: text };
  }
}

/** Converts a recorder. */
export function toRecorder(recorder: RecorderMessage | undefined): RecorderState {
  const page = recorder?.page;
  if (recorder === undefined || page === undefined) throw new AppError('internal', 'scrape returned no recorder');
  return {
    id: recorder.id,
    projectId: recorder.projectId,
    startUrl: recorder.startUrl,
    url: page.url,
    viewport: { width: page.width, height: page.height },
    actions: page.actions.map(toConfigAction),
    createdAt: timeOf(recorder.createdAt),
    expiresAt: timeOf(recorder.expiresAt),
  };
}

/** Converts the result of an input. */
export const toRecorderStep = (
  { actions, unrecorded, note, url, options }: LiveInputResult,
  requestId: string,
): RecorderStep => ({
  actions: actions.map(toConfigAction),
  unrecorded: unrecorded ?? null,
  note,
  url,
  list: options ?? null,
  creditsUsed: 0,
  request_id: requestId,
});

/** Converts the results of played actions. */
export const toPlayedActions = ({ results, failure, url }: LivePlayResult, requestId: string): PlayedActions => ({
  results: results.map(({ kind, selector, ok, ms, note }) => ({
    type: kind,
    selector: selector || null,
    ok,
    ms,
    note,
  })),
  failed: failure ?? null,
  url,
  creditsUsed: 0,
  request_id: requestId,
});
