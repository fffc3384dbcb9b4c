import { asList, asObject, asText } from '@tidemark/api';
import type { FirecrawlCall } from './firecrawl-call.ts';
import { Refusal } from './refusal.ts';
import { isObject, type Settings } from './translate.ts';

/** What needs a model, with the field that names a connection. */
const USES = {
  json: { code: 'UNSUPPORTED_FORMAT', what: 'the format json', several: 'name one as connectionId in the format' },
  goal: { code: 'UNSUPPORTED_OPTION', what: 'goal', several: 'set change_digest of the project instead' },
} as const;

/** Returns the only connection of the workspace to a language model. @throws Refusal if there is none or there are several */
export async function modelConnection({ call }: FirecrawlCall, use: keyof typeof USES): Promise<string> {
  const { code, what, several } = USES[use];
  const refuse = (why: string): never => {
    throw new Refusal(400, code, { message: `${what} requires a language model: ${why}` });
  };
  const [providers, connections] = await Promise.all([
    call('listProviders'),
    call('listConnections', { query: { limit: '1000' } }),
  ]);
  const listed = (body: unknown) => asList(asObject(body)['data']).map(asObject);
  const models = new Set(listed(providers.body).flatMap(({ id, kind }) => (kind === 'model' ? [id] : [])));
  const found = listed(connections.body).filter(({ provider }) => models.has(provider));
  const [only] = found;
  if (only === undefined) return refuse('create a connection to one with POST /v1/connections');
  if (found.length > 1) return refuse(`the workspace has ${found.length} connections; ${several}`);
  return asText(only['id']);
}

/** Completes the extraction of a translated request with the connection of the workspace. @throws Refusal, AppError */
export async function withConnection(request: FirecrawlCall, body: Settings): Promise<Settings> {
  const config = asObject(body['config']);
  const { extract } = config;
  if (!isObject(extract) || extract['connection_id'] !== undefined) return body;
  return {
    ...body,
    config: { ...config, extract: { ...extract, connection_id: await modelConnection(request, 'json') } },
  };
}
