import { type Caller, newId, reaches } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Sealer } from '@tidemark/sealing';
import { z } from 'zod';
import type { Connection, Values } from './domain/connection.ts';
import { changed, checkWhole, fault, readConfig, readName, readSecrets, withFallbacks } from './domain/given-values.ts';
import { PROVIDERS, type Provider, providerOf } from './domain/providers.ts';
import type { ConnectionStore, SealedConnection } from './store/connection-store.ts';
import type { makeTryProvider } from './try-provider.ts';

const MOST_CONNECTIONS = 100;
const MOST_LISTED = 1_000;

const Secrets = z.record(z.string(), z.string());

export interface ConnectionDeskDeps {
  readonly connections: ConnectionStore;
  readonly seals: Pick<Sealer, 'seal' | 'open'>;
  /** Refuses an address that is not on the public web. */
  readonly admit: (url: string, field: string) => Promise<void>;
  readonly tryProvider: ReturnType<typeof makeTryProvider>;
  readonly now: () => Date;
}

export interface ConnectionOrder {
  readonly provider: string;
  readonly name: string;
  readonly configJson: string;
  readonly secrets: Values;
}

export interface ConnectionWish {
  readonly name: string | undefined;
  /** Empty: as it is. */
  readonly configJson: string;
  readonly secrets: Values;
}

/** A connection for whoever works with it. */
export interface OpenedConnection {
  readonly provider: string;
  /** With what holds where nothing was given. */
  readonly config: Values;
  readonly secrets: Values;
}

/**
 * Connections to other services. A key that is for some projects sees none: they are the workspace's, and what is done with one is on
 * the customer's bill. Their secrets are told to nobody but who works with them.
 */
export class ConnectionDesk {
  readonly #deps: ConnectionDeskDeps;

  constructor(deps: ConnectionDeskDeps) {
    this.#deps = deps;
  }

  /** @throws AppError validation, forbidden, plan_limit */
  async create(caller: Caller, order: ConnectionOrder): Promise<Connection> {
    const { connections, now } = this.#deps;
    if (caller.projects.length > 0)
      throw new AppError('forbidden', 'a key that is for some projects makes no connections');
    refuseLesser(caller);
    const provider = readProvider(order.provider);
    const name = readName(order.name);
    const config = changed({}, readConfig(order.configJson, provider));
    const secrets = readSecrets(order.secrets, provider);
    checkWhole(provider, config, secrets);
    await this.#admit(config['base_url']);
    if ((await connections.count(caller.workspaceId)) >= MOST_CONNECTIONS)
      throw new AppError('plan_limit', `a workspace holds at most ${MOST_CONNECTIONS} connections; delete some`);
    const id = newId('con');
    const at = now();
    const secretsSet = Object.keys(secrets).toSorted();
    const times = { createdAt: at, updatedAt: at, lastTest: undefined };
    const made = { id, provider: provider.id, name, config, secretsSet, ...times };
    await connections.create(caller.workspaceId, { ...made, secrets: this.#seal(secrets, id) });
    return made;
  }

  /** Newest first. */
  async list(caller: Caller, limit: number, cursor: string): Promise<{ connections: Connection[]; next: string }> {
    if (caller.projects.length > 0) return { connections: [], next: '' };
    const wanted = limit <= 0 ? MOST_LISTED : Math.min(limit, MOST_LISTED);
    const found = await this.#deps.connections.list(caller.workspaceId, cursor, wanted + 1);
    const connections = found.slice(0, wanted);
    return { connections, next: found.length > wanted ? (connections.at(-1)?.id ?? '') : '' };
  }

  /** @throws AppError not_found */
  get(caller: Caller, id: string): Promise<Connection> {
    return this.#find(caller, id);
  }

  /** @throws AppError not_found, forbidden, validation */
  async update(caller: Caller, id: string, wish: ConnectionWish): Promise<Connection> {
    const provider = readProvider((await this.#find(caller, id)).provider);
    refuseLesser(caller);
    const name = wish.name === undefined ? undefined : readName(wish.name);
    const changes = readConfig(wish.configJson, provider);
    const given = readSecrets(wish.secrets, provider);
    await this.#admit(changes['base_url'] ?? undefined);
    const isOther = Object.keys(changes).length > 0 || Object.keys(given).length > 0;
    const change = (now: SealedConnection) => {
      const config = changed(now.config, changes);
      const secrets = { ...this.#open(now), ...given };
      checkWhole(provider, config, secrets);
      refuseMoved(provider, { from: now.config, to: config, given });
      const secretsSet = Object.keys(secrets).toSorted();
      return { name: name ?? now.name, config, secrets: this.#seal(secrets, id), secretsSet, isOther };
    };
    const updated = await this.#deps.connections.update(caller.workspaceId, id, change, this.#deps.now());
    if (updated === undefined) throw noConnection();
    return updated;
  }

  /** Its secrets are gone at once. @throws AppError not_found, forbidden */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.#find(caller, id);
    refuseLesser(caller);
    if (!(await this.#deps.connections.delete(caller.workspaceId, id))) throw noConnection();
  }

  /** @throws AppError not_found, forbidden */
  async test(caller: Caller, id: string): Promise<Connection> {
    const { connections, tryProvider, now } = this.#deps;
    const kept = await this.#find(caller, id);
    refuseLesser(caller);
    const provider = readProvider(kept.provider);
    const tried = await tryProvider(provider, withFallbacks(provider, kept.config), this.#open(kept));
    await connections.noteTest(caller.workspaceId, id, kept.updatedAt, { ...tried, at: now() });
    return this.#find(caller, id);
  }

  /** @throws AppError not_found */
  async open(caller: Caller, id: string): Promise<OpenedConnection> {
    const kept = await this.#find(caller, id);
    const provider = readProvider(kept.provider);
    return { provider: provider.id, config: withFallbacks(provider, kept.config), secrets: this.#open(kept) };
  }

  async #find(caller: Caller, id: string): Promise<SealedConnection> {
    const found = caller.projects.length > 0 ? undefined : await this.#deps.connections.find(caller.workspaceId, id);
    if (found === undefined) throw noConnection();
    return found;
  }

  async #admit(baseUrl: string | undefined): Promise<void> {
    if (baseUrl !== undefined) await this.#deps.admit(baseUrl, 'config.base_url');
  }

  #seal = (secrets: Values, id: string): Buffer => this.#deps.seals.seal(JSON.stringify(secrets), id);

  #open = ({ id, secrets }: SealedConnection): Values => Secrets.parse(JSON.parse(this.#deps.seals.open(secrets, id)));
}

function readProvider(id: string): Provider {
  const provider = providerOf(id);
  if (provider !== undefined) return provider;
  throw fault(['provider'], `expected one of ${PROVIDERS.map((each) => each.id).join(', ')}`);
}

/** A secret goes where it was given for: who may change a connection must not learn its secrets by sending them elsewhere. */
function refuseMoved(
  provider: Provider,
  { from, to, given }: { readonly from: Values; readonly to: Values; readonly given: Values },
): void {
  const originOf = (config: Values) => URL.parse(withFallbacks(provider, config)['base_url'] ?? '')?.origin;
  if (originOf(from) === originOf(to)) return;
  const missing = provider.secrets.find(({ name, required }) => required && given[name] === undefined);
  if (missing !== undefined) throw fault(['secrets', missing.name], 'is needed again where base_url leads elsewhere');
}

function refuseLesser({ scope }: Caller): void {
  if (!reaches(scope, 'admin')) throw new AppError('forbidden', 'connections are changed and tested by admins');
}

/** The same for what is not there, another workspace's and what the key may not see. */
const noConnection = (): AppError => new AppError('not_found', 'there is no such connection');
