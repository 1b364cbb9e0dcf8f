import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import { transaction } from '#database/transaction.js';
import type { ClusterMapping } from './cluster-mapping.js';
import { noPlaces, type PlaceCounts } from './place-mapping.js';
import type { PlaceKind } from './value.js';

/** Index fields that hold the values of a path, by kind. */
export type PathPlaces = Readonly<Partial<Record<PlaceKind, string>>>;

/** A path to index as a kind. */
export interface PathKind {
  readonly path: string;
  readonly kind: PlaceKind;
  /** Whether a product declares the path. */
  readonly declared?: boolean | undefined;
}

/** Places of an organization's values. A place is the index field of a path and kind. */
export interface OrganizationPlaces {
  /** Returns the places of a path such as `data.temperature`, or undefined. */
  get(path: string): PathPlaces | undefined;
  /** Returns the places of a path and of all paths under it. */
  under(path: string): PathPlaces[];
  /** Returns the kind as which a path was first seen, or undefined if the catalogue lacks it. */
  seen(path: string): PlaceKind | undefined;
  /** Whether there is room for another place of this kind. Declared paths have more room. */
  hasRoom(kind: PlaceKind, declared: boolean): boolean;
}

/**
 * Maximum numbers of places of an organization in each family of fields: numbers, whole numbers beyond 2^53, and texts.
 * The room beyond the first limit is reserved for declared paths, so that devices that send ever new names cannot use
 * it up.
 */
const maxPlaces = 2000;
const maxWithDeclared = 3000;
/** Maximum number of organizations whose places are cached. */
const maxOrganizations = 1000;

const seenKinds = { number: 'n', boolean: 'b', text: 'k' } as const;

/** Cached places of an organization. `version` is the number of rows, which are never deleted. */
class CachedPlaces implements OrganizationPlaces {
  private readonly counts = { n: 0, l: 0, k: 0 };

  constructor(
    readonly version: number,
    private readonly places: ReadonlyMap<string, Partial<Record<PlaceKind, string>>>,
    private readonly catalogue: ReadonlyMap<string, PlaceKind>,
  ) {
    for (const place of places.values())
      for (const field of Object.values(place)) this.counts[field[0] as 'n' | 'l' | 'k']++;
  }

  get(path: string) {
    return this.places.get(path);
  }

  under(path: string) {
    return [...this.places].flatMap(([one, places]) => (one === path || one.startsWith(`${path}.`) ? places : []));
  }

  seen(path: string) {
    return this.catalogue.get(path);
  }

  hasRoom(kind: PlaceKind, declared: boolean) {
    // Numbers and booleans share their fields.
    return this.counts[kind === 'b' ? 'n' : kind] < (declared ? maxWithDeclared : maxPlaces);
  }
}

/** The places of values in the index (table `index_place`), and the catalogue of paths that determines them. */
export class FieldPlaces {
  private readonly known = new Map<string, CachedPlaces>();

  /** @param map maps assigned places on the cluster before searches see them */
  constructor(
    private readonly pool: Pool,
    private readonly map: ClusterMapping['mapPlaces'],
  ) {}

  /** Reads the places of organizations. Cached places are used if nothing was added since. */
  async of(organizationIds: readonly string[]): Promise<ReadonlyMap<string, OrganizationPlaces>> {
    const { rows } = await this.pool.query<{ id: string; version: number }>(
      namedStatement(
        'places',
        sql`
      select id, (select count(*) from index_place p where p.organization_id = id)::float8
               + (select count(*) from record_field f where f.organization_id = id)::float8 as version
        from unnest(${organizationIds}::uuid[]) id`,
      ),
    );
    const stale = rows.filter(({ id, version }) => this.known.get(id)?.version !== version);
    if (stale.length > 0) await this.load(stale);
    const found = new Map<string, OrganizationPlaces>();
    for (const { id } of rows) found.set(id, this.known.get(id)!);
    return found;
  }

  /** Assigns places to paths that lack one of a kind, as far as there is room. */
  async assign(organizationId: string, wanted: readonly PathKind[]): Promise<void> {
    await transaction(this.pool, async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`places ${organizationId}`}, 0))`);
      const { rows } = await tx.query<{ family: keyof PlaceCounts; places: number }>(sql`
        with wanted as (
          select path, kind, case kind when 'b' then 'n' else kind end as family,
                 case when declared then ${maxWithDeclared}::int else ${maxPlaces}::int end as room
            from unnest(${wanted.map(({ path }) => path)}::text[], ${wanted.map(({ kind }) => kind)}::text[],
                        ${wanted.map(({ declared }) => declared === true)}::boolean[]) w (path, kind, declared)
           where not exists (select from index_place p
                              where p.organization_id = ${organizationId} and p.path = w.path and p.kind = w.kind)
        ), numbered as (
          select path, kind, family, room, row_number() over (partition by family order by path, kind) + coalesce(
            (select max(substr(field, 2)::int) from index_place p
              where p.organization_id = ${organizationId} and left(field, 1) = family), 0) as number
            from wanted
        ), placed as (
          insert into index_place (organization_id, path, kind, field)
          select id, path, kind, family || number from numbered join account a on a.id = ${organizationId}
           where number <= room
          returning organization_id, path, kind, field
        ), refilled as (
          -- Documents that have the path in another kind were made before this one was known.
          insert into index_refill (organization_id, path, kind)
          select organization_id, path, kind from placed n where exists (
            select from index_place p where p.organization_id = n.organization_id and p.path = n.path)
          on conflict do nothing
        )
        select left(field, 1) as family, max(substr(field, 2)::int) as places from placed group by 1`);
      await this.map(tx, { ...noPlaces, ...Object.fromEntries(rows.map(({ family, places }) => [family, places])) });
    });
    this.known.delete(organizationId);
  }

  private async load(stale: readonly { id: string; version: number }[]): Promise<void> {
    if (this.known.size + stale.length > maxOrganizations) this.known.clear();
    for (const { id, version } of stale) {
      const { rows: places } = await this.pool.query<PathKind & { field: string }>(
        sql`select path, kind, field from index_place where organization_id = ${id}`,
      );
      const { rows: seen } = await this.pool.query<{ path: string; kind: keyof typeof seenKinds }>(
        sql`select path, kind from record_field where organization_id = ${id}`,
      );
      const byPath = new Map<string, Partial<Record<PlaceKind, string>>>();
      for (const { path, kind, field } of places) {
        const place = byPath.get(path) ?? {};
        place[kind] = field;
        byPath.set(path, place);
      }
      const catalogue = new Map(seen.map(({ path, kind }) => [path, seenKinds[kind]]));
      this.known.set(id, new CachedPlaces(version, byPath, catalogue));
    }
  }
}
