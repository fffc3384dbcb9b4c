import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One exported span. */
export interface Span {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<Span, 'service'>[] }[];
  }[];
}

/** Starts a collector that keeps the spans it receives over OTLP as JSON. */
export async function startTraceSink() {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const exported: Exported = JSON.parse(text);
    for (const { resource, scopeSpans } of exported.resourceSpans ?? []) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push({ ...span, service });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    /** Environment that exports traces here every 200 ms. */
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
    ofTrace: (traceId: string): readonly Span[] => spans.filter((span) => span.traceId === traceId),
    close: () => void server.closeAllConnections(),
  };
}
