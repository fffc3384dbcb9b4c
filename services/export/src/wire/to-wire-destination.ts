import type { Destination as WireDestination } from '@tidemark/contracts/export/v1/destinations';
import type { Destination } from '../domain/destination.ts';
import type { Sync } from '../domain/sync.ts';
import { toWireSync } from './to-wire-sync.ts';

export const toWireDestination = (destination: Destination, lastSync: Sync | undefined): WireDestination => ({
  id: destination.id,
  projectId: destination.projectId,
  connectionId: destination.connectionId,

  provider: destination.provider,
  name: destination.name,
  scope: destination.scope,

  projects: [...destination.projects],
  dataset: destination.dataset,
  mode: destination.mode,

  table: destination.table,
  path: destination.path,
  format: destination.format,

  compression: destination.compression,
  columns: [...destination.columns],
  shapeJson: destination.shape === undefined ? undefined : JSON.stringify(destination.shape),

  automatic: destination.automatic,
  freeze: destination.freeze,
  status: destination.status,
  pausedReason: destination.pausedReason,

  createdAt: destination.createdAt,
  updatedAt: destination.updatedAt,
  lastSync: lastSync === undefined ? undefined : toWireSync(lastSync),
});
