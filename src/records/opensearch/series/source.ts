import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { DeclaredPair, Pair } from '#records/answer/series-answer.js';
import { variablesFor } from '#records/scope/variable.js';
import { severalPath, textOrSeveral } from '../document.js';
import type { Part } from '../engine.js';
import type { OrganizationPlaces } from '../place.js';
import { type Declared, olderShapes } from '../shape.js';

/** Source of a line's values in the documents of a device: a field, and the filters that documents must pass. */
export interface LineSource {
  field: string;
  /** Kind of the values: numbers, booleans or texts. */
  kind: 'n' | 'b' | 'k';
  filter: readonly Part[];
  mustNot: readonly Part[];
}

/** A line with its sources; none if no place holds its values. */
export interface SourcedPair extends Pair {
  sources: readonly LineSource[];
}

/** Inputs of the sources. */
export interface SourceOptions {
  pool: Pool;
  places: OrganizationPlaces;
  organizationId: string;
  /** Read in their declared types, from records of the products that declare them so. */
  declared: readonly DeclaredPair[];
  /** Read as sent: numbers, and booleans as 1 and 0. */
  undeclared: readonly Pair[];
  /** Whether texts are read, too. */
  texts?: boolean;
}

/** Finds the sources of lines. */
export const sourcesOf = async (options: SourceOptions): Promise<SourcedPair[]> => {
  const { places, declared, undeclared, texts = false } = options;
  const byName = await declaredSources(options);
  return [
    ...declared.map((pair) => {
      const isText = pair.type === VariableType.TXT;
      return { ...pair, sources: (byName.get(pair.name) ?? []).filter(({ kind }) => (kind === 'k') === isText) };
    }),
    ...undeclared.map((pair) => ({ ...pair, sources: asTheyCame(pair.name, places, texts) })),
  ];
};

/** Finds the sources by name: lines of the same name have the same sources, whatever their device. */
const declaredSources = async ({
  pool,
  places,
  organizationId,
  declared,
}: SourceOptions): Promise<ReadonlyMap<string, LineSource[]>> => {
  if (declared.length === 0) return new Map();
  const { rows } = await pool.query<Declared>(sql`
    select s.product_id as "productId", s.name, s.type
      from product_slot s join product p on p.id = s.product_id
      cross join lateral jsonb_array_elements(${variablesFor(sql`${organizationId}::uuid`)}) v
     where s.name = any(${[...new Set(declared.map(({ name }) => name))]}::text[])
       and v ->> 'name' = s.name and v ->> 'type' = s.type
       and (p.organization_id = ${organizationId}::uuid
            or p.id in (select product_id from device where id = any(${declared.map(({ deviceId }) => deviceId)}::uuid[])))`);
  const older = await olderShapes(pool, rows);
  const variables = rows.map((variable, index) => ({ ...variable, older: older[index]! }));
  const sources = new Map<string, LineSource[]>();
  for (const [name, ofName] of Map.groupBy(variables, (variable) => variable.name)) {
    const path = `data.${name}`;
    const byKind = Map.groupBy(ofName, ({ type }) => kindOf(type));
    const found = [...byKind].flatMap(([kind, same]): LineSource[] => {
      const field = places.get(path)?.[kind];
      if (field === undefined) return [];
      const stale = same.flatMap((variable) => variable.older);
      return [
        {
          field,
          kind,
          filter: [{ exists: { field } }, { terms: { p: same.map(({ productId }) => productId) } }],
          mustNot: [
            { term: { odd: severalPath(path) } },
            // Excludes documents that were stored before the variable had its type.
            ...(stale.length > 0 ? [{ terms: { shape: stale } }] : []),
          ],
        },
      ];
    });
    sources.set(name, found);
  }
  return sources;
};

const kindOf = (type: VariableType): LineSource['kind'] =>
  type === VariableType.TXT ? 'k' : type === VariableType.BOOL ? 'b' : 'n';

const asTheyCame = (name: string, places: OrganizationPlaces, texts: boolean): LineSource[] => {
  const path = `data.${name}`;
  const found = places.get(path) ?? {};
  return (texts ? (['n', 'b', 'k'] as const) : (['n', 'b'] as const)).flatMap((kind) => {
    const field = found[kind];
    return field === undefined
      ? []
      : [
          {
            field,
            kind,
            filter: [{ exists: { field } }],
            mustNot: [{ terms: { odd: [severalPath(path), textOrSeveral(path)] } }],
          },
        ];
  });
};

/** Groups lines with sources by device. */
export const byDevice = (pairs: readonly SourcedPair[]): [deviceId: string, pairs: SourcedPair[]][] => [
  ...Map.groupBy(
    pairs.filter(({ sources }) => sources.length > 0),
    ({ deviceId }) => deviceId,
  ),
];
