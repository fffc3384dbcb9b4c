import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { sealModel } from '@tidemark/models';
import type { Sealer } from '@tidemark/sealing';
import { MODEL_KIND } from '../domain/providers/provider.ts';
import { type ConnectionService, MAX_PAGE_SIZE } from './connection-service.ts';

/** Names the only connection to a model of a workspace. */
const DEFAULT = 'default';

interface Deps {
  readonly connections: Pick<ConnectionService, 'open' | 'list' | 'providerOf'>;
  readonly sealer: Pick<Sealer, 'seal'>;
}

/** Returns the model of a connection with its key, sealed under the workspace's id. @throws AppError not_found, also if it is no connection to a model */
export type SealModel = (caller: Caller, id: string) => Promise<Buffer>;

export function makeSealModel({ connections, sealer }: Deps): SealModel {
  async function onlyModel(caller: Caller): Promise<string> {
    const listed = await connections.list(caller, MAX_PAGE_SIZE, undefined);
    const [only, ...more] = listed.connections.filter((each) => connections.providerOf(each).kind === MODEL_KIND);
    if (only === undefined || more.length > 0)
      throw new AppError(
        'not_found',
        `the workspace has ${only === undefined ? 'no connection' : 'several connections'} to a language model`,
      );
    return only.id;
  }

  return async (caller, id) => {
    const { provider, config, secrets } = await connections.open(caller, id === DEFAULT ? await onlyModel(caller) : id);
    if (provider.kind !== MODEL_KIND) throw new AppError('not_found', 'the connection is not one to a language model');
    const { base_url: baseUrl = '', model = '' } = config;
    return sealModel(
      { provider: provider.id, baseUrl, model, apiKey: secrets['api_key'] ?? '' },
      sealer,
      caller.workspaceId,
    );
  };
}
