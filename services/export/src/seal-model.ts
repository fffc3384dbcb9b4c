import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { sealModel } from '@tidemark/models';
import type { Sealer } from '@tidemark/sealing';
import type { ConnectionService } from './connection-service.ts';
import { MODEL_KIND } from './domain/providers/provider.ts';

interface Deps {
  readonly connections: Pick<ConnectionService, 'open'>;
  readonly sealer: Pick<Sealer, 'seal'>;
}

/** Returns the model of a connection with its key, sealed under the workspace's id. @throws AppError not_found, also if it is no connection to a model */
export function makeSealModel({ connections, sealer }: Deps) {
  return async (caller: Caller, id: string): Promise<Buffer> => {
    const { provider, config, secrets } = await connections.open(caller, id);
    if (provider.kind !== MODEL_KIND) throw new AppError('not_found', 'the connection is not one to a language model');
    const { base_url: baseUrl = '', model = '' } = config;
    return sealModel(
      { provider: provider.id, baseUrl, model, apiKey: secrets['api_key'] ?? '' },
      sealer,
      caller.workspaceId,
    );
  };
}
