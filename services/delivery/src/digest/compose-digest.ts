import { newId, onOwnBehalf } from '@tidemark/contracts';
import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import type { HttpClient } from '@tidemark/egress';
import { messageOf } from '@tidemark/errors';
import { type Model, makeRequestCompletion, type SlowModels } from '@tidemark/models';
import type { Logger, Peer } from '@tidemark/service';
import { z } from 'zod';
import type { Digest, FinishedRun } from '../notifications/notification.ts';
import { isReportable } from '../report/report.ts';
import { changePrompt } from './change-prompt.ts';
import { parseDigest } from './parse-digest.ts';
import type { RecordTokens } from './record-tokens.ts';

/** Timeout of a model, ms, retries included. */
const MODEL_TIMEOUT_MS = 30_000;
/** Limit of tokens: twice the size of a digest. */
const MAX_TOKENS = 2_000;

const Config = z.object({ base_url: z.string(), model: z.string() });

export interface ComposeDigestDeps {
  /** The service that stores connections. */
  readonly connections: Peer;
  readonly client: Pick<HttpClient, 'fetch'>;
  readonly log: Pick<Logger, 'info'>;
  /** Models that are not called for now. */
  readonly slowModels: SlowModels;
  readonly recordTokens: RecordTokens;
  readonly withinMs?: number;
  readonly retryAfterMs?: number;
}

/**
 * Returns what is known of a run's digest without calling a model: null where none is configured, the run is not done, there is no record or nothing changed; the
 * stored digest where there is one. undefined: a model is to be called.
 */
export function knownDigest({ channels, run, record, entries }: FinishedRun): Digest | null | undefined {
  if (channels.digestConnectionId === undefined || run.status !== 'done') return null;
  if (record === undefined || !isReportable(record, entries)) return null;
  return record.digest;
}

/** A digest; null with the reason why there is none. */
interface Composed {
  readonly digest: Digest | null;
  readonly why: string;
}

/**
 * Calls the project's model for a digest of a run's record; null where no model is to be called or its response is invalid. A model that timed
 * out is skipped for a while: null at once. Never throws.
 */
export type ComposeDigest = (finished: FinishedRun, leftMs: number) => Promise<Digest | null>;

export function makeComposeDigest(deps: ComposeDigestDeps): ComposeDigest {
  const { connections, client, log, slowModels, withinMs = MODEL_TIMEOUT_MS, retryAfterMs } = deps;
  const requestCompletion = makeRequestCompletion(client, retryAfterMs === undefined ? {} : { retryAfterMs });
  return async (finished, leftMs) => {
    const known = knownDigest(finished);
    if (known !== undefined) return known;
    const connectionId = finished.channels.digestConnectionId;
    if (connectionId === undefined) return null;
    const composed = await callModel(finished, connectionId, leftMs).catch(
      (error: unknown): Composed => ({ digest: null, why: messageOf(error) }),
    );
    if (composed.digest === null)
      log.info({ run: finished.run.runId, why: composed.why }, 'no digest for the record of a run');
    return composed.digest;
  };

  async function callModel(finished: FinishedRun, connectionId: string, leftMs: number): Promise<Composed> {
    if (slowModels.has(connectionId)) return { digest: null, why: 'the model timed out recently' };
    if (leftMs <= 0) return { digest: null, why: 'no time left to call the model' };
    const { run, workspaceId } = finished;
    const model = await openModel(connections, workspaceId, connectionId);
    const reply = await requestCompletion(model, changePrompt(finished), {
      withinMs: Math.min(withinMs, leftMs),
      maxTokens: MAX_TOKENS,
    });
    const { tokens } = reply;
    if (tokens !== undefined)
      await deps.recordTokens({ workspaceId, runId: run.runId, model: model.model, tokens, at: new Date() });
    if ('text' in reply)
      return { digest: parseDigest(reply.text), why: 'the response does not match the digest schema' };
    // A model that had less than its full time is not known to be slow.
    if (reply.failure === 'late' && leftMs >= withinMs) slowModels.add(connectionId);
    return { digest: null, why: reply.why };
  }
}

/** @throws AppError not_found, unavailable */
async function openModel(connections: Peer, workspaceId: string, id: string): Promise<Model> {
  const caller = onOwnBehalf('delivery', workspaceId);
  const opened = await connections.call(Rpc.openConnection, { id }, { requestId: newId('req'), caller });
  const { base_url: baseUrl, model } = Config.parse(JSON.parse(opened.configJson));
  return { provider: opened.provider, baseUrl, model, apiKey: opened.secrets['api_key'] ?? '' };
}
