import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { CONFIG_KEYS } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';

/**
 * Refuses a digest whose connection the caller cannot see, before a crawl stores it for the project that it may become. A key that is restricted to
 * projects sees no connections. @throws AppError validation
 */
export async function requireDigestConnection(
  exports: Peer,
  config: Readonly<Record<string, unknown>>,
  call: CallContext,
): Promise<void> {
  const { data: digest } = CONFIG_KEYS.change_digest.schema.safeParse(config['change_digest']);
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
