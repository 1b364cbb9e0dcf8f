import { progress } from './figures.js';
import type { Question } from './search-question.js';
import { documentsOf, type SearchWorld } from './search-world.js';

/** A real search engine that holds the documents of a world. */
export interface Engine {
  ask(question: Question): Promise<void>;
}

const piece = 5000;
const keyword = { type: 'keyword' };
const long = { type: 'long' };
const double = { type: 'double' };
const mappings = {
  dynamic: false,
  properties: {
    ts: { type: 'date' },
    device: { properties: { id: keyword, product: { properties: { id: keyword } } } },
    metadata: { properties: { rssi: long, snr: double, provider: keyword } },
    data: {
      properties: { temperature: double, humidity: long, pressure: double, open: { type: 'boolean' }, status: keyword },
    },
  },
};

/**
 * Loads a world's documents into an engine, and continues where an interrupted run stopped. The index is kept there
 * under the world's name.
 */
export async function openEngine(url: string, world: SearchWorld): Promise<Engine> {
  const index = `ddp-bench-${world.rows}-${world.until}`;
  const call = async (method: string, path: string, body?: string): Promise<unknown> => {
    const response = await fetch(`${url}/${index}${path}`, {
      method,
      headers: { 'content-type': path === '/_bulk' ? 'application/x-ndjson' : 'application/json' },
      ...(body !== undefined && { body }),
    });
    const answer = (await response.json()) as { errors?: boolean };
    if ((!response.ok && response.status !== 404) || answer.errors)
      throw new Error(JSON.stringify(answer).slice(0, 500));
    return answer;
  };
  const count = async () => {
    await call('POST', '/_refresh');
    return ((await call('GET', '/_count')) as { count?: number }).count;
  };
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' };
  let done = await count();
  if (done === undefined) await call('PUT', '', JSON.stringify({ settings, mappings }));
  done ??= 0;
  let lines = '';
  for (const document of done < world.rows ? documentsOf(world, done) : []) {
    lines += `{"index":{}}\n${JSON.stringify(document)}\n`;
    if (++done % piece !== 0 && done < world.rows) continue;
    await call('POST', '/_bulk', lines);
    lines = '';
    progress(done, world.rows);
  }
  const found = await count();
  if (found !== world.rows) throw new Error(`${index} holds ${found} documents instead of ${world.rows}: delete it.`);
  return {
    async ask({ query: { products, query, ...rest } }) {
      const filter = [
        ...(query ? [query] : []),
        ...(products?.length === 1 ? [{ terms: { 'device.product.id': products } }] : []),
      ];
      const body = { ...rest, ...(filter.length > 0 && { query: { bool: { filter } } }) };
      // Turns the request cache off, because cached answers would not show the engine's speed.
      await call('POST', '/_search?request_cache=false', JSON.stringify(body));
    },
  };
}
