import type { Caller } from '@tidemark/contracts';
import type { OpenWebhookResponse } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { RunStore } from './store/run-store.ts';

/** The webhook of a run of the caller's workspace, with its secret. @throws AppError not_found */
export function makeOpenWebhook(deps: {
  readonly runs: Pick<RunStore, 'webhookOf'>;
  readonly open: (sealed: Uint8Array, runId: string) => string;
}) {
  return async ({ workspaceId }: Caller, runId: string): Promise<OpenWebhookResponse> => {
    const webhook = await deps.runs.webhookOf(workspaceId, runId);
    if (webhook === undefined) throw new AppError('not_found', 'the run has no webhook');
    const { url, events, metadata, sealedSecret } = webhook;
    return { url, events: [...events], metadataJson: metadata, secret: deps.open(sealedSecret, runId) };
  };
}
