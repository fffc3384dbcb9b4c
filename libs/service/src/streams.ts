import {
  DiscardPolicy,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { DEAD_STREAM, EVENT_STREAM, WORK_STREAM } from '@tidemark/contracts';

export const NANOS_PER_SECOND = 1_000_000_000;

/** Creates or updates the streams. Idempotent; called again after the server lost its disk. */
export async function ensureStreams(connection: NatsConnection): Promise<JetStreamManager> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  for (const stream of [EVENT_STREAM, DEAD_STREAM, WORK_STREAM]) {
    const config = {
      name: stream.name,
      subjects: [...stream.subjects],
      retention: stream === WORK_STREAM ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_age: stream.maxAgeHours * 3600 * NANOS_PER_SECOND,
      max_bytes: stream.maxBytes,
      duplicate_window: 120 * NANOS_PER_SECOND,
    };
    await manager.streams.add(config).catch(() => manager.streams.update(stream.name, config));
  }
  return manager;
}
