import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { redMetrics, tracer } from '@tidemark/service';
import type { RequestHandler } from 'express';
import { requestIdOf } from './request-id.ts';

const observe = redMetrics('http_server');

/** Starts a span, or continues the trace of the client, and records rate, errors and duration by route. */
export const observeRequests: RequestHandler = (request, response, next) => {
  const startedAtMs = performance.now();
  const parent = propagation.extract(context.active(), request.headers);
  const span = tracer.startSpan(
    request.method,
    {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': request.method, 'tidemark.request_id': requestIdOf(response) },
    },
    parent,
  );
  response.on('close', () => {
    const route: unknown = response.locals['route'];
    const name = typeof route === 'string' ? route : 'unknown';
    const recorded: unknown = response.locals['outcome'];
    const outcome = typeof recorded === 'string' ? recorded : response.writableFinished ? 'ok' : 'gone';
    span.updateName(name);
    span.setAttributes({ 'http.route': name, 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    span.end();
    observe({ service: 'gateway', name, outcome }, startedAtMs);
  });
  context.with(trace.setSpan(parent, span), next);
};
