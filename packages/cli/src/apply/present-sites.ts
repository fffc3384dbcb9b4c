import type { Destination, Tidemark } from '@tidemark/sdk';
import type { PresentConnection, PresentDestination, PresentProject } from './sites.ts';

const AT_ONCE = 1_000;

/** Reads the projects whose references belong to a set, with their own destinations. */
export async function presentProjects(client: Tidemark, set: string, signal: AbortSignal): Promise<PresentProject[]> {
  const found: PresentProject[] = [];
  for await (const { id, reference } of client.list('GET /projects', { query: { limit: AT_ONCE }, signal })) {
    if (reference === null || !reference.startsWith(`${set}/`)) continue;
    const { seed, name, tags, schedule, timezone, retention, config } = await client.projects.of(id).get({ signal });
    const destinations = await ownDestinations(client, id, signal);
    found.push({ id, reference, seed, name, tags, schedule, timezone, retention, config, destinations });
  }
  return found;
}

async function ownDestinations(client: Tidemark, id: string, signal: AbortSignal): Promise<PresentDestination[]> {
  const found: PresentDestination[] = [];
  const list = client.list('GET /projects/{id}/destinations', { path: { id }, query: { limit: AT_ONCE }, signal });
  for await (const destination of list) if (destination.projectId === id) found.push(toPresent(destination));
  return found;
}

const toPresent = (destination: Destination): PresentDestination => {
  const { id, name, connectionId, dataset, mode, table, path, format, compression, columns, shape } = destination;
  const { automatic, freeze } = destination;
  return {
    id,
    name,
    connectionId,
    settings: { dataset, mode, table, path, format, compression, columns, shape, automatic, freeze },
  };
};

export async function presentConnections(client: Tidemark, signal: AbortSignal): Promise<PresentConnection[]> {
  const found: PresentConnection[] = [];
  for await (const { id, name } of client.list('GET /connections', { query: { limit: AT_ONCE }, signal }))
    found.push({ id, name });
  return found;
}
