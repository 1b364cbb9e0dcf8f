import { describe, expect, it } from '@jest/globals';
import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, getNamedType, isLeafType } from 'graphql';
import { routes } from '../../src/rest/routes.js';
import { cases, codes, expected, ofRestAlone, ok, operationNames, useMatrix } from './matrix.js';
import { operations } from './operations.js';

const matrix = useMatrix();

it('lists every operation of GraphQL and REST in the access matrix', () => {
  const ofGraph = Object.keys(operations).filter((name) => !ofRestAlone.includes(name));
  expect(ofGraph.sort()).toEqual(operationNames(matrix.schema).sort());
  const ofRest = routes.map(({ root, operation }) => `${root}.${operation}`);
  expect([...operationNames(matrix.schema), ...ofRestAlone]).toEqual(expect.arrayContaining(ofRest));
});

describe('access to GraphQL operations', () => {
  it.each(cases.filter(({ name }) => !ofRestAlone.includes(name)))(
    'allows or refuses $name to $who as the matrix says',
    async ({ name, who, access, conflicts, values }) => {
      const call = name.startsWith('Subscription') ? 'firstEvent' : 'graph';
      const answer = await matrix.actors[who][call](documentOf(matrix.schema, name), await values(matrix.things));
      const wanted = expected(who, name, access, name.startsWith('Mutation'));
      const code = answer.body.errors?.[0]?.extensions.code;
      expect([name, who, code]).toEqual([name, who, wanted === ok && conflicts ? 'CONFLICT' : codes[wanted]]);
      expect(answer.status).toBe(wanted === 401 ? 401 : 200);
    },
  );
});

/** Builds the document of an operation with all its arguments as variables. */
function documentOf(schema: GraphQLSchema, name: string): string {
  const [root, operation] = name.split('.') as [string, string];
  const type = schema.getType(root) as GraphQLObjectType;
  const field: GraphQLField<unknown, unknown> = type.getFields()[operation]!;
  const declared = field.args.map(
    (arg) =>
      `$${arg.name}: ${String(arg.type)}${arg.defaultValue === undefined ? '' : ' = ' + JSON.stringify(arg.defaultValue).replaceAll('"', '')}`,
  );
  const passed = field.args.map((arg) => `${arg.name}: $${arg.name}`);
  const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
  const list = (parts: string[]) => (parts.length === 0 ? '' : `(${parts.join(', ')})`);
  return `${root.toLowerCase()} ${list(declared)} { ${operation}${list(passed)} ${selection} }`;
}
