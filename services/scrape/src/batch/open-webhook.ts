import type { Caller } from '@tidemark/contracts';
import type { OpenWebhookResponse } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { BatchViews } from '../store/batch-views.ts';

/**
 * Returns the webhook of a batch of the caller's workspace, with its secret.
 * @throws AppError not_found
 */
export function makeOpenWebhook(deps: {
  readonly batches: Pick<BatchViews, 'webhookOf'>;
  readonly open: (sealed: Uint8Array, jobId: string) => string;
}) {
  return async ({ workspaceId }: Caller, jobId: string): Promise<OpenWebhookResponse> => {
    const webhook = await deps.batches.webhookOf(workspaceId, jobId);
    if (webhook === undefined) throw new AppError('not_found', 'the batch has no webhook');
    return { url: webhook.url, secret: deps.open(webhook.sealedSecret, jobId) };
  };
}
