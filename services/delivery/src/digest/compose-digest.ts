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
    const { run, channels, workspaceId } = finished;
    const { digestConnectionId } = channels;
    if (digestConnectionId === undefined) return null;
    const none = (why: string): null => {
      log.info({ run: run.runId, why }, 'no digest for the record of a run');
      return null;
    };
    if (slowModels.has(digestConnectionId)) return none('the model timed out recently');
    if (leftMs <= 0) return none('no time left to call the model');
    try {
      const model = await openModel(connections, workspaceId, digestConnectionId);
      const reply = await requestCompletion(model, changePrompt(finished), {
        withinMs: Math.min(withinMs, leftMs),
        maxTokens: MAX_TOKENS,
      });
      const { tokens } = reply;
      if (tokens !== undefined)
        await deps.recordTokens({ workspaceId, runId: run.runId, model: model.model, tokens, at: new Date() });
      if ('text' in reply) return parseDigest(reply.text) ?? none('the response does not match the digest schema');
      // A model that had less than its full time is not known to be slow.
      if (reply.failure === 'late' && leftMs >= withinMs) slowModels.add(digestConnectionId);
      return none(reply.why);
    } catch (error) {
      return none(messageOf(error));
    }
  };
}

/** @throws AppError not_found, unavailable */
async function openModel(connections: Peer, workspaceId: string, id: string): Promise<Model> {
  const caller = onOwnBehalf('delivery', workspaceId);
  const opened = await connections.call(Rpc.openConnection, { id }, { requestId: newId('req'), caller });
  const { base_url: baseUrl, model } = Config.parse(JSON.parse(opened.configJson));
  return { provider: opened.provider, baseUrl, model, apiKey: opened.secrets['api_key'] ?? '' };
}
