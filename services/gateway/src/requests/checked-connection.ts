import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';

/**
 * Refuses a digest whose connection the caller cannot see, before a crawl stores it for the project that it may become. A key that is restricted to
 * projects sees no connections. @throws AppError validation
 */
export async function requireDigestConnection(
  exports: Peer,
  digest: { readonly connection_id: string } | undefined,
  call: CallContext,
): Promise<void> {
  if (digest === undefined) return;
  const msg = 'connection not found';
  const refused = new AppError('validation', `config.change_digest.connection_id: ${msg}`, {
    detail: [{ loc: ['body', 'config', 'change_digest', 'connection_id'], msg, type: 'not_found' }],
  });
  if (call.caller?.access.kind === 'only') throw refused;
  try {
    await exports.call(Rpc.getConnection, { id: digest.connection_id }, call);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw refused;
  }
}
