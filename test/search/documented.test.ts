import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VariableType } from '../../src/entities/enums.js';
import { useWorld } from './world.js';

const world = useWorld({
  products: {
    probe: [
      { name: 'temperature', type: VariableType.FLOAT32 },
      { name: 'count', type: VariableType.INT64 },
      { name: 'on', type: VariableType.BOOL },
      { name: 'state', type: VariableType.TXT },
    ],
  },
  devices: [
    { serial: '01', name: 'roof', product: 'probe', location: { lat: 48.85, lon: 2.35 } },
    { serial: '02', name: 'cellar', product: 'probe', location: { lat: 43.3, lon: 5.4 } },
  ],
  records: [
    {
      serial: '01',
      ts: Date.UTC(2026, 2, 28, 12) / 1000,
      metadata: { provider: 'lora' },
      data: { temperature: 20.5, count: 1, on: true, state: 'ok' },
    },
    {
      serial: '01',
      ts: Date.UTC(2026, 2, 29, 1) / 1000,
      metadata: { provider: 'lora' },
      data: { temperature: 21.5, count: 2, on: true, state: 'ok' },
    },
    {
      serial: '02',
      ts: Date.UTC(2026, 2, 29, 12) / 1000,
      metadata: { provider: 'wifi' },
      data: { temperature: 22.5, count: 3, state: 'alarm' },
    },
  ],
});

const examples = [
  ...readFileSync('docs/search.md', 'utf8').matchAll(/^```json (search|search-error) ?(\S*)\n(.*?)\n```$/gms),
].map(([, kind, expected, text]) => ({ kind, expected: expected!, text: text! }));

describe('the examples of docs/search.md', () => {
  it.each(examples.filter(({ kind }) => kind === 'search'))('answers $text', async ({ expected, text }) => {
    const answer = await world.ask(JSON.parse(text) as never);
    expect(answer).toMatchObject({ status: 200, timed_out: false });
    if (expected !== '') expect(answer).toMatchObject({ hits: { total: { value: Number(expected), relation: 'eq' } } });
  });

  it.each(examples.filter(({ kind }) => kind === 'search-error'))('refuses $text', async ({ expected, text }) => {
    expect(await world.ask(JSON.parse(text) as never)).toMatchObject({ error: { type: expected } });
  });

  it('are some for every clause and aggregation', () => {
    expect(examples.length).toBeGreaterThan(60);
  });
});
