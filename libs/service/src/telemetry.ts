import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics, trace } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { observeMemory } from './memory-guard.ts';
import { observeProcess } from './process-metrics.ts';

let prometheus: PrometheusExporter | undefined;
/** What has been started: the SDK, or metrics alone. */
interface Telemetry {
  shutdown(): Promise<void>;
}
let started: Telemetry | undefined;
let starting: Promise<void> | undefined;

/** Variables of OpenTelemetry, each of which requires the export of traces. */
const COLLECTORS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

function exportsTraces(env: NodeJS.ProcessEnv): boolean {
  const exporter = env['OTEL_TRACES_EXPORTER'];
  return exporter === undefined ? COLLECTORS.some((name) => env[name] !== undefined) : exporter !== 'none';
}

/**
 * Starts OpenTelemetry once per process. Metrics are always available at /metrics. Traces are exported only if the standard
 * `OTEL_*` variables name a collector; without one no span is created and no trace context is passed on.
 */
export function startTelemetry(serviceName: string): Promise<void> {
  starting ??= startOnce(serviceName);
  return starting;
}

async function startOnce(serviceName: string): Promise<void> {
  prometheus = new PrometheusExporter({ preventServerStart: true });
  started = exportsTraces(process.env) ? await startSdk(serviceName, prometheus) : startMetrics(prometheus);
  observeMemory();
  observeProcess();
}

/** The SDK with all its exporters takes 15 MB per process and is loaded only where it is needed. */
async function startSdk(serviceName: string, reader: PrometheusExporter): Promise<Telemetry> {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  process.env['OTEL_LOGS_EXPORTER'] ??= 'none';
  // Resource detection would request cloud metadata addresses.
  const sdk = new NodeSDK({
    serviceName: process.env['OTEL_SERVICE_NAME'] ?? serviceName,
    autoDetectResources: false,
    instrumentations: [],
    metricReaders: [reader],
  });
  sdk.start();
  return sdk;
}

function startMetrics(reader: PrometheusExporter): Telemetry {
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  return provider;
}

/** Exports buffered spans. Waits at most two seconds, so that an unavailable collector does not delay a shutdown. */
export async function stopTelemetry(): Promise<void> {
  const ending = started;
  started = undefined;
  starting = undefined;
  if (ending === undefined) return;
  await Promise.race([ending.shutdown().catch(() => undefined), sleep(2_000, undefined, { ref: false })]);
  // Without this, a later start in the same process would keep the stopped provider registered.
  metrics.disable();
}

/** Responds to a Prometheus scrape with every metric of the process. */
export const serveMetrics: RequestListener = (request, response) => {
  if (prometheus === undefined) response.writeHead(503).end('metrics are not started\n');
  else prometheus.getMetricsRequestHandler(request, response);
};

export const tracer = trace.getTracer('tidemark');

/** Registers the gauge `tidemark_queue_depth`: waiting items per queue. A queue whose depth can not be read is omitted. */
export function observeQueueDepths(
  service: string,
  queues: Readonly<Record<string, () => number | Promise<number>>>,
): void {
  const gauge = metrics.getMeter('tidemark').createObservableGauge('tidemark_queue_depth');
  gauge.addCallback(async (result) => {
    const depths = Object.entries(queues).map(async ([queue, depth]) =>
      result.observe(await depth(), { service, queue }),
    );
    await Promise.allSettled(depths);
  });
}

/** Registers a gauge whose value is read at each scrape. A value that can not be read is omitted. */
export function observeCount(name: string, read: () => number | Promise<number>): void {
  const gauge = metrics.getMeter('tidemark').createObservableGauge(name);
  gauge.addCallback(async (result) => {
    const [value] = await Promise.allSettled([read()]);
    if (value.status === 'fulfilled') result.observe(value.value);
  });
}

/** Returns a function that records rate, errors and duration (RED) by service, name and outcome. */
export function redMetrics(kind: 'rpc_server' | 'http_server' | 'bus_consumer' | 'delivery_attempt') {
  // Created at the first use after a start: a meter created before the SDK starts would stay a no-op.
  const create = () =>
    metrics.getMeter('tidemark').createHistogram(`tidemark_${kind}_duration_seconds`, {
      unit: 's',
      advice: { explicitBucketBoundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] },
    });
  let histogram: { readonly of: Telemetry | undefined; readonly value: ReturnType<typeof create> } | undefined;
  return (labels: { service: string; name: string; outcome: string }, startedAtMs: number): void => {
    if (histogram === undefined || histogram.of !== started) histogram = { of: started, value: create() };
    histogram.value.record((performance.now() - startedAtMs) / 1000, labels);
  };
}
