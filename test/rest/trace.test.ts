import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import { useService } from '../support/service.js';

const lines = new PassThrough();
let logged = '';
lines.on('data', (chunk: Buffer) => {
  logged += chunk.toString();
});
const service = useService({ log: createLog('info', lines) });

/** Sends a request and returns its line of the log. */
async function lineOf(requestId: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  await fetch(`${service.url}/ddp/v1/account`, { headers: { ...headers, 'x-request-id': requestId } });
  for (;;) {
    const line = logged.split('\n').find((each) => each.includes(`"${requestId}"`) && each.endsWith('}'));
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
    await once(lines, 'data');
  }
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('request log line', () => {
  it('exists for refused probes, and not for successful ones', async () => {
    await fetch(`${service.url}/readyz`, { headers: { 'x-request-id': 'good-probe' } });
    await fetch(`${service.url}/readyz`, { method: 'POST', headers: { 'x-request-id': 'wrong-probe' } });
    expect(await lineOf('after-them')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(logged).toContain('"wrong-probe"');
    expect(logged).not.toContain('"good-probe"');
  });

  it("contains the trace id of the caller's traceparent header", async () => {
    expect(await lineOf('one', { traceparent: `00-${traceId}-${span}-01` })).toMatchObject({ traceId });
    expect(await lineOf('later', { traceparent: `01-${traceId}-${span}-01-more` })).toMatchObject({ traceId });
  });

  it.each([
    ['no value', undefined],
    ['plain text', 'a"b'],
    ['zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${traceId.toUpperCase()}-${span}-01`],
    ['an invalid version', `ff-${traceId}-${span}-01`],
  ])('contains no trace id for a traceparent with %s', async (name, traceparent) => {
    const line = await lineOf(name.replaceAll(' ', '-'), traceparent === undefined ? {} : { traceparent });
    expect(line).not.toHaveProperty('traceId');
  });
});
