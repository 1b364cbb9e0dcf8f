import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import { newNetworkServer } from '../auth/operations.js';
import { useWorld, type World } from '../support/world.js';
import { fillOrganization } from './fleet.js';

/**
 * Compiled operations write resolver values without coercion, so values from the database must already have their type.
 */
const schema = buildSchema(readFileSync('docs/schema.graphql', 'utf8'));
const queries = schema.getQueryType()!.getFields();

/** Values for arguments, by name. */
const given: Record<string, string> = {
  limit: '2',
  variables: '["temperature", "on", "count", "note"]',
  ts: '{ gte: 0, lte: 4e9 }',
  queries: '[{ products: [], aggs: { a: { avg: { field: "data.temperature" } } } }]',
  payload: '"01"',
  streamId: '1',
  streamType: 'RAW',
  kind: 'silence, silentFor: 3600',
  over: '{ devices: {} }',
  variable: '"temperature"',
  derived: '[{ name: "half", type: FLOAT32, formula: "temperature / 2" }]',
};

const world = useWorld();
let owner: Awaited<ReturnType<World['organization']>>;
let ids: Record<string, string>;

beforeAll(async () => {
  owner = await world.organization();
  await fillOrganization(world.pool, owner.id, 2);
  const { rows } = await world.pool.query<Record<string, string>>(
    `select d.product_id as "productId", d.id as "deviceId", d.serial as "deviceSerial", l.application_id as "applicationId",
            h.id as "applicationHookId", r.id as "alertRuleId", v.id as "deliveryId", t.id as "teamId"
       from device d join application_device l on l.device_id = d.id join hook h on h.application_id = l.application_id
       join alert_rule r on r.application_id = l.application_id
       join delivery v on v.hook_id = h.id cross join team t
      where d.organization_id = $1 and t.organization_id = $1 limit 1`,
    [owner.id],
  );
  const at = `/organizations/${owner.id}`;
  await world.pool.query(
    `update device set name = 'Pump', tags = '{hall 1,"a,b"}', lat = 1.5, lon = 2 where organization_id = $1`,
    [owner.id],
  );
  await owner.post(`${at}/records`, [
    { serial: rows[0]!['deviceSerial'], data: { temperature: 21, on: true, count: '9007199254740993', note: 'ok' } },
    { serial: rows[0]!['deviceSerial'], data: { temperature: 1e300, big: [1], place: { lat: 1, lon: 2 } } },
  ]);
  const siteId = await owner.make(`${at}/sites`, { name: 'Hall' });
  await owner.put(`${at}/device-sites`, { siteId, deviceIds: [rows[0]!['deviceId']] });
  const commands = `/devices/${owner.id}/${rows[0]!['deviceId']}/commands`;
  const commandId = await owner.make(commands, { name: 'raw', payload: '01' });
  await owner.post(`${commands}/${commandId}/result`, { result: { was: 19 } });
  await owner.put(`/devices/${owner.id}/${rows[0]!['deviceId']}/state`, { desired: { setPoint: 21.5 } });
  const jobId = await owner.make(`/products/${owner.id}/${rows[0]!['productId']}/redecode`);
  ids = {
    ...rows[0],
    organizationId: owner.id,
    deviceIds: rows[0]!['deviceId']!,
    ids: rows[0]!['deviceId']!,
    jobId,
    siteId,
    commandId,
    networkServerId: await newNetworkServer({ owner, fresh: () => 'pumps' }),
    id: rows[0]!['deviceId']!,
  };
});

const argumentsOf = ({ args }: GraphQLField<unknown, unknown>): string | undefined => {
  const values = args
    .filter((arg) => isRequiredArgument(arg) || ['limit', 'deviceIds'].includes(arg.name))
    .map(({ name }) => {
      const value = given[name] ?? (ids[name] && JSON.stringify(ids[name]));
      return value && `${name}: ${value}`;
    });
  if (values.includes(undefined)) return undefined;
  return values.length === 0 ? '' : `(${values.join(', ')})`;
};

/** Builds a selection of everything below a type, to the given depth of edges. */
function selectionOf(output: GraphQLOutputType, depth: number): string {
  const type = getNamedType(output);
  if (isInterfaceType(type)) return '{ __typename id }';
  if (isUnionType(type))
    return `{ __typename ${type
      .getTypes()
      .map((each) => `... on ${each.name} ${selectionOf(each, 0)}`)
      .join(' ')} }`;
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    const isPageOfItems = field.name === 'items';
    if (isCompositeType(inner) && depth === 0 && !isPageOfItems) return [];
    const text = argumentsOf(field);
    const below = selectionOf(field.type, isPageOfItems ? depth : depth - 1);
    return text === undefined ? [] : [`${field.name}${text} ${below}`];
  });
  return `{ __typename ${fields.join(' ')} }`;
}

const isOfScalar: Record<string, (value: unknown) => boolean> = {
  Int: (value) => Number.isInteger(value),
  Float: (value) => Number.isFinite(value),
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
};

/** Returns the paths of values that do not have their type, and adds the matching ones to `seen`. */
function misfits(value: unknown, type: GraphQLOutputType, path: string, seen: Set<string>): string[] {
  if (isNonNullType(type)) return value === null ? [`${path}: null`] : misfits(value, type.ofType, path, seen);
  if (value === null) return [];
  if (isListType(type)) return (value as unknown[]).flatMap((item) => misfits(item, type.ofType, path, seen));
  if (isEnumType(type))
    return type.getValue(value as string) === undefined ? [`${path}: ${JSON.stringify(value)}`] : [];
  const isOf = isOfScalar[getNamedType(type).name];
  if (isOf !== undefined) {
    seen.add(path);
    return isOf(value) ? [] : [`${path}: ${JSON.stringify(value)}`];
  }
  if (typeof value !== 'object' || !('__typename' in value)) return [];
  const object = schema.getType(value.__typename as string);
  if (!isObjectType(object)) return [`${path}: ${JSON.stringify(value)}`];
  return Object.values(object.getFields()).flatMap(({ name, type: inner }) => {
    const item = (value as Record<string, unknown>)[name];
    return item === undefined ? [] : misfits(item, inner, `${object.name}.${name}`, seen);
  });
}

describe('value types of GraphQL answers', () => {
  const seen = new Set<string>();

  it.each(Object.values(queries).map((field) => [field.name, field] as const))(
    'conforms to the schema in every field of %s',
    async (name, field) => {
      const text = argumentsOf(field);
      // Operations on objects that this organization lacks, such as an import.
      if (text === undefined) return expect(['fileImport']).toContain(name);
      for (const depth of [0, 1, 2].slice(0, name.startsWith('device') ? 3 : 2)) {
        const query = `query At${depth} { ${name}${text} ${selectionOf(field.type, depth)} }`;
        const { status, body } = await owner.graph(query);
        expect([status, body.errors]).toEqual([200, undefined]);
        expect(body.data![name]).not.toBeNull();
        expect(misfits(body.data![name], field.type, name, seen)).toEqual([]);
      }
    },
  );

  it('covers most fields of the schema that hold a value', () => {
    const all = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type))
      .filter(({ name }) => !name.startsWith('__'))
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
      .filter(({ field }) => isOfScalar[getNamedType(field.type).name] !== undefined)
      .map(({ type, field }) => `${type.name}.${field.name}`);
    expect(seen.size).toBeGreaterThan(all.length / 2);
  });
});
