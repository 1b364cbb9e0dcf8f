import { JsonObject, toPlain } from '#json/json.js';
import type { FieldType } from '#records/record-index.js';
import { globOf } from '#search/syntax/glob.js';
import { type Call, type Handle, indexName, listParameter } from './call.js';
import { badArgument, EngineFailure } from './error.js';
import { bodyOf } from './query.js';

/** Returns the application's fields without those that only engines have. */
const fieldsOf = async (call: Call): Promise<FieldType[]> => {
  await call.load();
  const { organizationId, applicationId, context } = call;
  const fields = await call.search.fields({
    organizationId,
    applicationId,
    position: context.position,
    signal: context.signal,
  });
  return fields.filter(({ path }) => !path.startsWith('_'));
};

/** `_mapping`: the fields of an application as the mapping of an index. */
export const mapping: Handle = async (call) => ({ body: { [indexName]: { mappings: await mappingsOf(call) } } });

/**
 * `_mapping/field/{fields}`: the mappings of the fields that a list names, which may contain `*`.
 * @throws EngineFailure 400 for too long a list
 */
export const fieldMapping: Handle = async (call) => {
  const names = call.params['fields']!.split(',', maxNames + 1);
  if (names.length > maxNames) throw badArgument(`at most ${maxNames} names of fields are allowed`);
  const wanted = names.map(globOf);
  const fields = (await fieldsOf(call)).filter(({ path }) => wanted.some((matches) => matches(path)));
  const mappings = fields.map(({ path, type }) => {
    const name = path.slice(path.lastIndexOf('.') + 1);
    return [path, { full_name: path, mapping: { [name]: { type } } }] as const;
  });
  return { body: { [indexName]: { mappings: Object.fromEntries(mappings) as object } } };
};

/** Maximum number of names of fields in a path. */
const maxNames = 100;

const mappingsOf = async (call: Call): Promise<object> => {
  const properties: Properties = {};
  for (const { path, type } of await fieldsOf(call)) put(properties, path.split('.'), type);
  return { properties };
};

interface Properties {
  [name: string]: { type?: string; properties?: Properties };
}

const put = (properties: Properties, [name = '', ...rest]: readonly string[], type: string): void => {
  if (!Object.hasOwn(properties, name)) properties[name] = {};
  const property = properties[name]!;
  if (rest.length === 0) property.type = type;
  else {
    property.properties ??= {};
    put(property.properties, rest, type);
  }
};

/**
 * `_field_caps`: the capabilities of the fields that `fields` names. It may contain `*`, and comes as a parameter or in
 * the body.
 * @throws EngineFailure 400 without `fields`
 */
export const fieldCaps: Handle = async (call) => {
  const body = bodyOf(call);
  const inBody = body instanceof JsonObject ? body.get('fields') : undefined;
  const asked = listParameter(call, 'fields') ?? (inBody === undefined ? [] : [toPlain(inBody)].flat());
  if (asked.length === 0) throw badArgument("specified fields can't be null or empty");
  const wanted = asked.filter((name) => typeof name === 'string').map(globOf);
  const fields = (await fieldsOf(call)).filter(({ path }) => wanted.some((matches) => matches(path)));
  const named = (type: string, can: boolean) => ({
    [type]: { type, metadata_field: false, searchable: can, aggregatable: can },
  });
  const objects = new Set(fields.flatMap(({ path }) => objectsAbove(path)));
  const capable = [
    ...[...objects].map((path) => [path, named('object', false)] as const),
    ...fields.map(({ path, type }) => [path, named(type, true)] as const),
  ];
  return { body: { indices: [indexName], fields: Object.fromEntries(capable) as object } };
};

/** Returns the paths of the objects that contain a field. */
const objectsAbove = (path: string): string[] => {
  const parts = path.split('.', maxObjects + 1);
  return parts.slice(0, -1).map((_part, index) => parts.slice(0, index + 1).join('.'));
};

/** Maximum number of objects around one field that are listed, because each takes time. */
const maxObjects = 20;

/** `GET /{index}`: aliases, mappings and settings of the index. */
export const index: Handle = async (call) => ({
  body: { [indexName]: { aliases: {}, mappings: await mappingsOf(call), settings: await settingsOf(call) } },
});

/** `_settings` of the index. */
export const settings: Handle = async (call) => ({ body: { [indexName]: { settings: await settingsOf(call) } } });

const settingsOf = async ({ load }: Call): Promise<object> => {
  const { createdAt, id } = await load();
  const creation_date = `${new Date(createdAt).getTime()}`;
  const index = {
    creation_date,
    number_of_shards: '1',
    number_of_replicas: '0',
    provided_name: indexName,
    uuid: id,
    blocks: { write: 'true' },
  };
  return { index };
};

/** `_alias`, which is always empty. */
export const aliases: Handle = async ({ load }) => {
  await load();
  return { body: { [indexName]: { aliases: {} } } };
};

/** `_resolve/index/{name}`: the one index, whatever the name. */
export const resolveIndex: Handle = async ({ load }) => {
  await load();
  return { body: { indices: [{ name: indexName, attributes: ['open'] }], aliases: [], data_streams: [] } };
};

/** Refuses everything that would write: records come through ingestion, which validates and decodes them. */
export const refuseWrite: Handle = async ({ load }) => {
  await load();
  throw new EngineFailure(
    403,
    'cluster_block_exception',
    `index [${indexName}] blocked by: [FORBIDDEN/8/index write (api)]; records are stored by ingestion`,
  );
};
