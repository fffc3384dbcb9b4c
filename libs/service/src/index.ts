export { Bus, type OutgoingEvent as Outgoing, outgoingEvent as outgoing } from './bus.ts';
export { CachedValue } from './cached-value.ts';
export { Coalescer } from './coalesce.ts';
export { type ConfigOf, type ConfigShape, parseListen, readConfig } from './config.ts';
export {
  type App,
  defineService,
  type RunningService as Running,
  run,
  type ServiceDefinition,
  start,
} from './define-service.ts';
export type { ReceivedEvent as Delivered } from './event-consumer.ts';
export { type CallOptions, dial, type Peer } from './grpc-client.ts';
export type { CallContext } from './grpc-metadata.ts';
export { type BoundMethod, callerOf, type HandlerContext, handle } from './grpc-server.ts';
export { notReady, type ReadyCheck } from './health.ts';
export { createLogger, type Logger } from './logger.ts';
export { Outbox } from './outbox.ts';
export { outboxColumns, writeEvents as writeFacts } from './outbox-rows.ts';
export { PeriodicTask as Rounds, repeatUntilDone as inPieces } from './periodic-task.ts';
export {
  inTransaction,
  isDatabaseUnavailable as isDatabaseAway,
  openPool,
  pingDatabase,
  prismaAdapter,
  retryWhileDatabaseUnavailable as whileDatabaseAway,
} from './postgres.ts';
export {
  observeQueueDepths as observeLanes,
  redMetrics,
  serveMetrics,
  startTelemetry,
  stopTelemetry,
  tracer,
} from './telemetry.ts';
export { currentTrace, inTrace } from './trace-context.ts';
