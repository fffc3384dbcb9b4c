import { actedBy, type Caller, events, hasScope, newId } from '@tidemark/contracts';
import type { DestinationSettings } from '@tidemark/contracts/export/v1/destinations';
import { AppError } from '@tidemark/errors';
import { auditEvent, inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import type { ConnectionService } from '../connections/connection-service.ts';
import type { DriverKind } from '../destinations/driver.ts';
import { invalid } from '../domain/connection-values.ts';
import type { Destination } from '../domain/destination.ts';
import { MODEL_KIND } from '../domain/providers/provider.ts';
import type { Sync } from '../domain/sync.ts';
import type { DestinationStore } from '../store/destination-store.ts';
import { cancelQueued } from '../store/sync-store.ts';
import { applySettings } from './destination-settings.ts';

const MAX_DESTINATIONS = 100;
const MAX_PAGE_SIZE = 1_000;

export interface DestinationServiceDeps {
  readonly pool: pg.Pool;
  readonly destinations: DestinationStore;
  readonly connections: Pick<ConnectionService, 'get' | 'providerOf'>;
  readonly kindOf: (kind: string) => DriverKind | undefined;
  /** Queues a sync of the newest run of each project of a destination, after it was resumed. */
  readonly syncNewest: (destination: Destination, requestId: string) => Promise<void>;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

/** A destination with its newest sync. */
export interface ShownDestination {
  readonly destination: Destination;
  readonly lastSync: Sync | undefined;
}

/** Names a destination: without `projectId`, one of the workspace. */
export interface DestinationId {
  readonly id: string;
  readonly projectId?: string | undefined;
}

/** Creates, lists, changes and deletes destinations. */
export class DestinationService {
  readonly #deps: DestinationServiceDeps;

  constructor(deps: DestinationServiceDeps) {
    this.#deps = deps;
  }

  /** @throws AppError validation, forbidden, plan_limit, not_found for an unknown connection */
  async create(
    caller: Caller,
    projectId: string | undefined,
    settings: DestinationSettings,
  ): Promise<ShownDestination> {
    requireAdmin(caller);
    const { destinations } = this.#deps;
    const { workspaceId } = caller;
    if (settings.name === undefined) throw invalid(['name'], 'is required');
    if (settings.connectionId === undefined) throw invalid(['connection_id'], 'is required');
    const kind = await this.#kindOfConnection(caller, settings.connectionId);
    const context = { projectId, connectionId: settings.connectionId, kind };
    const fields = applySettings(undefined, settings, context);
    if ((await destinations.count(workspaceId)) >= MAX_DESTINATIONS)
      throw new AppError(
        'plan_limit',
        `a workspace can have at most ${MAX_DESTINATIONS} destinations; delete one first`,
      );
    const id = newId('dst');
    const entry = this.#entry(caller, 'destination.created', { id, name: fields.name });
    await destinations.create(id, { workspaceId, projectId }, { fields, outgoing: [entry] });
    this.#deps.send([entry]);
    return { destination: await this.find(caller, { id, projectId }), lastSync: undefined };
  }

  /** Returns a page of destinations, newest first. */
  async list(
    caller: Caller,
    projectId: string | undefined,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ) {
    const { destinations } = this.#deps;
    const pageSize = pageSizeOf(limit);
    const found = await destinations.list(caller, projectId, { before: cursor, limit: pageSize + 1 });
    const page = found.slice(0, pageSize);
    const syncs = await destinations.lastSyncs(page.map(({ id }) => id));
    const shown = page.map((destination): ShownDestination => ({ destination, lastSync: syncs.get(destination.id) }));
    return { shown, next: found.length > pageSize ? page.at(-1)?.id : undefined };
  }

  /** @throws AppError not_found */
  async get(caller: Caller, of: DestinationId): Promise<ShownDestination> {
    const destination = await this.find(caller, of);
    const syncs = await this.#deps.destinations.lastSyncs([destination.id]);
    return { destination, lastSync: syncs.get(destination.id) };
  }

  /** Changes a destination. The status active resumes it and syncs the newest runs. @throws AppError not_found, forbidden, validation */
  async update(
    caller: Caller,
    of: DestinationId,
    { settings, requestId }: { readonly settings: DestinationSettings; readonly requestId: string },
  ): Promise<ShownDestination> {
    const { pool, destinations, syncNewest } = this.#deps;
    const current = await this.find(caller, of);
    requireAdmin(caller);
    const connectionId = settings.connectionId ?? current.connectionId;
    const kind = connectionId === undefined ? undefined : await this.#kindOfConnection(caller, connectionId);
    let isResumed = false;
    let entry: OutgoingEvent | undefined;
    const updated = await inTransaction(pool, async (client) => {
      const next = await destinations.update(client, current, (now) => {
        const fields = applySettings(now, settings, { projectId: of.projectId, connectionId, kind });
        const status = statusOf(settings.status, now.status);
        if (status === 'active' && connectionId === undefined)
          throw invalid(['connection_id'], 'is required: the connection of the destination was deleted');
        isResumed = now.status === 'paused' && status === 'active';
        return { ...fields, status, pausedReason: reasonOf(now, status) };
      });
      if (next === undefined) return undefined;
      if (next.status === 'paused') await cancelQueued(client, next.id, 'the destination is paused');
      const fields = Object.entries(settings).flatMap(([field, value]) => (value === undefined ? [] : [field]));
      entry = this.#entry(caller, 'destination.changed', { ...next, fields });
      await writeEvents(client, [entry]);
      return next;
    });
    if (updated === undefined || entry === undefined) throw destinationNotFound();
    this.#deps.send([entry]);
    if (isResumed) await syncNewest(updated, requestId);
    return this.get(caller, of);
  }

  /** Deletes a destination and its syncs; what has been written stays. @throws AppError not_found, forbidden */
  async delete(caller: Caller, of: DestinationId): Promise<void> {
    const destination = await this.find(caller, of);
    requireAdmin(caller);
    const entry = this.#entry(caller, 'destination.deleted', destination);
    const isDeleted = await this.#deps.destinations.delete(caller.workspaceId, destination.id, [entry]);
    if (!isDeleted) throw destinationNotFound();
    this.#deps.send([entry]);
  }

  /** Returns a destination of the workspace that can take the pages of a job. @throws AppError not_found, validation (400) */
  async requireReady(caller: Caller, of: DestinationId): Promise<Destination> {
    const destination = await this.find(caller, of);
    if (destination.status === 'paused') {
      const why = destination.pausedReason === '' ? '' : `: ${destination.pausedReason}`;
      throw refused(`the destination ${destination.name} is paused${why}. Set its status to active first`);
    }
    return destination;
  }

  /** As `requireReady`, for a scrape, a batch or a crawl. @throws AppError not_found, validation (400) */
  async requireReadyForJob(caller: Caller, id: string): Promise<Destination> {
    const destination = await this.requireReady(caller, { id });
    if (destination.dataset === 'changes' || destination.dataset === 'sitemap')
      throw refused(
        `the destination ${destination.name} receives ${destination.dataset}, which only runs of projects have; expected one of pages, markdown or fields`,
      );
    return destination;
  }

  /** @throws AppError not_found */
  async find(caller: Caller, { id, projectId }: DestinationId): Promise<Destination> {
    const found = await this.#deps.destinations.find(caller, id, projectId);
    if (found === undefined) throw destinationNotFound();
    return found;
  }

  /** Returns a page of the syncs of a destination, newest first. @throws AppError not_found */
  async listSyncs(
    caller: Caller,
    of: DestinationId,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ) {
    const { id } = await this.find(caller, of);
    const pageSize = pageSizeOf(limit);
    const found = await this.#deps.destinations.listSyncs(id, cursor, pageSize + 1);
    const syncs = found.slice(0, pageSize);
    return { syncs, next: found.length > pageSize ? syncs.at(-1)?.id : undefined };
  }

  /** @throws AppError not_found */
  async getSync(caller: Caller, id: string): Promise<Sync> {
    const found = await this.#deps.destinations.findSync(caller, id);
    if (found === undefined) throw new AppError('not_found', 'sync not found');
    return found;
  }

  #entry(
    caller: Caller,
    action: string,
    { id, name, fields }: Pick<Destination, 'id' | 'name'> & { readonly fields?: readonly string[] },
  ): OutgoingEvent {
    const detail = fields === undefined ? { name } : { name, fields };
    return auditEvent(events.exportAudited, actedBy(caller), { action, subjectId: id, detail, at: this.#deps.now() });
  }

  /** Returns the kind of the destinations that a connection opens. @throws AppError not_found, validation */
  async #kindOfConnection(caller: Caller, connectionId: string): Promise<DriverKind> {
    const { connections, kindOf } = this.#deps;
    const connection = await connections.get(caller, connectionId);
    const provider = connections.providerOf(connection);
    const kind = kindOf(provider.kind);
    if (provider.kind === MODEL_KIND || kind === undefined)
      throw invalid(['connection_id'], `the connection is to ${provider.title}; expected one to a database or storage`);
    return kind;
  }
}

function requireAdmin(caller: Caller): void {
  if (!hasScope(caller, 'admin')) throw new AppError('forbidden', 'changing destinations needs an admin key');
}

function statusOf(given: string | undefined, now: Destination['status']): Destination['status'] {
  const status = given ?? now;
  if (status !== 'active' && status !== 'paused') throw invalid(['status'], 'expected one of active, paused');
  return status;
}

const reasonOf = (now: Destination, status: Destination['status']): string =>
  status === 'active' ? '' : now.status === 'paused' ? now.pausedReason : 'it was paused by a request';

const pageSizeOf = (limit: number): number => Math.min(Math.max(limit, 1), MAX_PAGE_SIZE);
const refused = (message: string): AppError => new AppError('validation', message, { httpStatus: 400 });
/** The message is the same whether the destination does not exist or the caller may not see it. */
const destinationNotFound = (): AppError => new AppError('not_found', 'destination not found');
