import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '#common/log.js';
import type { TracingConfig } from '#config/config.js';
import { traceparentOf } from '#http/request-id.js';
import { loggedStatus, probePaths, routeOf } from '#http/request-log.js';
import { buildVersion } from '#runtime/version.js';
import type { Tracing } from './tracing.js';

const name = 'device-data-platform';
/** Maximum number of spans that wait to be sent. Further ones are dropped. */
const maxWaiting = 8192;
/**
 * Maximum time of a request to the collector, and maximum wait for the last spans when the process ends, in
 * milliseconds.
 */
const exportTimeout = 2000;
/** Maximum number of characters of a statement in its span. */
const maxStatement = 2000;
/** Maximum number of requests that a group's span links to. */
const maxLinks = 100;

/**
 * Creates tracing with OpenTelemetry, sent by OTLP over HTTP. It registers nothing globally, so several services in one
 * process stay separate.
 */
export function createTracing({ endpoint, ratio }: TracingConfig, log: Log): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeout });
  const processor = new BatchSpanProcessor({
    exporter: reportFailures(exporter, log),
    maxQueueSize: maxWaiting,
    exportTimeoutMillis: 2 * exportTimeout,
  });
  const provider = new TracerProvider({
    resource: resourceOfProcess(),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer(name, buildVersion);
  /** Span in progress: set while a request is handled or a group of calls is stored. */
  const current = new AsyncLocalStorage<Context>();
  const begin = (title: string, options: SpanOptions, parent: Context) => tracer.startSpan(title, options, parent);

  return {
    requests(request, response, next) {
      const { method, path } = request;
      if (probePaths.has(path)) return next();
      const parent = contextOf(traceparentOf(request));
      const span = begin(method, { kind: SpanKind.SERVER }, parent);
      span.setAttributes({
        'http.request.method': method,
        'url.path': path,
        'ddp.request.id': String(response.getHeader('X-Request-Id')),
      });
      response.locals['traceparent'] = textOf(span.spanContext());
      response.once('close', () => {
        const route = routeOf(request);
        const status = loggedStatus(response);
        span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        if (status === 'aborted') span.setAttribute('error.type', status);
        else span.setAttribute('http.response.status_code', status);
        end(span, status !== 'aborted' && status >= 500);
      });
      current.run(trace.setSpan(parent, span), next);
    },

    statement(text) {
      const parent = current.getStore();
      // Work that continues after a request has ended is not part of it, such as a loop that it woke.
      if (parent === undefined || !trace.getSpan(parent)?.isRecording()) return undefined;
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, maxStatement) };
      const [operation = 'statement'] = /[a-z]+/i.exec(text) ?? [];
      const span = begin(operation.toLowerCase(), { kind: SpanKind.CLIENT, attributes }, parent);
      return (error) => {
        // The error's message may contain values.
        if (error) span.setAttribute('db.response.status_code', (error as { code?: string }).code ?? error.name);
        end(span, error !== undefined);
      };
    },

    async group(traceparents, work) {
      const contexts = traceparents.map(contextOf);
      const parent = contexts[0] ?? ROOT_CONTEXT;
      if (traceparents.length === 0) return current.run(parent, work);
      const links = contexts.slice(1, maxLinks + 1).map((of) => ({ context: trace.getSpanContext(of)! }));
      const span = begin('store records', { links }, parent);
      try {
        const result = await current.run(trace.setSpan(parent, span), work);
        end(span, false);
        return result;
      } catch (error) {
        end(span, true);
        throw error;
      }
    },

    call({ id, hookId, organizationId, event, attemptsMade, traceparent }, { origin }) {
      const attributes = {
        'ddp.delivery.id': id,
        'ddp.hook.id': hookId,
        'ddp.organization.id': organizationId,
        'ddp.event': event,
        'ddp.attempt': attemptsMade + 1,
        'http.request.method': 'POST',
        'server.address': new URL(origin).hostname,
      };
      const span = begin('call hook', { kind: SpanKind.CLIENT, attributes }, contextOf(traceparent ?? undefined));
      return {
        traceparent: textOf(span.spanContext()),
        end({ answer, fault }) {
          if (answer) span.setAttribute('http.response.status_code', answer.statusCode);
          else span.setAttribute('error.type', fault?.code ?? 'cut off');
          end(span, answer === undefined || answer.statusCode >= 400);
        },
      };
    },

    async close() {
      const over = new AbortController();
      const late = delay(exportTimeout, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      over.abort();
    },
  };
}

/**
 * Returns the attributes that identify this process. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override the
 * defaults.
 */
const resourceOfProcess = () =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': name, 'service.version': buildVersion }))
    .merge(
      detectResources({
        detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector],
      }),
    );

/** Ends a span. Attributes tell errors apart; the status has no message, which could contain a tenant's values. */
function end(span: Span, failed: boolean): void {
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Returns the context of a valid `traceparent` of version 00 (W3C Trace Context, section 3.2). */
function contextOf(traceparent: string | undefined): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = traceparent.split('-') as [string, string, string, string];
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

const textOf = ({ traceId, spanId, traceFlags }: SpanContext): string => `00-${traceId}-${spanId}-0${traceFlags & 1}`;

/**
 * Wraps an exporter so that it logs once when the collector becomes unreachable, and once when it is reachable again.
 */
function reportFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !failing) log.warn({ err: result.error }, 'Traces cannot be sent, and are dropped');
        if (!failed && failing) log.info('Traces are sent again');
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
