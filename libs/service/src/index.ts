export { type AuditedAction, auditEvent } from './audit-event.ts';
export type { CallContext } from './auth/call-context.ts';
export { type CallGuard, CLOCK_SKEW_SECONDS, makeCallGuard } from './auth/call-guard.ts';
export { credentialFor, type FleetAccess, fleetAccess, LIFETIME_SECONDS } from './auth/fleet-access.ts';
export { parseNamedCallers } from './auth/named-callers.ts';
export { REST_CREDENTIAL_HEADER, restCredentialFor, serviceOfRestRequest } from './auth/rest-credential.ts';
export { parseSharedKeys, type SharedKeys } from './auth/shared-keys.ts';
export type { TlsSettings } from './auth/tls.ts';
export { Bus } from './bus.ts';
export { CachedValue } from './cached-value.ts';
export { Coalescer } from './coalesce.ts';
export { type ConfigOf, type ConfigShape, parseListen, readConfig } from './config.ts';
export {
  type App,
  defineService,
  run,
  type ServiceDefinition,
  type StartedService,
  start,
} from './define-service.ts';
export { deleteWorkspaceRows } from './delete-workspace-rows.ts';
export type { ReceivedEvent } from './event-consumer.ts';
export { FairQueue, type FairQueueOptions } from './fair-queue.ts';
export { type CallOptions, dial, type Peer } from './grpc-client.ts';
export { type BoundMethod, callerOf, type HandlerContext, handle, handleStream } from './grpc-server.ts';
export { failedChecks, type ReadyCheck } from './health.ts';
export { counter, durations, type GaugeValue, observeGauge, observeTotal } from './instruments.ts';
export { createLogger, type Logger } from './logger.ts';
export { MemoryGuard, memoryGuard } from './memory-guard.ts';
export type { MemoryReading } from './memory-reading.ts';
export { type NatsAddress, natsAddress } from './nats-address.ts';
export { Outbox } from './outbox.ts';
export { insertEvents, type OutboxColumns, outboxColumns, outboxRows, writeEvents } from './outbox-rows.ts';
export { type OutgoingEvent, outgoingEvent } from './outgoing-event.ts';
export { PeriodicTask, repeatUntilDone } from './periodic-task.ts';
export {
  beginTransaction,
  inTransaction,
  isDatabaseUnavailable,
  openPool,
  pingDatabase,
  prismaAdapter,
  retryWhileDatabaseUnavailable,
  type Transaction,
} from './postgres.ts';
export {
  observeCount,
  observeQueueDepths,
  redMetrics,
  serveMetrics,
  startTelemetry,
  stopTelemetry,
  tracer,
} from './telemetry.ts';
export { currentTrace, inTrace } from './trace-context.ts';
export { type StoppedWorkspace, WorkspaceStates, type WorkspaceStatesDeps } from './workspace-states.ts';
