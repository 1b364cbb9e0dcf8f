import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { createLog } from '#common/log.js';
import { readConfig, type TracingConfig } from '#config/config.js';
import { buildCustomer, type Customer } from '../../hooks/customer.js';
import { type Receiver, startReceiver, status } from '../../hooks/receiver.js';
import { useDatabase } from '../../support/database.js';
import { startTestService } from '../../support/start-service.js';
import { type Collector, startCollector } from '../collector.js';

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

const traceparentsOf = ({ calls }: Receiver) => calls.map(({ headers }) => headers['traceparent']);

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

describe('tracing with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  const traced = () => serve({ endpoint: collector.url, ratio: 1 });

  it('gives each hook call the trace of its own request, even when the records are committed together', async () => {
    const { service, customer } = await traced();
    const { receiver } = await hookOf(customer);
    const traces = Array.from({ length: 20 }, () => newTrace());
    await Promise.all(traces.map(({ traceparent }) => post(service, customer, { traceparent })));
    await receiver.received(traces.length);
    expect(new Set(traceparentsOf(receiver).map((value) => String(value).slice(3, 35)))).toEqual(
      new Set(traces.map(({ traceId }) => traceId)),
    );
  });

  it('starts a trace when the caller has none, and logs its id', async () => {
    const { service, customer } = await traced();
    const { receiver } = await hookOf(customer);
    await post(service, customer, { 'x-request-id': 'untraced-caller' });
    await receiver.received(1);
    const { traceId } = await lineWith('"untraced-caller"');
    expect(traceparentsOf(receiver)).toEqual([expect.stringMatching(`^00-${String(traceId)}-[\\da-f]{16}-01$`)]);
  });

  it('sends no spans of a trace that its caller does not sample', async () => {
    const { service, customer } = await traced();
    const { receiver } = await hookOf(customer);
    const unrecorded = newTrace('00');
    await post(service, customer, { traceparent: unrecorded.traceparent });
    const recorded = newTrace();
    await post(service, customer, { traceparent: recorded.traceparent });
    await receiver.received(2);
    await collector.until((spans) =>
      spans.some(({ name, traceId }) => name === 'call hook' && traceId === recorded.traceId),
    );
    expect(collector.spans.map(({ traceId }) => traceId)).not.toContain(unrecorded.traceId);
    expect(traceparentsOf(receiver)).toContainEqual(
      expect.stringMatching(`^00-${unrecorded.traceId}-[\\da-f]{16}-00$`),
    );
  });

  it('traces the ping of a hook', async () => {
    const { service, customer } = await traced();
    const { receiver, hook } = await hookOf(customer);
    const { traceId, traceparent } = newTrace();
    const answer = await fetch(`${service.url}/ddp/v1${hook.path}/ping`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.token}`, traceparent },
    });
    expect(answer.status).toBe(200);
    expect(traceparentsOf(receiver)).toEqual([expect.stringContaining(traceId)]);
  });
});

describe('unreachable trace collector', () => {
  it('delays neither requests nor shutdown, and is logged once', async () => {
    const away = await startCollector();
    await away.close();
    const { service, customer } = await serve({ endpoint: away.url, ratio: 1 });
    const { receiver } = await hookOf(customer);
    logged = '';
    // A hundred requests fill more than one batch of spans.
    for (let sent = 0; sent < 100; sent++) expect((await post(service, customer)).status).toBe(200);
    await receiver.received(100);
    expect(await lineWith('Traces cannot be sent')).toMatchObject({ level: 'warn' });
    await service.close();
    opened.splice(opened.indexOf(service), 1);
    expect(logged.split('Traces cannot be sent')).toHaveLength(2);
  });
});

describe('tracing without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it("forwards the caller's trace to hooks unchanged, at every attempt", async () => {
    let calls = 0;
    const { service, customer } = await serve(undefined);
    const { receiver, hook } = await hookOf(customer, (response, call) =>
      ++calls === 1 ? status(500)(response, call) : status(200)(response, call),
    );
    const { traceparent } = newTrace();
    await post(service, customer, { traceparent });
    await receiver.received(2);
    expect(traceparentsOf(receiver)).toEqual([traceparent, traceparent]);
    for (;;) {
      const { body } = await customer.call<{ successful?: boolean; id: string }[]>('GET', `${hook.path}/deliveries`);
      const [delivery] = body;
      if (!delivery?.successful) continue;
      const one = await customer.call('GET', `${hook.path}/deliveries/${delivery.id}`);
      expect(one.body).toMatchObject({ request: { headers: { traceparent } } });
      break;
    }
  });

  it("sends no trace without one from the caller, and leaves a hook's own traceparent header alone", async () => {
    const { service, customer } = await serve(undefined);
    const authentication = { header: { name: 'Traceparent', value: 'mine' } };
    const { receiver } = await hookOf(customer);
    const own = await hookOf(customer, undefined, { authentication });
    await post(service, customer);
    await Promise.all([receiver.received(1), own.receiver.received(1)]);
    await post(service, customer, { traceparent: newTrace().traceparent });
    await own.receiver.received(2);
    expect(traceparentsOf(receiver)[0]).toBeUndefined();
    expect(traceparentsOf(own.receiver)).toEqual(['mine', 'mine']);
  });
});
