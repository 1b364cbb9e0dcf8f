import {
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { forbidden } from '#common/errors.js';
import type { Caller } from '#entities/caller.js';
import { readsRow } from './charge-lists.js';
import type { Context } from './context.js';

/* A link to a dashboard reads its application, the devices of that application, and the values that these devices
   measured. Everything that is not listed here is closed to links. As for every caller, `auth` decides which rows
   belong to the application. */

/** Error message for a link that requests anything else than it may read. */
export const linksRead = 'This link may only read the application of its dashboard.';

/** Operations that a link may call. */
export const operationsOfLinks: ReadonlySet<string> = new Set([
  'viewer',
  'application',
  'applicationDevices',
  'device',
  'deviceBySerial',
  'sites',
  'site',
  'siteDevices',
  'deviceSites',
  'search',
  'latest',
  'applicationLatest',
  'deviceLatest',
  'series',
  'groupSeries',
  'alertRules',
  'alertRule',
  'episodes',
  'recordReceived',
  'episodeChanged',
]);

/** Types of objects that a link may read. Fields of all other types are closed, on whichever object they are. */
export const typesOfLinks: ReadonlySet<string> = new Set([
  'AlertComparison',
  'AlertCondition',
  'AlertRule',
  'Application',
  'Dashboard',
  'Device',
  'DeviceLatest',
  'DeviceSite',
  'Episode',
  'EpisodeRecord',
  'EpisodesChanged',
  'GroupSeries',
  'LatestValue',
  'Location',
  'Mapping',
  'MeasuredValue',
  'MeterExchange',
  'Product',
  'ProductReference',
  'Record',
  'RecordActivity',
  'RecordedVariable',
  'RecordsReceived',
  'RecordValue',
  'RejectedItems',
  'SearchAnswer',
  'Series',
  'Site',
  'States',
  'Variable',
  'Viewer',
]);

/** Fields with personal data, and names of what is closed, by type. A link gets null or an empty list for them. */
const hiddenFromLinks: Readonly<Record<string, readonly string[]>> = {
  AlertRule: ['recipients'],
  Device: ['attributeNames'],
  Episode: ['acknowledgedBy'],
  Site: ['attributeNames'],
};

type Field = GraphQLField<unknown, Context>;

/**
 * Closes every field to links that is not listed here. Fields of closed types stay as they are, because no link reaches
 * them.
 */
export function closeToLinks(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !typesOfLinks.has(type.name)) continue;
    for (const field of Object.values(type.getFields())) {
      if (hiddenFromLinks[type.name]?.includes(field.name)) hide(field);
      else if (isClosed(field.type)) close(field);
    }
  }
}

/** Whether a field returns objects, or a page of objects, of a type that links may not read. */
export function isClosed(type: GraphQLOutputType): boolean {
  const named = getNamedType(type);
  if (!isCompositeType(named) || typesOfLinks.has(named.name)) return false;
  const items = isObjectType(named) ? named.getFields()['items'] : undefined;
  return items === undefined || !named.name.endsWith('Page') || isClosed(items.type);
}

/** Whether a caller has the token of a link to a dashboard. */
export const isLink = ({ applicationId }: Caller): boolean => applicationId !== null;

function close(field: Field): void {
  replaceForLinks(field, () => {
    throw forbidden(linksRead);
  });
}

/** Makes a field answer links with the result of a function. */
function replaceForLinks(field: Field, forLinks: () => unknown): void {
  const { name, resolve } = field;
  const open = resolve ?? ((row: unknown) => (row as Readonly<Record<string, unknown>>)[name]);
  const replaced: Field['resolve'] = (row, args, context, info) =>
    isLink(context.caller) ? forLinks() : (open(row, args, context, info) as unknown);
  field.resolve = resolve === undefined ? readsRow(replaced) : replaced;
}

function hide(field: Field): void {
  const { name, type } = field;
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  if (!isLeafType(getNamedType(type)) || (isNonNullType(type) && !isList))
    throw new Error(`${name} has no empty value.`);
  replaceForLinks(field, () => (isList ? [] : null));
}
