import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics, trace } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { observeMemory } from './memory-guard.ts';
import { observeProcess } from './process-metrics.ts';

let prometheus: PrometheusExporter | undefined;
let sdk: NodeSDK | undefined;

/**
 * Starts OpenTelemetry once per process. Metrics are always available at /metrics. Traces are exported only if the standard
 * `OTEL_*` variables name a collector.
 */
export function startTelemetry(serviceName: string): void {
  if (sdk !== undefined) return;
  const traced = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (traced === undefined) process.env['OTEL_TRACES_EXPORTER'] ??= 'none';
  process.env['OTEL_LOGS_EXPORTER'] ??= 'none';
  prometheus = new PrometheusExporter({ preventServerStart: true });
  // Resource detection would request cloud metadata addresses.
  sdk = new NodeSDK({
    serviceName: process.env['OTEL_SERVICE_NAME'] ?? serviceName,
    autoDetectResources: false,
    instrumentations: [],
    metricReaders: [prometheus],
  });
  sdk.start();
  observeMemory();
  observeProcess();
}

/** Exports buffered spans. Waits at most two seconds, so that an unavailable collector does not delay a shutdown. */
export async function stopTelemetry(): Promise<void> {
  const ending = sdk;
  sdk = undefined;
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
  let histogram: { readonly of: NodeSDK | undefined; readonly value: ReturnType<typeof create> } | undefined;
  return (labels: { service: string; name: string; outcome: string }, startedAtMs: number): void => {
    if (histogram === undefined || histogram.of !== sdk) histogram = { of: sdk, value: create() };
    histogram.value.record((performance.now() - startedAtMs) / 1000, labels);
  };
}
