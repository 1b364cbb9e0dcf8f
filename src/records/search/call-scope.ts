import sql from 'sql-template-tag';
import type { Fields } from './field/field.js';
import { type FieldRows, fieldColumns, fieldsOf, loadFields } from './field/resolve.js';
import type { Rows } from './lane.js';
import type { Query } from './query/query.js';
import type { SearchRequest } from './request.js';
import { type FindSources, findSources } from './rollup/sources.js';
import type { Snapshot } from './snapshot.js';

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
  /** Whether to find out in the same round trip what rollups there are. */
  readonly early: boolean;
  readonly timeoutMs: number;
}

/** Reads the scope of a call in one round trip. */
export const readScope = (snapshot: Snapshot, options: ScopeOptions): Promise<CallScope> => {
  const read = (early: boolean) =>
    snapshot.run(options.timeoutMs, ({ rows }) => loadScope(rows, { ...options, early }));
  // Where rollups cannot be looked for, each query that needs them fails alone.
  return options.early ? read(true).catch(() => read(false)) : read(false);
};

/** Whether a query probably asks what rollups there are of all devices; only time is lost where the guess is wrong. */
export const mayUseRollups = ({ aggregations, size, query }: SearchRequest): boolean =>
  (aggregations.length > 0 || size > 0) && (query === undefined || !namesDevices(query));

const namesDevices = (query: Query): boolean => {
  if (query.kind === 'bool') return [...query.must, ...query.filter, ...query.should].some(namesDevices);
  return 'field' in query && query.field.startsWith('device.');
};

const loadScope = async (
  rows: Rows,
  { organizationId, applicationId, productIds, early }: ScopeOptions,
): Promise<CallScope> => {
  const inScope = (of: readonly string[]) => ({ organizationId, applicationId, productIds: of });
  const sources = findSources(organizationId, applicationId);
  const [[found]] = await Promise.all([
    rows<FieldRows & { devices: string }>(
      sql`
        select (select coalesce(string_agg(device_id::text, ','), '') from application_device
          where application_id = ${applicationId}::uuid) as devices, ${fieldColumns(inScope(productIds))}`,
      productIds.length === 0 ? 'scope' : 'scope of products',
    ),
    early ? sources(rows) : undefined,
  ]);
  const { devices } = found!;
  const loaded = new Map([[productIds.join(), Promise.resolve(fieldsOf(found!, productIds))]]);
  return {
    deviceIds: devices === '' ? [] : devices.split(','),
    sources,
    fields: (of: readonly string[], reading: Rows): Promise<Fields> => {
      const key = of.join();
      const known = loaded.get(key) ?? loadFields(reading, inScope(of));
      loaded.set(key, known);
      return known;
    },
  };
};
