import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlainJson } from '../../../src/json.js';
import { parseJson } from '../../../src/json-reader.js';
import { useWorld } from '../world.js';
import { BodyGrammar } from './body.js';
import { differences, type Plain, sortKeys } from './compare.js';
import { Dice } from './dice.js';
import { devices, mapping, record, variables } from './document.js';
import { connect, type Engine, unanswered } from './engine.js';
import { mutated } from './mutate.js';
import { type Ask, hasTwoFaults, shrunk, signature } from './shrink.js';

const url = process.env['OPENSEARCH_URL'];
const cases = Number(process.env['ORACLE_CASES'] ?? 5000);
const seed = Number(process.env['ORACLE_SEED'] ?? 1);
/** The part of bodies that have something wrong. */
const wrong = Number(process.env['ORACLE_WRONG'] ?? 0.2);
/** The run ends where so many kinds of difference were found. */
const kinds = Number(process.env['ORACLE_KINDS'] ?? 30);
const dice = new Dice(seed);
const records = Array.from({ length: 300 }, (_, index) => record(dice, index));
const index = `/oracle-${process.pid}`;
const batch = 100;

const world = useWorld({ products: { probe: variables }, devices, records, timeoutMs: 60_000 });

/** Every other call goes through the door that engines' clients use, where all is in milliseconds. */
const ask = async (bodies: readonly Plain[], millis: boolean): Promise<Plain[]> => {
  if (!millis) {
    const queries = bodies.map((body) => ({ products: [], ...body }) as unknown as PlainJson);
    return (await world.askAll(queries)).responses as unknown as Plain[];
  }
  const lines = parseJson(JSON.stringify(bodies.flatMap((body) => [{}, body])));
  const { organizationId, applicationId } = world;
  const { responses } = await world.search.prepareMulti(lines)({ organizationId, applicationId });
  return responses as unknown as Plain[];
};

/** The next page of what a body asked for, where its answer has a cursor. */
const nextPage = (body: Plain, answer: Plain): Plain | undefined => {
  const hits = (answer['hits'] as { hits: { sort?: unknown[] }[] } | undefined)?.hits ?? [];
  const sort = hits.at(-1)?.sort;
  const isByStoring = JSON.stringify(body['sort'] ?? '').includes('_doc');
  // The engine does not take its own cursor past booleans that are missing, nor past the dates of a field that nothing
  // has (argued in docs/search.md).
  const isUnread = /"unmapped_type":"(?:boolean|date)"/.test(JSON.stringify(body['sort'] ?? ''));
  const isAtMissing = sortKeys(body['sort']).some(
    (key, at) => (key === 'data.on' || (key === 'nope' && isUnread)) && typeof sort?.[at] === 'string',
  );
  if (sort !== undefined && !isByStoring && !isAtMissing && body['from'] === undefined)
    return { ...body, search_after: sort };
  for (const key of ['aggs', 'aggregations']) {
    for (const [name, asked] of Object.entries((body[key] ?? {}) as Plain)) {
      const after = ((answer['aggregations'] as Plain | undefined)?.[name] as Plain | undefined)?.['after_key'];
      const options = (asked as Plain | null)?.['composite'] as Plain | undefined;
      if (after !== undefined && options !== undefined)
        return { ...body, [key]: { [name]: { ...(asked as Plain), composite: { ...options, after } } } };
    }
  }
  return undefined;
};

(url === undefined ? describe.skip : describe)('OpenSearch and we', () => {
  let engine: Engine;
  let grammar: BodyGrammar;

  beforeAll(async () => {
    engine = connect(url!);
    const all = { size: 1000, sort: [{ _doc: 'asc' }] };
    const [stored] = await ask([all], true);
    const hits = (stored!['hits'] as { hits: { _id: string; _source: Plain }[] }).hits;
    await engine.send('PUT', index, JSON.stringify(mapping));
    // Ours say which device a record is of; all else is what was made, so that a fault in storing shows.
    const lines = hits.flatMap(({ _id, _source }) => {
      const { ts, metadata, data } = records[(_source['metadata'] as { number: number }).number]!;
      return [{ index: { _id } }, { ts: Math.round(ts * 1000), metadata, data, device: _source['device'] }];
    });
    const answer = await engine.send(
      'POST',
      `${index}/_bulk?refresh=true`,
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    expect(answer).toMatchObject({ errors: false });
    grammar = new BodyGrammar(
      dice,
      hits.slice(0, 20).map(({ _id }) => _id),
    );
  }, 60_000);
  afterAll(async () => {
    await engine.send('DELETE', index);
    await engine.close();
  });

  const compare =
    (millis: boolean): Ask =>
    async (bodies) => {
      const [mine, other] = await Promise.all([
        ask(bodies, millis),
        Promise.all(
          bodies.map((body) => engine.send('POST', `${index}/_search`, JSON.stringify(millis ? body : inMillis(body)))),
        ),
      ]);
      return bodies.map((body, at) => {
        const [ours, theirs] = [mine[at]!, millis ? other[at]! : inSeconds(body, other[at]!)];
        return { body, ours, theirs, different: other[at] === unanswered ? [] : differences(body, ours, theirs) };
      });
    };

  it(`give the same answers to ${cases} bodies from seed ${seed}`, async () => {
    const found = new Map<string, string>();
    let asked = 0;
    for (let round = 0; asked < cases && found.size < kinds; round += 1) {
      const both = compare(round % 2 === 1);
      let bodies = Array.from({ length: Math.min(batch, cases - asked) }, () => grammar.body()).map((body) =>
        dice.chance(wrong) ? mutated(dice, body) : body,
      );
      for (let page = 0; page < 3 && bodies.length > 0; page += 1) {
        const compared = await both(bodies);
        asked += bodies.length;
        for (const one of compared) {
          if (one.different.length === 0 || found.has(signature(one)) || (await hasTwoFaults(one, both))) continue;
          const small = await shrunk(one, both);
          if (await hasTwoFaults(small, both)) continue;
          const { body, different } = small;
          found.set(signature(one), `${JSON.stringify(body)}\n  ${different.slice(0, 3).join('\n  ')}`);
        }
        bodies = compared.flatMap((one) => {
          const next = one.different.length > 0 ? undefined : nextPage(one.body, one.ours);
          return next === undefined ? [] : [next];
        });
      }
    }
    expect([...found.values()].join('\n')).toBe('');
  }, 3_600_000);
});

/** A body with the cursor's moments in milliseconds, where ours has seconds. */
const inMillis = (body: Plain): Plain => {
  const cursor = body['search_after'];
  if (!Array.isArray(cursor)) return body;
  const keys = sortKeys(body['sort']);
  return {
    ...body,
    search_after: cursor.map((value: unknown, at) =>
      keys[at] === 'ts' && typeof value === 'number' ? value * 1000 : value,
    ),
  };
};

/** An answer with the moments of hits in seconds: `_source.ts`, and the sort values of `ts`. */
const inSeconds = (body: Plain, answer: Plain): Plain => {
  const walk = (value: unknown, asked: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, asked));
    if (value === null || typeof value !== 'object') return value;
    const plain = value as Plain;
    if (typeof plain['_id'] === 'string') return hitInSeconds(plain, sortKeys((asked as Plain | undefined)?.['sort']));
    return Object.fromEntries(
      Object.entries(plain).map(([key, inner]) => [key, walk(inner, definitionOf(asked, key) ?? asked)]),
    );
  };
  return walk(answer, body) as Plain;
};

/** What was asked by a name inside what was asked around it. */
const definitionOf = (asked: unknown, name: string): unknown => {
  const around = asked as Plain | undefined;
  const own = ((around?.['aggs'] ?? around?.['aggregations']) as Plain | undefined)?.[name] as Plain | undefined;
  return own?.['top_hits'] ?? own;
};

const hitInSeconds = (hit: Plain, keys: readonly string[]): Plain => {
  const source = hit['_source'] as Plain | undefined;
  const sort = hit['sort'] as unknown[] | undefined;
  const seconds = (value: unknown) => (typeof value === 'number' ? value / 1000 : value);
  return {
    ...hit,
    ...(source?.['ts'] !== undefined && { _source: { ...source, ts: seconds(source['ts']) } }),
    ...(sort && { sort: sort.map((value, index) => (keys[index] === 'ts' ? seconds(value) : value)) }),
  };
};
