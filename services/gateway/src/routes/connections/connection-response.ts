import { CONNECTION_STEPS, type Connection, type Provider } from '@tidemark/api';
import type {
  Connection as WireConnection,
  Provider as WireProvider,
  ProviderField as WireSetting,
  ConnectionTest as WireTest,
} from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';

const toSetting = ({ name, type, required, says, fallback, choices }: WireSetting): Provider['fields'][number] => ({
  name,
  required,
  says,
  choices,
  type,
  fallback: fallback ?? null,
});

export const toProvider = ({ fields, secrets, oneOfSecrets: needsOneOf, ...provider }: WireProvider): Provider => ({
  ...provider,
  needsOneOf,
  fields: fields.map(toSetting),
  secrets: secrets.map(toSetting),
});

const toTest = ({ ok, reason, steps, at }: WireTest): Connection['lastTest'] => ({
  ok,
  reason,
  at: timeOf(at),
  steps: steps.map((step) => ({ ...step, name: oneOf(CONNECTION_STEPS, step.name) })),
});

/** Converts a connection without its secrets. */
export function toConnection(connection: WireConnection | undefined): Connection {
  if (connection === undefined) throw new AppError('internal', 'export returned no connection');
  const { id, provider, name, configJson, secretsSet, createdAt, updatedAt, lastTest } = connection;
  return {
    id,
    provider,
    name,
    secretsSet,
    config: configJson === '' ? {} : JSON.parse(configJson),
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
    lastTest: lastTest === undefined ? null : toTest(lastTest),
  };
}
