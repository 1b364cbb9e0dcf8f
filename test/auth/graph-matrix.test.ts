import { describe, expect, it } from '@jest/globals';
import { routes } from '#rest/routes.js';
import { cases, codes, documentOf, everybody, expected, ofRestAlone, ok, operationNames, useMatrix } from './matrix.js';
import { operations } from './operations.js';

const matrix = useMatrix();

it('lists every operation of GraphQL and REST in the access matrix', () => {
  const ofGraph = Object.keys(operations).filter((name) => !ofRestAlone.includes(name));
  expect(ofGraph.sort()).toEqual(operationNames(matrix.schema).sort());
  const ofRest = routes.map(({ root, operation }) => `${root}.${operation}`);
  expect([...operationNames(matrix.schema), ...ofRestAlone]).toEqual(expect.arrayContaining(ofRest));
});

it('lists the refusals of every mutation in its description', () => {
  const fields = Object.values(matrix.schema.getMutationType()!.getFields());
  for (const { name, description } of fields) {
    const { access, conflicts } = operations[`Mutation.${name}`]!;
    const met = new Set(everybody.map((who) => codes[expected(who, `Mutation.${name}`, access, true)]));
    if (conflicts) met.add('CONFLICT');
    for (const code of ['FORBIDDEN', 'NOT_FOUND'])
      expect([name, code, description?.includes(`\`${code}\``)]).toEqual([name, code, met.has(code)]);
    if (met.has('CONFLICT')) expect(description).toContain('`CONFLICT`');
    expect(description).toContain('`VALIDATION_FAILED`');
  }
});

describe('access to GraphQL operations', () => {
  const calls = cases
    .filter(({ name }) => !ofRestAlone.includes(name))
    .map((each) => {
      const wanted = expected(each.who, each.name, each.access, each.name.startsWith('Mutation'));
      const outcome = wanted === ok && each.conflicts ? 'CONFLICT' : (codes[wanted] ?? 'data');
      return { ...each, wanted, outcome };
    });
  it.each(calls)('returns $outcome to $who for $name', async ({ name, who, wanted, outcome, values }) => {
    const call = name.startsWith('Subscription') ? 'firstEvent' : 'graph';
    const answer = await matrix.actors[who][call](documentOf(matrix.schema, name), await values(matrix.things));
    expect([name, who, answer.body.errors?.[0]?.extensions.code ?? 'data']).toEqual([name, who, outcome]);
    expect(answer.status).toBe(wanted === 401 ? 401 : 200);
  });
});
