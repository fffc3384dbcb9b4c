import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import type { CaptureOptions } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';

/**
 * Adds the model of an extraction to capture options, sealed. Options without an extraction are returned unchanged.
 * @throws AppError validation if the caller has no such connection to a language model
 */
export async function withSealedModel(
  exports: Peer,
  options: CaptureOptions,
  call: CallContext,
): Promise<CaptureOptions> {
  const { extract } = options;
  if (extract === undefined) return options;
  try {
    const { sealedModel } = await exports.call(Rpc.sealModel, { id: extract.connectionId }, call);
    return { ...options, extract: { ...extract, sealedModel } };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const expected =
      'expected the id of a connection to a language model of this workspace, or default for the only one';
    const msg = `connection not found: ${expected}`;
    throw new AppError('validation', `config.extract.connection_id: ${msg}`, {
      detail: [{ loc: ['body', 'config', 'extract', 'connection_id'], msg, type: 'not_found' }],
    });
  }
}
