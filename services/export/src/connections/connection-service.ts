import { actedBy, type Caller, events, hasScope, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Sealer } from '@tidemark/sealing';
import { type AuditedAction, auditEvent, type OutgoingEvent } from '@tidemark/service';
import { z } from 'zod';
import type { Connection, Values } from '../domain/connection.ts';
import {
  applyChanges,
  boundValues,
  changedBinding,
  invalid,
  parseConfig,
  parseName,
  parseSecrets,
  requireComplete,
  sealContext,
  withFallbacks,
} from '../domain/connection-values.ts';
import type { OpenedConnection } from '../domain/opened-connection.ts';
import type { Provider } from '../domain/providers/provider.ts';
import type { ProviderCatalogue } from '../domain/providers/providers.ts';
import type { ConnectionStore, SealedConnection } from '../store/connection-store.ts';
import type { TestConnection } from './test-connection.ts';

const MAX_CONNECTIONS = 100;
export const MAX_PAGE_SIZE = 1_000;

const Secrets = z.record(z.string(), z.string());

export interface ConnectionServiceDeps {
  readonly connections: ConnectionStore;
  readonly seals: Pick<Sealer, 'seal' | 'open'>;
  readonly providers: ProviderCatalogue;
  /** Refuses addresses that are not on the public web. @throws AppError validation naming the field */
  readonly admit: (provider: Provider, config: Values) => Promise<void>;
  readonly test: TestConnection;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
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
  /** JSON object of changed fields. Undefined: unchanged. */
  readonly configJson: string | undefined;
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
    if (caller.access.kind === 'only')
      throw new AppError('forbidden', 'a key restricted to projects cannot create connections');
    requireAdmin(caller);
    const provider = this.#requireProvider(request.provider);
    const name = parseName(request.name);
    const config = applyChanges({}, parseConfig(request.configJson, provider));
    const secrets = parseSecrets(request.secrets, provider);
    requireComplete(provider, config, secrets);
    await this.#deps.admit(provider, withFallbacks(provider, config));
    if ((await connections.count(caller.workspaceId)) >= MAX_CONNECTIONS)
      throw new AppError('plan_limit', `a workspace can have at most ${MAX_CONNECTIONS} connections; delete one first`);
    const id = newId('con');
    const at = now();
    const secretsSet = Object.keys(secrets).toSorted();
    const times = { createdAt: at, updatedAt: at, lastTest: undefined };
    const connection = { id, provider: provider.id, name, config, secretsSet, ...times };
    const detail = { name, provider: provider.id, secrets: secretsSet };
    const outgoing = [entryOf(caller, { action: 'connection.created', subjectId: id, detail, at })];
    const sealed = { ...connection, secrets: this.#seal(secrets, sealContext(id, provider, config)) };
    await connections.create(caller.workspaceId, sealed, outgoing);
    this.#deps.send(outgoing);
    return connection;
  }

  /** Returns a page of connections, newest first. */
  async list(
    caller: Caller,
    limit: number,
    cursor: string | undefined,
  ): Promise<{ connections: Connection[]; next: string | undefined }> {
    if (caller.access.kind === 'only') return { connections: [], next: undefined };
    const pageSize = Math.min(Math.max(limit, 1), MAX_PAGE_SIZE);
    const found = await this.#deps.connections.list(caller.workspaceId, cursor, pageSize + 1);
    const connections = found.slice(0, pageSize);
    return { connections, next: found.length > pageSize ? connections.at(-1)?.id : undefined };
  }

  /** @throws AppError not_found */
  get(caller: Caller, id: string): Promise<Connection> {
    return this.#find(caller, id);
  }

  /**
   * Changes a connection. A change of a field that states where the secrets are sent requires them again: otherwise a user who may change
   * the connection could have the stored secrets sent to a server of their own. @throws AppError not_found, forbidden, validation
   */
  async update(caller: Caller, id: string, update: ConnectionUpdate): Promise<Connection> {
    const current = await this.#find(caller, id);
    const provider = this.#requireProvider(current.provider);
    requireAdmin(caller);
    const name = update.name === undefined ? undefined : parseName(update.name);
    const changes = update.configJson === undefined ? {} : parseConfig(update.configJson, provider);
    const newSecrets = parseSecrets(update.secrets, provider);
    const requested = applyChanges(current.config, changes);
    const isBoundChanged = changedBinding(boundValues(provider, current.config), boundValues(provider, requested));
    if (isBoundChanged !== undefined) await this.#deps.admit(provider, withFallbacks(provider, requested));
    const at = this.#deps.now();
    let outgoing: readonly OutgoingEvent[] = [];
    const change = (now: SealedConnection) => {
      const config = applyChanges(now.config, changes);
      const moved = changedBinding(boundValues(provider, now.config), boundValues(provider, config));
      const kept = moved === undefined ? this.#open(now, provider) : {};
      const secrets = { ...kept, ...newSecrets };
      const because = moved === undefined ? '' : `: stored secrets are discarded when ${moved} changes`;
      requireComplete(provider, config, secrets, because);
      const isOther = Object.keys(changes).length > 0 || Object.keys(newSecrets).length > 0;
      const sealed = this.#seal(secrets, sealContext(id, provider, config));
      const secretsSet = Object.keys(secrets).toSorted();
      outgoing = changeEntry(caller, { now, name, at, fields: Object.keys(changes), secrets: Object.keys(newSecrets) });
      return { name: name ?? now.name, config, secrets: sealed, secretsSet, isOther, outgoing };
    };
    const updated = await this.#deps.connections.update(caller.workspaceId, id, change, at);
    if (updated === undefined) throw connectionNotFound();
    this.#deps.send(outgoing);
    return updated;
  }

  /** Deletes a connection with its secrets. @throws AppError not_found, forbidden */
  async delete(caller: Caller, id: string): Promise<void> {
    const { name, provider } = await this.#find(caller, id);
    requireAdmin(caller);
    const action = { action: 'connection.deleted', subjectId: id, detail: { name, provider }, at: this.#deps.now() };
    const outgoing = [entryOf(caller, action)];
    if (!(await this.#deps.connections.delete(caller.workspaceId, id, outgoing))) throw connectionNotFound();
    this.#deps.send(outgoing);
  }

  /** Tests a connection at its provider and stores the result. @throws AppError not_found, forbidden */
  async test(caller: Caller, id: string): Promise<Connection> {
    const { connections, now } = this.#deps;
    const connection = await this.#find(caller, id);
    requireAdmin(caller);
    const { learned, ...result } = await this.#deps.test(this.#opened(connection));
    const version = connection.updatedAt;
    await connections.noteTest(caller.workspaceId, id, version, { ...result, at: now() });
    if (Object.keys(learned).length > 0) await this.#learn(caller.workspaceId, connection, learned);
    return this.#find(caller, id);
  }

  /** Returns a connection with decrypted secrets. @throws AppError not_found */
  async open(caller: Caller, id: string): Promise<OpenedConnection> {
    return this.#opened(await this.#find(caller, id));
  }

  /** Returns the provider of a connection. @throws AppError validation if it is not offered any more */
  providerOf({ provider }: Pick<Connection, 'provider'>): Provider {
    return this.#requireProvider(provider);
  }

  #opened(connection: SealedConnection): OpenedConnection {
    const provider = this.#requireProvider(connection.provider);
    return {
      provider,
      config: withFallbacks(provider, connection.config),
      secrets: this.#open(connection, provider),
    };
  }

  /** Stores values that a test determined, unless the connection has changed since. The result of the test stays. */
  async #learn(workspaceId: string, tested: SealedConnection, learned: Values): Promise<void> {
    const { id } = tested;
    const change = (now: SealedConnection) => {
      const provider = this.#requireProvider(now.provider);
      const isSame = now.updatedAt.getTime() === tested.updatedAt.getTime();
      const config = isSame ? { ...now.config, ...learned } : now.config;
      const secrets = this.#seal(this.#open(now, provider), sealContext(id, provider, config));
      return { ...now, config, secrets, isOther: false, outgoing: [] };
    };
    await this.#deps.connections.update(workspaceId, id, change, this.#deps.now());
  }

  async #find(caller: Caller, id: string): Promise<SealedConnection> {
    const found = caller.access.kind === 'only' ? undefined : await this.#deps.connections.find(caller.workspaceId, id);
    if (found === undefined) throw connectionNotFound();
    return found;
  }

  #requireProvider(id: string): Provider {
    const { providers } = this.#deps;
    const provider = providers.find(id);
    if (provider !== undefined) return provider;
    throw invalid(['provider'], `expected one of ${providers.offered.map((each) => each.id).join(', ')}`);
  }

  #seal = (secrets: Values, context: string): Buffer => this.#deps.seals.seal(JSON.stringify(secrets), context);

  #open = ({ id, secrets, config }: SealedConnection, provider: Provider): Values =>
    Secrets.parse(JSON.parse(this.#deps.seals.open(secrets, sealContext(id, provider, config))));
}

function requireAdmin(caller: Caller): void {
  if (!hasScope(caller, 'admin'))
    throw new AppError('forbidden', 'changing and testing connections needs an admin key');
}

const entryOf = (caller: Caller, action: AuditedAction): OutgoingEvent =>
  auditEvent(events.exportAudited, actedBy(caller), action);

interface ChangedConnection {
  readonly now: SealedConnection;
  /** Undefined: unchanged. */
  readonly name: string | undefined;
  /** Names of the fields and secrets of the request. */
  readonly fields: readonly string[];
  readonly secrets: readonly string[];
  readonly at: Date;
}

/** Returns the entry of a change in the audit log, with names of fields and without values; none for a request that changes nothing. */
function changeEntry(caller: Caller, { now, name, fields, secrets, at }: ChangedConnection): OutgoingEvent[] {
  const isRenamed = name !== undefined && name !== now.name;
  if (!isRenamed && fields.length === 0 && secrets.length === 0) return [];
  const detail = { name: name ?? now.name, fields: fields.toSorted(), secrets: secrets.toSorted() };
  return [entryOf(caller, { action: 'connection.changed', subjectId: now.id, detail, at })];
}

/** The message is the same whether the connection does not exist or the caller may not see it. */
const connectionNotFound = (): AppError => new AppError('not_found', 'connection not found');
