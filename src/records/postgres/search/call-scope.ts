import sql from 'sql-template-tag';
import { isId } from '../../../entities/id.js';
import type { Fields } from '../../../search/field/field.js';
import { fieldsOf, type KnownFields } from '../../../search/field/resolve.js';
import type { Query } from '../../../search/query/query.js';
import type { SearchRequest } from '../../../search/request.js';
import type { Input } from '../../../search/syntax/input.js';
import { scalarText } from '../../../search/syntax/value.js';
import { type FindSources, findSources } from './rollup/sources.js';
import type { Snapshot } from './snapshot.js';
import type { Rows } from './snapshot-reader.js';
import { fieldColumns, loadFields } from './sql/load-fields.js';

/** What all queries of a call look at: the devices of an application, and the fields of products. Each is read once in a call. */
export interface CallScope {
  readonly deviceIds: readonly string[];
  /** What rollups there are. */
  readonly sources: FindSources;
  fields(of: readonly string[], reading: Rows): Promise<Fields>;
}

/** What the scope of a call is read for. */
interface ScopeOptions {
  readonly organizationId: string;
  readonly applicationId: string;
  /** The products of the first query, which mostly are those of all. */
  readonly productIds: readonly string[];
  /** What to find out of rollups in the same round trip. */
  readonly early: EarlyLook;
  readonly timeoutMs: number;
}

/** Reads the scope of a call in one round trip. */
export const readScope = (snapshot: Snapshot, options: ScopeOptions): Promise<CallScope> => {
  const read = (early: EarlyLook) =>
    snapshot.run(options.timeoutMs, ({ rows }) => loadScope(rows, { ...options, early }));
  // Where rollups cannot be looked for, each query that needs them fails alone.
  return options.early === noLook ? read(noLook) : read(options.early).catch(() => read(noLook));
};

/** What queries probably ask of rollups; only time is lost where the guess is wrong. */
export interface EarlyLook {
  /** Whether they ask what there is of all devices. */
  readonly all: boolean;
  /** Devices that they name. */
  readonly devices: readonly string[];
}

/** Nothing is looked for. */
export const noLook: EarlyLook = { all: false, devices: [] };

/** More devices than this are looked for by the query that names them. */
const maxNamed = 1000;

/** Guesses what queries will ask of rollups. */
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

/** The devices that a query names, those it cannot name here left out; undefined: it names none. */
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

const loadScope = async (
  rows: Rows,
  { organizationId, applicationId, productIds, early }: ScopeOptions,
): Promise<CallScope> => {
  const inScope = (of: readonly string[]) => ({ organizationId, applicationId, productIds: of });
  const sources = findSources(organizationId, applicationId);
  const [[found]] = await Promise.all([
    rows<KnownFields & { devices: string }>(
      sql`
        select (select coalesce(string_agg(device_id::text, ','), '') from application_device
          where application_id = ${applicationId}::uuid) as devices, ${fieldColumns(inScope(productIds))}`,
      productIds.length === 0 ? 'scope' : 'scope of products',
    ),
    early.all ? sources(rows) : undefined,
    early.devices.length > 0 ? sources(rows, early.devices) : undefined,
  ]);
  const { devices } = found!;
  const loaded = new Map([[productIds.join(), Promise.resolve(fieldsOf(found!, productIds))]]);
  return {
    deviceIds: devices === '' ? [] : devices.split(','),
    sources,
    fields: (of: readonly string[], reading: Rows): Promise<Fields> => {
      const key = of.join();
      const loading = loaded.get(key) ?? loadFields(reading, inScope(of));
      loaded.set(key, loading);
      return loading;
    },
  };
};
