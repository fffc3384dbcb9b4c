import type { Connection, Provider } from '@tidemark/api';
import type {
  Connection as WireConnection,
  Provider as WireProvider,
  ProviderField as WireSetting,
} from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { timeOf } from '../../responses/job-envelope.ts';

const toSetting = ({ name, required, says, fallback }: WireSetting): Provider['fields'][number] => ({
  ...{ name, required, says },
  fallback: fallback || null,
});

export const toProvider = ({ id, title, kind, fields, secrets, note, verified }: WireProvider): Provider => ({
  ...{ id, title, kind, note, verified },
  fields: fields.map(toSetting),
  secrets: secrets.map(toSetting),
});

/** Converts a connection without its secrets. */
export function toConnection(connection: WireConnection | undefined): Connection {
  if (connection === undefined) throw new AppError('internal', 'export returned no connection');
  const { id, provider, name, configJson, secretsSet, createdAt, updatedAt, lastTest } = connection;
  return {
    ...{ id, provider, name, secretsSet },
    config: configJson === '' ? {} : JSON.parse(configJson),
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
    lastTest: lastTest === undefined ? null : { ok: lastTest.ok, reason: lastTest.reason, at: timeOf(lastTest.at) },
  };
}
