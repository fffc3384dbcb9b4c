import type { ChangeEvent, Record as ChangeRecord, Coverage } from '@tidemark/contracts/diff/v1/diff';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { EVENTS, type EventData, type EventName, isEventName } from '@tidemark/webhook-events';
import { z } from 'zod';
import type { NewMessage } from '../domain/new-message.ts';
import type { RunNotification } from '../notifications/notification.ts';
import type { ApiLinks } from './api-links.ts';
import { composeMessage, isoOf, isSubscribed, projectOf, projectWebhook } from './compose-message.ts';

/** Events derived from a run's entries. */
export const CHANGE_EVENTS = [
  'page.changed',
  'page.blocked',
  'field.canonical',
  'page.orphaned',
  'page.linked',
] as const satisfies readonly EventName[];

const NO_RECORD: EventData<'run.finished'>['coverage'] = {
  verdict: false,
  complete: false,
  reasons: ['no_record'],

  known: 0,
  read: 0,
  unread: 0,
  probed: 0,
  baselineComplete: false,
  outOfScope: 0,
};

/** Composes run.finished for the project's webhook; none where it is not subscribed. */
export function finishedMessages(
  notification: RunNotification,
  { at, links }: { readonly at: Date; readonly links: ApiLinks },
): NewMessage[] {
  const { channels, run, record, digest, workspaceId } = notification;
  const { projectId, runId } = run;
  const receiver = projectWebhook(workspaceId, channels);
  if (receiver === undefined || !isSubscribed(channels.webhookEvents, 'run.finished')) return [];
  const message = composeMessage({
    event: 'run.finished',
    key: `${runId}:run.finished`,
    receiver,
    runId,
    at,
    about: { project: projectOf(channels), run: { id: runId } },
    metadataJson: channels.webhookMetadataJson,
    data: {
      status: run.status,
      trigger: run.trigger,
      pages: run.pages,
      ...recordData(record),
      stop: run.stop ?? null,
      error: run.error ?? null,
      finishedAt: isoOf(run.finishedAt),
      digest,
      changes: links.changes(projectId, runId),
    },
  });
  return [message];
}

/** The event states no estimate: it is large, and the record has it. */
function toCoverage(coverage: Coverage | undefined): EventData<'run.finished'>['coverage'] {
  if (coverage === undefined) return NO_RECORD;
  const { estimate: _, ...others } = coverage;
  return others;
}

function recordData(
  record: ChangeRecord | undefined,
): Pick<EventData<'run.finished'>, 'counts' | 'coverage' | 'baseline'> {
  if (record === undefined) return { counts: null, coverage: NO_RECORD, baseline: null };
  const { counts, baselineRunId } = record;
  return { counts, coverage: toCoverage(record.coverage), baseline: baselineRunId ?? null };
}

/** A test message to be composed, under a unique `key`. */
interface TestRequest {
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly key: string;
  readonly at: Date;
  readonly links: ApiLinks;
}

/** Composes a test: a run.finished with example data. */
export function testMessage({ workspaceId, channels, key, at, links }: TestRequest): NewMessage | undefined {
  const receiver = projectWebhook(workspaceId, channels);
  if (receiver === undefined) return undefined;
  const { example } = EVENTS['run.finished'];
  const runId = new URLSearchParams(example.changes.split('?')[1]).get('run_id') ?? '';
  return composeMessage({
    event: 'run.finished',
    key,
    receiver,
    runId: '',
    at,
    isTest: true,
    about: { project: projectOf(channels), run: { id: runId } },
    metadataJson: channels.webhookMetadataJson,
    data: { ...example, finishedAt: at.toISOString(), changes: links.changes(channels.projectId, runId) },
  });
}

/** Project and run of a set of changes. */
export interface ChangeContext {
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly runId: string;
  readonly at: Date;
}

/** Composes the messages of changes: the subscribed events, without edits below notify_min_words. */
export function changeMessages(of: ChangeContext, changes: readonly ChangeEvent[]): NewMessage[] {
  return changes.flatMap((change) => changeMessage(of, change) ?? []);
}

/** Whether the project's webhook is subscribed to any change. */
export const sendsChanges = ({ webhookUrl, webhookEvents }: Channels): boolean =>
  webhookUrl !== undefined && CHANGE_EVENTS.some((event) => isSubscribed(webhookEvents, event));

const ChangeData = z.record(z.string(), z.unknown());

function changeMessage(
  { workspaceId, channels, runId, at }: ChangeContext,
  { event, url, entryId, dataJson }: ChangeEvent,
): NewMessage | undefined {
  const receiver = projectWebhook(workspaceId, channels);
  if (!isEventName(event) || receiver === undefined || !isSubscribed(channels.webhookEvents, event)) return undefined;
  const data = { ...ChangeData.parse(JSON.parse(dataJson)), url, changeId: entryId };
  const around = {
    receiver,
    runId,
    at,
    metadataJson: channels.webhookMetadataJson,
    about: { project: projectOf(channels), run: { id: runId } },
    key: `${runId}:${event}:${entryId}`,
  };
  switch (event) {
    case 'page.changed': {
      const changed = EVENTS[event].data.parse(data);
      return isTooSmall(changed, channels) ? undefined : composeMessage({ ...around, event, data: changed });
    }
    case 'page.blocked':
      return composeMessage({ ...around, event, data: EVENTS[event].data.parse(data) });
    case 'field.canonical': {
      const field = EVENTS[event].data.parse(data);
      return composeMessage({ ...around, event, data: field, key: `${around.key}:${field.field}` });
    }
    case 'page.orphaned':
    case 'page.linked':
      return composeMessage({ ...around, event, data: EVENTS[event].data.parse(data) });
    default:
      throw new AppError('internal', `${event} is no event of a record`);
  }
}

/** A changed field has no number of words: it is always sent. */
const isTooSmall = (changed: EventData<'page.changed'>, { notifyMinWords }: Channels): boolean =>
  changed.kind === 'modified' &&
  changed.fields.length === 0 &&
  changed.wordsAdded + changed.wordsRemoved < notifyMinWords;
