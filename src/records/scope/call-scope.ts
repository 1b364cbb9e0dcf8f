import sql, { empty } from 'sql-template-tag';
import { isId } from '#entities/id.js';
import { type FindSources, findSources } from '#records/postgres/search/rollup/sources.js';
import { knownFields, loadFields } from '#records/postgres/search/sql/load-fields.js';
import { notesOf, type ReadNotes } from '#records/postgres/search/stale-notes.js';
import type { Fields } from '#search/field/field.js';
import { fieldsOf, type KnownFields } from '#search/field/resolve.js';
import type { Query } from '#search/query/query.js';
import type { SearchRequest } from '#search/request.js';
import type { Input } from '#search/syntax/input.js';
import { scalarText } from '#search/syntax/value.js';
import type { CallSnapshot } from './snapshot.js';
import type { Rows } from './snapshot-reader.js';

/**
 * Scope of all queries of a call: the devices of an application, and the fields of products. Each is read once per
 * call.
 */
export interface CallScope {
  readonly deviceIds: readonly string[];
  /** Whether only blocks hold some records of the organization in the time of the call. */
  readonly hasAlone: boolean;
  /** Finds the available rollups. */
  readonly sources: FindSources;
  fields(of: readonly string[], reading: Rows): Promise<Fields>;
}

/** Selects the scope to read. */
interface ScopeOf {
  readonly organizationId: string;
  readonly applicationId: string;
  /** Whether attributes of devices are unknown. */
  readonly withoutAttributes?: boolean | undefined;
  /** Products whose fields a query may name, usually those of all queries; undefined if no query names any. */
  readonly productIds: readonly string[] | undefined;
  /** The only devices whose records the query can match; undefined for all devices of the application. */
  readonly named?: readonly string[] | undefined;
  /** Reads what is stale, once for the call. */
  readonly notes?: ReadNotes;
  /** Time of the call, as ISO 8601. Without it, all records are in rows. */
  readonly range?: { readonly from: string; readonly to: string };
}

interface ScopeOptions extends ScopeOf {
  /** Facts about rollups to read in the same round trip. */
  readonly early: EarlyLook;
  readonly timeoutMs: number;
}

/** Reads the scope of a call in one round trip. */
export const readScope = (snapshot: CallSnapshot, options: ScopeOptions): Promise<CallScope> => {
  const read = (early: EarlyLook) => snapshot.run(options.timeoutMs, ({ rows }) => loadScope(rows, options, early));
  // If reading the rollups fails, each query that needs them fails alone later.
  return options.early === noLook ? read(noLook) : read(options.early).catch(() => read(noLook));
};

/** A guess at what queries need of rollups. A wrong guess only costs time. */
export interface EarlyLook {
  /** Whether they need the rollups of all devices. */
  readonly all: boolean;
  /** Devices that they name. */
  readonly devices: readonly string[];
}

/** Reads nothing about rollups. */
export const noLook: EarlyLook = { all: false, devices: [] };

/** Number of named devices above which the query itself reads their rollups. */
const maxNamed = 1000;

/** Guesses what queries will need of rollups. */
export const earlyLook = (requests: readonly SearchRequest[]): EarlyLook => {
  const named = requests.map(({ query }) => (query === undefined ? undefined : namedDevices(query)));
  const all = requests.some(
    ({ aggregations, size }, index) => named[index] === undefined && (aggregations.length > 0 || size > 0),
  );
  const devices = new Set(
    requests.flatMap(({ aggregations }, index) => (aggregations.length > 0 ? (named[index] ?? []) : [])),
  );
  if (devices.size === 0 && !all) return noLook;
  return { all, devices: devices.size > maxNamed ? [] : [...devices] };
};

/**
 * Returns the only devices that the records of a page can belong to, if the query says so: an application may have very
 * many others. Undefined for any device of the application.
 */
export const onlyDevices = ([request, ...others]: readonly SearchRequest[]): readonly string[] | undefined => {
  if (request?.query === undefined || others.length > 0 || request.aggregations.length > 0) return undefined;
  const ids = requiredDevices(request.query);
  return ids !== undefined && ids.length <= maxNamed ? ids : undefined;
};

const requiredDevices = (query: Query): readonly string[] | undefined => {
  if (query.kind === 'bool') {
    for (const part of [...query.must, ...query.filter]) {
      const found = requiredDevices(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (query.kind === 'terms' && query.field === 'device.id') return idsOf(query.field, query.values);
  // A case-insensitive term also matches other spellings of an identifier.
  if (query.kind !== 'term' || query.field !== 'device.id' || query.caseInsensitive) return undefined;
  return idsOf(query.field, [query.value]);
};

/** Returns the devices that a query names, without those that cannot be determined here; undefined if it names none. */
const namedDevices = (query: Query): readonly string[] | undefined => {
  switch (query.kind) {
    case 'bool': {
      const parts = [...query.must, ...query.filter, ...query.should].flatMap((part) => {
        const found = namedDevices(part);
        return found === undefined ? [] : [found];
      });
      return parts.length === 0 ? undefined : parts.flat();
    }
    case 'term':
      return query.field.startsWith('device.') ? idsOf(query.field, [query.value]) : undefined;
    case 'terms':
      return query.field.startsWith('device.') ? idsOf(query.field, query.values) : undefined;
    default:
      return 'field' in query && query.field.startsWith('device.') ? [] : undefined;
  }
};

const idsOf = (field: string, values: readonly Input[]): string[] =>
  field === 'device.id' ? values.map((value) => scalarText(value) ?? '').filter(isId) : [];

/** Reads the scope of a call in one round trip, beside other reads of the same snapshot. */
export const loadScope = async (
  rows: Rows,
  {
    organizationId,
    applicationId,
    withoutAttributes,
    productIds,
    named,
    range,
    notes = notesOf({ organizationId }),
  }: ScopeOf,
  early: EarlyLook = noLook,
): Promise<CallScope> => {
  const inScope = (of: readonly string[]) => ({
    organizationId,
    applicationId,
    productIds: of,
    withoutAttributes,
  });
  const sources = findSources(organizationId, applicationId, notes);
  const alone = range
    ? sql`, exists (
          select from record_block_source s join record_blocked b using (source)
          where s.organization_id = ${organizationId}::uuid and b.alone
            and b.day >= ${range.from}::timestamptz::date and b.day <= ${range.to}::timestamptz::date) as alone`
    : empty;
  const known = productIds === undefined ? empty : sql`, ${knownFields(inScope(productIds))} as known`;
  const [[found]] = await Promise.all([
    rows<{ known: KnownFields; devices: string; alone?: boolean }>(
      sql`
        select (select coalesce(string_agg(device_id::text, ','), '') from application_device
          where application_id = ${applicationId}::uuid${named === undefined ? empty : sql` and device_id = any(${named}::uuid[])`}) as devices${alone}${known}`,
      withoutAttributes ? undefined : scopeStatementName(productIds, named, range),
    ),
    early.all ? sources(rows) : undefined,
    early.devices.length > 0 ? sources(rows, early.devices) : undefined,
  ]);
  const { devices } = found!;
  const loaded = new Map<string, Promise<Fields>>();
  if (productIds !== undefined) loaded.set(productIds.join(), Promise.resolve(fieldsOf(found!.known, productIds)));
  return {
    deviceIds: devices === '' ? [] : devices.split(','),
    hasAlone: found!.alone === true,
    sources,
    fields: (of: readonly string[], reading: Rows): Promise<Fields> => {
      const key = of.join();
      const loading = loaded.get(key) ?? loadFields(reading, inScope(of));
      loaded.set(key, loading);
      return loading;
    },
  };
};

/** Returns the name of the prepared statement of {@link loadScope}. */
const scopeStatementName = (
  productIds: ScopeOf['productIds'],
  named: ScopeOf['named'],
  range: ScopeOf['range'],
): string => {
  const of = `${named === undefined ? '' : ' of devices'}${range === undefined ? '' : ' and days'}`;
  if (productIds === undefined) return `scope without fields${of}`;
  return productIds.length === 0 ? `scope${of}` : `scope of products${of}`;
};
