import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Change,
  type ChangeRecord,
  type Messages,
  type RunSummary,
  type Tidemark,
  TidemarkError,
} from '@tidemark/sdk';

type Project = ReturnType<Tidemark['projects']['of']>;
type Message = Messages['run.finished'] | Messages['page.changed'];

export interface ListenOptions {
  readonly project: Project;
  readonly forward: string;
  readonly secret: string;
  /** Empty: all. */
  readonly events: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
  /** Called when the API does not answer, before it is read again. */
  readonly onRetry?: (error: TidemarkError) => void;
}

export interface Forwarded {
  readonly event: Message['event'];
  readonly runId: string;
  /** HTTP status of the receiver; 0 without a response. */
  readonly status: number;
  readonly error: string | undefined;
}

const POLL_MS = 2_000;
const RESPONSE_MS = 10_000;
/** Runs that are compared with the previous poll. */
const RECENT = 25;

/** Waits, or returns at once when the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

const isOver = ({ status }: RunSummary): boolean => status !== 'queued' && status !== 'running';

/** The record of a run that is compared at all. */
const isReady = (run: RunSummary): boolean => isOver(run) && run.changes?.status !== 'making';

/** Signs a message as the server does. */
export function signatureHeaders(
  { id, event }: Pick<Message, 'id' | 'event'>,
  body: string,
  secret: string,
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'x-service-event': event,
    'x-service-delivery': id,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  };
}

/** `of` is the event, or the change that it is about: the same message has the same id. */
function envelopeOf(projectId: string, run: RunSummary, of: string) {
  const now = new Date();
  const id = `whd_local${createHash('sha256').update(`${run.id} ${of}`).digest('hex').slice(0, 20)}`;
  const project = { id: projectId, host: new URL(run.url).host };
  return { id, createdAt: now.toISOString(), ts: Math.floor(now.getTime() / 1_000), project, run: { id: run.id } };
}

const NO_COVERAGE = {
  verdict: false,
  complete: false,
  reasons: [],
  known: 0,
  read: 0,
  unread: 0,
  probed: 0,
  baselineComplete: false,
  outOfScope: 0,
};

function finishedMessage(projectId: string, run: RunSummary, record: ChangeRecord): Messages['run.finished'] {
  const { status, trigger, stop, error, progress, finishedAt } = run;
  const { counts, baseline, digest } = record;
  const common = { status, trigger, stop, error, counts, baseline, digest, pages: progress.done };
  const changes = `/projects/${projectId}/changes?run_id=${run.id}`;
  const data = {
    ...common,
    coverage: record.coverage ?? NO_COVERAGE,
    finishedAt: finishedAt ?? run.createdAt,
    changes,
  };
  return { ...envelopeOf(projectId, run, 'run.finished'), event: 'run.finished', data };
}

function changedMessage(projectId: string, run: RunSummary, change: Change): Messages['page.changed'] | undefined {
  const { url, kind, wordsAdded, wordsRemoved, section, volatile } = change;
  if (kind !== 'added' && kind !== 'removed' && kind !== 'modified') return undefined;
  const fields = change.fields.map(({ name }) => name);
  const data = { url, kind, fields, wordsAdded, wordsRemoved, section, volatile, changeId: change.id };
  return { ...envelopeOf(projectId, run, change.id), event: 'page.changed', data };
}

async function* messagesOf({ project, events }: ListenOptions, run: RunSummary): AsyncGenerator<Message> {
  const isSelected = (event: Message['event']): boolean => events.size === 0 || events.has(event);
  const record = await project.changes({ run_id: run.id, limit: 1 });
  if (isSelected('run.finished')) yield finishedMessage(project.id, run, record);
  if (!isSelected('page.changed') || record.status !== 'made') return;
  for await (const change of project.changeEntries({ run_id: run.id })) {
    const message = changedMessage(project.id, run, change);
    if (message !== undefined) yield message;
  }
}

async function send(message: Message, { forward, secret, signal }: ListenOptions): Promise<Omit<Forwarded, 'runId'>> {
  const body = JSON.stringify(message);
  const { event } = message;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_MS)]);
    const response = await fetch(forward, {
      method: 'POST',
      body,
      headers: signatureHeaders(message, body, secret),
      signal: limit,
      redirect: 'manual',
    });
    await response.body?.cancel();
    return { event, status: response.status, error: undefined };
  } catch (error) {
    return { event, status: 0, error: `no response: ${error instanceof Error ? error.message : error}` };
  }
}

/** Returns the latest runs that have ended and are compared, oldest first. */
async function readyRuns({ project }: ListenOptions): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for await (const run of project.runs({ limit: RECENT })) {
    runs.push(run);
    if (runs.length === RECENT) break;
  }
  return runs.filter(isReady).reverse();
}

/** Whether a later request can succeed. */
const isTransient = (error: unknown): error is TidemarkError =>
  error instanceof TidemarkError && (error.status === 0 || error.status === 429 || error.status >= 500);

async function* sendAll(options: ListenOptions, run: RunSummary): AsyncGenerator<Forwarded> {
  for await (const message of messagesOf(options, run)) yield { runId: run.id, ...(await send(message, options)) };
}

/**
 * Sends the events of runs that end from now on to the local receiver, one after another, until the signal aborts. While the API is not
 * available it waits; a message that is sent again after that has its earlier id.
 */
export async function* listen(options: ListenOptions): AsyncGenerator<Forwarded> {
  const { signal, pollMs = POLL_MS, onRetry } = options;
  let sent: Set<string> | undefined;
  while (!signal.aborted) {
    try {
      const ready = await readyRuns(options);
      sent ??= new Set(ready.map(({ id }) => id));
      for (const run of ready) {
        if (sent.has(run.id)) continue;
        yield* sendAll(options, run);
        sent.add(run.id);
      }
      sent = new Set(ready.map(({ id }) => id));
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw error;
      onRetry?.(error);
    }
    await pause(pollMs, signal);
  }
}
