import { readFileSync } from 'node:fs';
import { VariableType } from '#entities/enums.js';
import type { WorldOptions } from './world.js';

/** The world for the examples of docs/search.md. */
export const exampleWorld: WorldOptions = {
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
};

/** An example of docs/search.md or examples.md. */
export interface Example {
  /** The headings above the example. */
  readonly name: string;
  /** Whether the search succeeds or fails. */
  readonly kind: 'search' | 'search-error';
  /** The number of matching records or the type of the error; empty when the page does not say. */
  readonly expected: string;
  readonly text: string;
}

/** Returns the examples of docs/search.md and of examples.md in order. */
export const allExamples = (): Example[] => ['docs/search.md', 'test/search/examples.md'].flatMap(examplesOfPage);

const examplesOfPage = (path: string): Example[] => {
  const headings: string[] = [];
  const page = readFileSync(path, 'utf8');
  const parts = page.matchAll(/^(#+) ([^\n]+)$|^```json (search|search-error) ?(\S*)\n(.*?)\n```$/gms);
  return [...parts].flatMap(([, marks, heading, kind, expected, text]): Example[] => {
    if (heading !== undefined) {
      headings.splice(marks!.length - 1, headings.length, heading);
      return [];
    }
    const name = headings
      .slice(1)
      .join(' ')
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, '-');
    return [{ name, kind: kind as Example['kind'], expected: expected!, text: text! }];
  });
};
