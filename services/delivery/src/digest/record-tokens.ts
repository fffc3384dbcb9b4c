import { events } from '@tidemark/contracts';
import type { Tokens } from '@tidemark/models';
import { inTransaction, type Outbox, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';

/** A call of a model for the digest of a run. */
export interface DigestCall {
  readonly workspaceId: string;
  readonly runId: string;
  readonly model: string;
  readonly tokens: Tokens;
  readonly at: Date;
}

/** Publishes the tokens of a digest. A run's model is called once, so that its id identifies the call. */
export type RecordTokens = (call: DigestCall) => Promise<void>;

export function makeRecordTokens(pool: pg.Pool, outbox: Pick<Outbox, 'send'>): RecordTokens {
  return async ({ workspaceId, runId, model, tokens, at }) => {
    const counts = { inputTokens: tokens.input, outputTokens: tokens.output };
    const used = { ref: runId, workspaceId, kind: 'digest', model, ...counts, at };
    const messages = [outgoingEvent(events.digestTokensUsed, `tokens:${runId}`, used)];
    await inTransaction(pool, (client) => writeEvents(client, messages));
    outbox.send(messages);
  };
}
