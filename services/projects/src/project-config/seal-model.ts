import { onOwnBehalf } from '@tidemark/contracts';
import { ExportServiceService as Export } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { RequestContext } from '../request-context.ts';
import type { ResolvedConfig } from './resolve-config.ts';

type Options = ResolvedConfig['options'];

/** Adds the model of an extraction to the options of a run, sealed. Options without an extraction are returned unchanged. */
export type SealModel = (options: Options, context: RequestContext) => Promise<Options>;

const DEADLINE_MS = 3_000;

/**
 * The connection was checked when the configuration was saved, by a caller that sees it; the run uses it for the workspace. Without the
 * connection the run starts, and its pages state that there is no model.
 */
export function makeSealModel(exports: Peer): SealModel {
  return async (options, { caller: { workspaceId }, requestId }) => {
    const { extract } = options;
    if (extract === undefined) return options;
    const caller = onOwnBehalf('projects', workspaceId);
    const request = { id: extract.connectionId };
    try {
      const { sealedModel } = await exports.call(
        Export.sealModel,
        request,
        { requestId, caller },
        { deadlineMs: DEADLINE_MS },
      );
      return { ...options, extract: { ...extract, sealedModel } };
    } catch (error) {
      if (error instanceof AppError) return options;
      throw error;
    }
  };
}
