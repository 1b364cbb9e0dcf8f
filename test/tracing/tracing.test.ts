import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { createLog } from '#common/log.js';
import { readConfig, type TracingConfig } from '#config/config.js';
import { buildCustomer, type Customer } from '../hooks/customer.js';
import { startReceiver } from '../hooks/receiver.js';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';
import { type Collector, startCollector } from './collector.js';

const database = useDatabase();
const lines = new PassThrough().setEncoding('utf8');
let logged = '';
lines.on('data', (text: string) => {
  logged += text;
});

let collector: Collector;
const opened: { close(): Promise<void> }[] = [];

/** Starts a service with or without tracing, which retries hooks at once. */
async function serve(tracing: TracingConfig | undefined): Promise<{ service: Service; customer: Customer }> {
  const hooks = { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [1, 1] };
  const log = createLog('info', lines);
  const service = await startTestService(database.url, { log, config: { hooks, tracing } });
  opened.push(service);
  return { service, customer: await buildCustomer({ url: service.url, databaseUrl: database.url }) };
}

/** Creates a hook of the customer with its receiver. */
async function hookOf(customer: Customer, behaviour?: Parameters<typeof startReceiver>[0], values = {}) {
  const receiver = await startReceiver(behaviour);
  opened.push(receiver);
  return { receiver, hook: await customer.hook({ url: receiver.url('/secret-path'), ...values }) };
}

/** Creates the trace of a caller. */
const newTrace = (flags = '01') => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
};

const post = (service: Service, { organizationId, token, serial }: Customer, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/ddp/v1/organizations/${organizationId}/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ serial, data: { n: 1 } }),
  });

/** Returns the log line that contains the text. */
async function lineWith(text: string): Promise<Record<string, unknown>> {
  for (;;) {
    const line = logged.split('\n').find((each) => each.includes(text) && each.endsWith('}'));
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
    await once(lines, 'data');
  }
}

beforeAll(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});
afterAll(() => collector.close());

describe('trace of a request with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  const traced = () => serve({ endpoint: collector.url, ratio: 1 });

  it("contains the caller's request, its SQL statements and the hook call", async () => {
    const { service, customer } = await traced();
    const { receiver } = await hookOf(customer);
    const { traceId, spanId, traceparent } = newTrace();
    expect((await post(service, customer, { traceparent, 'x-request-id': 'traced' })).status).toBe(200);
    const [call] = await receiver.received(1);

    const own = () => collector.spans.filter((span) => span.traceId === traceId);
    await collector.until(() => own().some(({ name }) => name === 'call hook') && own().some(({ kind }) => kind === 2));
    const request = own().find(({ kind }) => kind === 2)!;
    expect(request).toMatchObject({
      name: 'POST /ddp/v1/organizations/:organizationId/records',
      parentSpanId: spanId,
      attributes: { 'http.response.status_code': 200, 'ddp.request.id': 'traced' },
    });
    const hookCall = own().find(({ name }) => name === 'call hook')!;
    expect(hookCall.parentSpanId).toBe(request.spanId);
    expect(hookCall.attributes).toMatchObject({
      'ddp.delivery.id': call!.headers['x-service-delivery-id'],
      'ddp.attempt': 1,
      'http.response.status_code': 200,
    });
    expect(call!.headers['traceparent']).toBe(`00-${traceId}-${hookCall.spanId}-01`);

    const group = own().find(({ name }) => name === 'store records')!;
    expect(group.parentSpanId).toBe(request.spanId);
    const texts = own()
      .filter(({ parentSpanId }) => parentSpanId === group.spanId)
      .map(({ attributes }) => String(attributes['db.query.text']).trim());
    expect(texts).toEqual(
      expect.arrayContaining([
        'begin',
        'commit',
        expect.stringMatching(/^copy record /),
        expect.stringMatching(/^insert into delivery /),
      ]),
    );
    expect(JSON.stringify(collector.spans)).not.toMatch(new RegExp(`${customer.token}|secret-path`));
    expect(await lineWith('"traced"')).toMatchObject({ traceId });
  });
});
