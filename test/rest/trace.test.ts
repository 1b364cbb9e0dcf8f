import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../src/log.js';
import { useService } from '../support/service.js';

const lines = new PassThrough();
let logged = '';
lines.on('data', (chunk: Buffer) => {
  logged += chunk.toString();
});
const service = useService({ log: createLog('info', lines) });

/** The line of the log that a request left. */
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

describe('the line of the log that a request leaves', () => {
  it('is left out for probes, unless they are refused', async () => {
    await fetch(`${service.url}/readyz`, { headers: { 'x-request-id': 'good-probe' } });
    await fetch(`${service.url}/readyz`, { method: 'POST', headers: { 'x-request-id': 'wrong-probe' } });
    expect(await lineOf('after-them')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(logged).toContain('"wrong-probe"');
    expect(logged).not.toContain('"good-probe"');
  });

  it('has the trace that the caller is in', async () => {
    expect(await lineOf('one', { traceparent: `00-${traceId}-${span}-01` })).toMatchObject({ traceId });
    expect(await lineOf('later', { traceparent: `01-${traceId}-${span}-01-more` })).toMatchObject({ traceId });
  });

  it.each([
    ['none', undefined],
    ['text', 'a"b'],
    ['zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${traceId.toUpperCase()}-${span}-01`],
    ['the version that is none', `ff-${traceId}-${span}-01`],
  ])('has none where the header has %s', async (name, traceparent) => {
    const line = await lineOf(name.replaceAll(' ', '-'), traceparent === undefined ? {} : { traceparent });
    expect(line).not.toHaveProperty('traceId');
  });
});
