import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PlainJson } from '#json/json.js';
import { parseJson } from '#json/reader.js';
import { describeIf } from '../../support/conditional.js';
import { useWorld } from '../world.js';
import { isArguedBody } from './argued.js';
import { BodyGrammar } from './body.js';
import { differences } from './compare.js';
import { Dice } from './dice.js';
import { devices, mapping, record, variables } from './document.js';
import { connect, type Engine, unanswered } from './engine.js';
import { inMillis, inSeconds } from './moment.js';
import { mutated } from './mutate.js';
import type { Plain } from './plain.js';
import { run } from './run.js';
import { withoutSelectors, withSelectors } from './selector.js';
import type { Ask } from './shrink.js';

const url = process.env['OPENSEARCH_URL'];
const seed = Number(process.env['ORACLE_SEED'] ?? 1);
/** Share of the queries that the test makes invalid. */
const wrong = Number(process.env['ORACLE_WRONG'] ?? 0.2);
/** A file with one query per line, such as the output of an earlier run, to use instead of random queries. */
const given = process.env['ORACLE_BODIES'];
const bodies = given === undefined ? undefined : linesOf(given);
const cases = bodies?.length ?? Number(process.env['ORACLE_CASES'] ?? 300);
const dice = new Dice(seed);
const records = Array.from({ length: 300 }, (_, index) => record(dice, index));
const index = `/oracle-${process.pid}`;

const world = useWorld({ products: { probe: variables }, devices, records, timeoutMs: 600_000 });

function linesOf(file: string): Plain[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Plain);
}

/** Sends every other call through the Elasticsearch-compatible endpoint, which counts in milliseconds. */
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

describeIf(url !== undefined, 'OPENSEARCH_URL is not set')('comparison with OpenSearch', () => {
  let engine: Engine;
  let grammar: BodyGrammar;
  const say = (line: string) => void process.stderr.write(`${line}\n`);

  beforeAll(async () => {
    engine = connect(url!);
    const all = { size: 1000, sort: [{ _doc: 'asc' }] };
    const [stored] = await ask([all], true);
    const hits = (stored!['hits'] as { hits: { _id: string; _source: Plain }[] }).hits;
    await engine.send('PUT', index, JSON.stringify(mapping));
    // Takes the device from our answer and all else from the generated records, so that an error in storing shows.
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
  }, 180_000);
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
          bodies
            .map(withoutSelectors)
            .map((body) => engine.send('POST', `${index}/_search`, JSON.stringify(millis ? body : inMillis(body)))),
        ),
      ]);
      return bodies.map((body, at) => {
        const [ours, theirs] = [mine[at]!, millis ? other[at]! : inSeconds(body, other[at]!)];
        const skipped = other[at] === unanswered ? 'no answer' : isArguedBody(body) ? 'argued' : undefined;
        if (skipped !== undefined) return { body, ours, theirs, different: [], skipped };
        return { body, ours, theirs, different: differences(body, ours, theirs) };
      });
    };

  const made = () => {
    const body = grammar.body();
    return dice.chance(wrong) ? mutated(dice, body) : withSelectors(dice, body);
  };

  it(`returns the same answers as OpenSearch for ${cases} queries from ${given ?? `seed ${seed}`}`, async () => {
    const left = bodies?.values();
    const found = await run({
      cases,
      body: () => left?.next().value ?? made(),
      ask: compare,
      byKind: bodies === undefined,
      say,
    });
    const shown = found.map(
      ({ body, different, count }) =>
        `${count} times: ${JSON.stringify(body)}\n  ${different.slice(0, 3).join('\n  ')}`,
    );
    expect(shown.join('\n')).toBe('');
  }, 10_800_000);
});
