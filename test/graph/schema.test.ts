import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { conflicting } from '#rest/openapi/operation.js';
import { routes } from '#rest/routes.js';
import { saysOrder } from '#schema/shared-descriptions.js';
import { useWorld } from '../support/world.js';

const world = useWorld();
let schema: GraphQLSchema;

beforeAll(async () => {
  const owner = await world.organization();
  const { body } = await owner.graph(getIntrospectionQuery({ inputValueDeprecation: true }));
  schema = buildClientSchema(body.data as unknown as IntrospectionQuery);
});

/** Returns everything that can be described or deprecated, with its path. */
const parts = () =>
  Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => {
      const fields: readonly { name: string; description?: string | null; args?: readonly GraphQLArgument[] }[] =
        isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
      const values = isEnumType(type) ? type.getValues() : [];
      const root = type === schema.getQueryType() || type === schema.getMutationType();
      return [
        ...(root || type === schema.getSubscriptionType() ? [] : [{ path: type.name, of: type }]),
        ...values.map((value) => ({ path: `${type.name}.${value.name}`, of: value, isValue: true })),
        ...fields.map((field) => ({ path: `${type.name}.${field.name}`, of: field })),
        ...fields.flatMap(({ name, args = [] }) =>
          args.map((argument) => ({ path: `${type.name}.${name}(${argument.name})`, of: argument })),
        ),
      ];
    });

/** The operations of the contract (docs/contract.md, section 14). */
const queries = `account accounts organization organizationMembers teams team teamMembers teamApplications
  publicProducts products product devices device applications application search applicationDevices
  applicationHooks applicationHook applicationHookDeliveries`.split(/\s+/);
const mutations = `updateAccount updateOrganization setOrganizationMember removeOrganizationMember
  createTeam updateTeam deleteTeam addTeamMember removeTeamMember setTeamApplication removeTeamApplication
  createProduct updateProduct deleteProduct registerDevice updateDevice deleteDevice
  createApplication updateApplication deleteApplication addApplicationDevice removeApplicationDevice
  createApplicationHook updateApplicationHook deleteApplicationHook pingApplicationHook`.split(/\s+/);

describe('GraphQL schema', () => {
  it('describes every type, field and argument', () => {
    const bare = parts().filter(({ of, ...part }) => !('isValue' in part) && !of.description);
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it('has no deprecated parts', () => {
    const deprecated = parts().filter(({ of }) => 'deprecationReason' in of && of.deprecationReason != null);
    expect(deprecated.map(({ path }) => path)).toEqual([]);
  });

  it('has the 46 operations of the contract by name', () => {
    expect(queries.length + mutations.length).toBe(46);
    expect(Object.keys(schema.getQueryType()!.getFields())).toEqual(expect.arrayContaining(queries));
    expect(Object.keys(schema.getMutationType()!.getFields())).toEqual(expect.arrayContaining(mutations));
  });

  it('has an operation for every REST route, with organizationId as an argument', () => {
    for (const { root, operation, path } of routes) {
      // GraphQL has `Device.latest` and `latest` instead. Only devices take commands, and they wait for them.
      if (['deviceLatest', 'applicationLatest', 'takeCommands'].includes(operation)) continue;
      const field = schema.getType(root) as ReturnType<GraphQLSchema['getQueryType']>;
      const names = field?.getFields()[operation]?.args.map(({ name }) => name);
      for (const [argument] of path.matchAll(/(?<=:)\w+/g)) {
        expect([operation, names]).toEqual([operation, expect.arrayContaining([argument])]);
      }
      expect(names).not.toContain('id');
    }
  });

  it('takes limit, page and sort on every page field, and returns items and totalCount', () => {
    const types = Object.values(schema.getTypeMap()).filter(isObjectType);
    const lists = types.flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => getNamedType(field.type).name.endsWith('Page'))
        .map((field) => ({ path: `${type.name}.${field.name}`, field })),
    );
    expect(lists.length).toBeGreaterThan(40);
    for (const { path, field } of lists) {
      const names = field.args.map(({ name }) => name);
      expect([path, names]).toEqual([path, expect.arrayContaining(['limit', 'page', 'sort'])]);
      const page = getNamedType(field.type);
      expect(isObjectType(page) && Object.keys(page.getFields())).toEqual(
        expect.arrayContaining(['items', 'totalCount']),
      );
    }
  });

  it('says the order of every list', () => {
    const types = Object.values(schema.getTypeMap()).filter(isObjectType);
    const fields = types
      .filter(({ name }) => !name.startsWith('__'))
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
      );
    const lists = fields.filter(
      ({ field: { type } }) =>
        isListType(getNullableType(type)) || /(?:Page|Connection)$/.test(getNamedType(type).name),
    );
    expect(lists.length).toBeGreaterThan(150);
    expect(lists.filter(({ field }) => !saysOrder.test(field.description ?? '')).map(({ path }) => path)).toEqual([]);
  });

  it('shows an example in every query and mutation that takes an object, and each is valid', () => {
    const fields = [schema.getQueryType()!, schema.getMutationType()!].flatMap((root) =>
      Object.values(root.getFields()),
    );
    const bare = fields.filter(
      ({ args, description }) =>
        args.some(({ type }) => isInputObjectType(getNamedType(type))) && !/ Example: `/.test(description ?? ''),
    );
    expect(bare.map(({ name }) => name)).toEqual([]);
    const examples = fields.flatMap(({ description }) => / Example: `([^`]+)`$/.exec(description ?? '')?.[1] ?? []);
    expect(examples.length).toBeGreaterThan(25);
    expect(
      examples.flatMap((each) => validate(schema, parse(each)).map(({ message }) => `${message} ${each}`)),
    ).toEqual([]);
  });

  it('gives Node to everything that has an identifier of its own', () => {
    const types = Object.values(schema.getTypeMap()).filter(isObjectType);
    const bare = types.filter(
      (type) => type.getFields()['id'] !== undefined && !type.getInterfaces().some(({ name }) => name === 'Node'),
    );
    // The outcome of a put operation names the affected object.
    expect(bare.map(({ name }) => name)).toEqual(['PutItem']);
  });

  it('has one type for an organization and one for a user, wherever they stand', () => {
    const typeOf = (root: string, field: string) => {
      const type = schema.getType(root);
      return isObjectType(type) ? getNamedType(type.getFields()[field]!.type).name : undefined;
    };
    expect([typeOf('Query', 'account'), typeOf('Query', 'organization')]).toEqual(['Organization', 'Organization']);
    expect([typeOf('Mutation', 'updateAccount'), typeOf('Mutation', 'updateOrganization')]).toEqual([
      'Organization',
      'Organization',
    ]);
    expect(typeOf('Query', 'accounts')).toBe('UserPage');
    const others = Object.keys(schema.getTypeMap()).filter((name) => /^(?:Account|OrganizationMember)$/.test(name));
    expect(others).toEqual([]);
  });

  it('says how many identifiers every argument `ids` takes', () => {
    const given = parts().filter(({ path }) => path.endsWith('(ids)'));
    expect(given.length).toBeGreaterThan(5);
    expect(given.filter(({ of }) => !/\bat most 100\./i.test(of.description ?? ''))).toEqual([]);
  });

  it('lists 409 in the description of every mutation for which REST documents it', () => {
    const documented = routes.filter(({ operation }) => conflicting.has(operation)).map(({ operation }) => operation);
    const mutations = schema.getMutationType()!.getFields();
    for (const name of documented)
      expect([name, mutations[name]?.description]).toEqual([name, expect.stringContaining('`CONFLICT` (')]);
  });

  it('returns an object from every mutation except those of network servers', () => {
    const others = Object.values(schema.getMutationType()!.getFields())
      .filter(({ type }) => !isObjectType(getNamedType(type)))
      .map(({ name }) => name);
    expect(others).toEqual(['ingestTheThingsStack', 'ingestChirpStack', 'ingestSigfox', 'ingestThingsBoard']);
  });

  it('starts no description with a pronoun', () => {
    const unclear = parts().filter(({ of }) => /^(?:Its?|Their|They|These|Those|Them)\b/.test(of.description ?? ''));
    expect(unclear.map(({ path, of }) => `${path}: ${of.description}`)).toEqual([]);
  });

  it('uses a scalar type of its own for addresses, times and values', () => {
    const typeOf = (type: string, field: string) => {
      const found = schema.getType(type);
      return isObjectType(found) ? getNamedType(found.getFields()[field]!.type).name : undefined;
    };
    expect(typeOf('Organization', 'email')).toBe('EmailAddress');
    expect(typeOf('Organization', 'avatarURL')).toBe('URL');
    expect(typeOf('Hook', 'url')).toBe('URL');
    expect(typeOf('Device', 'serial')).toBe('Serial');
    expect(typeOf('Device', 'createdAt')).toBe('DateTimeISO');
    expect(typeOf('Record', 'ts')).toBe('UnixTime');
    expect(typeOf('Record', 'data')).toBe('JSONObject');
    expect(typeOf('LatestValue', 'typed')).toBe('MeasuredValue');
  });
});
