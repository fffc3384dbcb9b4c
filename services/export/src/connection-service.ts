import { type Caller, newId, scopeIncludes } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Sealer } from '@tidemark/sealing';
import { z } from 'zod';
import type { makeCheckProvider } from './check-provider.ts';
import type { Connection, Values } from './domain/connection.ts';
import {
  applyChanges,
  invalid,
  parseConfig,
  parseName,
  parseSecrets,
  requireComplete,
  withFallbacks,
} from './domain/connection-values.ts';
import { PROVIDERS, type Provider, providerOf } from './domain/providers.ts';
import type { ConnectionStore, SealedConnection } from './store/connection-store.ts';

const MAX_CONNECTIONS = 100;
const MAX_PAGE_SIZE = 1_000;

const Secrets = z.record(z.string(), z.string());

export interface ConnectionServiceDeps {
  readonly connections: ConnectionStore;
  readonly seals: Pick<Sealer, 'seal' | 'open'>;
  /** Refuses a URL that is not on the public web. @throws AppError validation naming `field` */
  readonly admit: (url: string, field: string) => Promise<void>;
  readonly checkProvider: ReturnType<typeof makeCheckProvider>;
  readonly now: () => Date;
}

export interface NewConnection {
  readonly provider: string;
  readonly name: string;
  readonly configJson: string;
  readonly secrets: Values;
}

export interface ConnectionUpdate {
  readonly name: string | undefined;
  /** JSON object of changed fields. Empty: unchanged. */
  readonly configJson: string;
  readonly secrets: Values;
}

/** A connection with decrypted secrets, for the service that calls the provider. */
export interface OpenedConnection {
  readonly provider: string;
  /** Includes the fallbacks of fields that are not set. */
  readonly config: Values;
  readonly secrets: Values;
}

/**
 * Creates, changes, tests and opens connections. Connections belong to the workspace and their use is billed by the provider, so an API
 * key restricted to projects has no access. Only `open` returns secrets.
 */
export class ConnectionService {
  readonly #deps: ConnectionServiceDeps;

  constructor(deps: ConnectionServiceDeps) {
    this.#deps = deps;
  }

  /** @throws AppError validation, forbidden, plan_limit */
  async create(caller: Caller, request: NewConnection): Promise<Connection> {
    const { connections, now } = this.#deps;
    if (caller.projects.length > 0)
      throw new AppError('forbidden', 'a key restricted to projects cannot create connections');
    requireAdmin(caller);
    const provider = parseProvider(request.provider);
    const name = parseName(request.name);
    const config = applyChanges({}, parseConfig(request.configJson, provider));
    const secrets = parseSecrets(request.secrets, provider);
    requireComplete(provider, config, secrets);
    await this.#admit(config['base_url']);
    if ((await connections.count(caller.workspaceId)) >= MAX_CONNECTIONS)
      throw new AppError('plan_limit', `a workspace can have at most ${MAX_CONNECTIONS} connections; delete one first`);
    const id = newId('con');
    const at = now();
    const secretsSet = Object.keys(secrets).toSorted();
    const times = { createdAt: at, updatedAt: at, lastTest: undefined };
    const connection = { id, provider: provider.id, name, config, secretsSet, ...times };
    await connections.create(caller.workspaceId, { ...connection, secrets: this.#seal(secrets, id) });
    return connection;
  }

  /** Returns a page of connections, newest first. `limit` 0: the maximum page size. */
  async list(caller: Caller, limit: number, cursor: string): Promise<{ connections: Connection[]; next: string }> {
    if (caller.projects.length > 0) return { connections: [], next: '' };
    const pageSize = limit <= 0 ? MAX_PAGE_SIZE : Math.min(limit, MAX_PAGE_SIZE);
    const found = await this.#deps.connections.list(caller.workspaceId, cursor, pageSize + 1);
    const connections = found.slice(0, pageSize);
    return { connections, next: found.length > pageSize ? (connections.at(-1)?.id ?? '') : '' };
  }

  /** @throws AppError not_found */
  get(caller: Caller, id: string): Promise<Connection> {
    return this.#find(caller, id);
  }

  /** @throws AppError not_found, forbidden, validation */
  async update(caller: Caller, id: string, update: ConnectionUpdate): Promise<Connection> {
    const provider = parseProvider((await this.#find(caller, id)).provider);
    requireAdmin(caller);
    const name = update.name === undefined ? undefined : parseName(update.name);
    const changes = parseConfig(update.configJson, provider);
    const newSecrets = parseSecrets(update.secrets, provider);
    await this.#admit(changes['base_url'] ?? undefined);
    const isOther = Object.keys(changes).length > 0 || Object.keys(newSecrets).length > 0;
    const change = (current: SealedConnection) => {
      const config = applyChanges(current.config, changes);
      const secrets = { ...this.#open(current), ...newSecrets };
      requireComplete(provider, config, secrets);
      requireSecretsForNewOrigin(provider, { from: current.config, to: config, newSecrets });
      const secretsSet = Object.keys(secrets).toSorted();
      return { name: name ?? current.name, config, secrets: this.#seal(secrets, id), secretsSet, isOther };
    };
    const updated = await this.#deps.connections.update(caller.workspaceId, id, change, this.#deps.now());
    if (updated === undefined) throw connectionNotFound();
    return updated;
  }

  /** Deletes a connection with its secrets. @throws AppError not_found, forbidden */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.#find(caller, id);
    requireAdmin(caller);
    if (!(await this.#deps.connections.delete(caller.workspaceId, id))) throw connectionNotFound();
  }

  /** Checks a connection against its provider and stores the result. @throws AppError not_found, forbidden */
  async test(caller: Caller, id: string): Promise<Connection> {
    const { connections, checkProvider, now } = this.#deps;
    const connection = await this.#find(caller, id);
    requireAdmin(caller);
    const provider = parseProvider(connection.provider);
    const result = await checkProvider(provider, withFallbacks(provider, connection.config), this.#open(connection));
    await connections.noteTest(caller.workspaceId, id, connection.updatedAt, { ...result, at: now() });
    return this.#find(caller, id);
  }

  /** Returns a connection with decrypted secrets. @throws AppError not_found */
  async open(caller: Caller, id: string): Promise<OpenedConnection> {
    const connection = await this.#find(caller, id);
    const provider = parseProvider(connection.provider);
    return {
      provider: provider.id,
      config: withFallbacks(provider, connection.config),
      secrets: this.#open(connection),
    };
  }

  async #find(caller: Caller, id: string): Promise<SealedConnection> {
    const found = caller.projects.length > 0 ? undefined : await this.#deps.connections.find(caller.workspaceId, id);
    if (found === undefined) throw connectionNotFound();
    return found;
  }

  async #admit(baseUrl: string | undefined): Promise<void> {
    if (baseUrl !== undefined) await this.#deps.admit(baseUrl, 'config.base_url');
  }

  #seal = (secrets: Values, id: string): Buffer => this.#deps.seals.seal(JSON.stringify(secrets), id);

  #open = ({ id, secrets }: SealedConnection): Values => Secrets.parse(JSON.parse(this.#deps.seals.open(secrets, id)));
}

function parseProvider(id: string): Provider {
  const provider = providerOf(id);
  if (provider !== undefined) return provider;
  throw invalid(['provider'], `expected one of ${PROVIDERS.map((each) => each.id).join(', ')}`);
}

/**
 * Requires the secrets again if `base_url` changes its origin. Otherwise a user who may change the connection could have the stored
 * secrets sent to a server of their own.
 */
function requireSecretsForNewOrigin(
  provider: Provider,
  { from, to, newSecrets }: { readonly from: Values; readonly to: Values; readonly newSecrets: Values },
): void {
  const originOf = (config: Values) => URL.parse(withFallbacks(provider, config)['base_url'] ?? '')?.origin;
  if (originOf(from) === originOf(to)) return;
  const missing = provider.secrets.find(({ name, required }) => required && newSecrets[name] === undefined);
  if (missing !== undefined) throw invalid(['secrets', missing.name], 'is required when base_url changes its origin');
}

function requireAdmin({ scope }: Caller): void {
  if (!scopeIncludes(scope, 'admin'))
    throw new AppError('forbidden', 'changing and testing connections needs an admin key');
}

/** The message is the same whether the connection does not exist or the caller may not see it. */
const connectionNotFound = (): AppError => new AppError('not_found', 'connection not found');
