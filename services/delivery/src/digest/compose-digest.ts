import { newId } from '@tidemark/contracts';
import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import type { HttpClient } from '@tidemark/egress';
import { messageOf } from '@tidemark/errors';
import type { Logger, Peer } from '@tidemark/service';
import { z } from 'zod';
import { hasSomething } from '../notices/report.ts';
import type { Digest, RunToTell } from '../telling/ports.ts';
import { makeAskModel } from './ask-model.ts';
import { changePrompt } from './change-prompt.ts';
import type { Model } from './model-protocols.ts';
import { readDigest } from './read-digest.ts';

/** For the model, however often it is asked: a record is not held back longer. */
const WITHIN_MS = 30_000;

const Config = z.object({ base_url: z.string(), model: z.string() });

export interface ComposeDigestDeps {
  /** The service that keeps connections. */
  readonly connections: Peer;
  readonly client: Pick<HttpClient, 'fetch'>;
  readonly log: Pick<Logger, 'info'>;
  readonly withinMs?: number;
  readonly againAfterMs?: number;
}

/**
 * What the project's model says of a run's record; null where none is wanted, nothing changed, or the model does not say it as it was
 * asked to. A record that has a digest keeps it. Never throws: a failing model holds nothing back.
 */
export function makeComposeDigest(deps: ComposeDigestDeps) {
  const { connections, client, log, withinMs = WITHIN_MS, againAfterMs } = deps;
  const ask = makeAskModel(client, { withinMs, ...(againAfterMs === undefined ? {} : { againAfterMs }) });
  return async (told: RunToTell): Promise<Digest | null> => {
    const { channels, record, run } = told;
    if (channels.digestConnectionId === '' || record === undefined || !hasSomething(record, told.entries)) return null;
    if (record.digestJson !== undefined) return readDigest(record.digestJson);
    try {
      const model = await openModel(connections, told);
      const answer = await ask(model, changePrompt(told));
      const digest = 'said' in answer ? readDigest(answer.said) : null;
      const why = 'why' in answer ? answer.why : 'the answer is not of the shape that was asked for';
      if (digest === null) log.info({ run: run.runId, why }, 'a record has no digest');
      return digest;
    } catch (error) {
      log.info({ run: run.runId, why: messageOf(error) }, 'a record has no digest');
      return null;
    }
  };
}

/** @throws AppError not_found, unavailable */
async function openModel(connections: Peer, { workspaceId, channels }: RunToTell): Promise<Model> {
  const caller = { workspaceId, keyId: '', scope: 'admin', projects: [] } as const;
  const asked = { id: channels.digestConnectionId };
  const opened = await connections.call(Rpc.openConnection, asked, { requestId: newId('req'), caller });
  const { base_url: baseUrl, model } = Config.parse(JSON.parse(opened.configJson));
  return { provider: opened.provider, baseUrl, model, apiKey: opened.secrets['api_key'] ?? '' };
}
