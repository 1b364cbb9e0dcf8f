import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { VariableType } from '#entities/enums.js';
import type { Slot } from '#records/scope/slot.js';

/** A variable as a product declares it. */
export interface Declared {
  readonly productId: string;
  readonly name: string;
  readonly type: VariableType;
}

/**
 * Numbers the sets of types that a product's variables had when a document was made (table `index_shape`). If a
 * document's shape lacks a variable or has another type for it, the document has no value of the variable: it was
 * stored under an older type, until it is decoded again.
 */
export class Shapes {
  private readonly known = new Map<string, number>();

  constructor(private readonly pool: Pool) {}

  /** Returns the number of a product's shape, which it adds if necessary. */
  async idOf(productId: string, slots: readonly Pick<Slot, 'name' | 'type'>[]): Promise<number> {
    const types = JSON.stringify(Object.fromEntries(slots.map(({ name, type }) => [name, type])));
    const key = `${productId} ${types}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { rows } = await this.pool.query<{ id: number }>(sql`
      with made as (
        insert into index_shape (product_id, types) values (${productId}, ${types}::jsonb)
        on conflict (product_id, digest) do nothing returning id
      )
      select id from made
      union all select id from index_shape where product_id = ${productId} and types = ${types}::jsonb`);
    // Another process added it after this statement began.
    if (!rows[0]) return this.idOf(productId, slots);
    if (this.known.size >= maxShapes) this.known.clear();
    this.known.set(key, rows[0].id);
    return rows[0].id;
  }
}

const maxShapes = 10_000;

/** Returns, for each variable in order, the shapes of its product in which it lacks this type. */
export const olderShapes = async (
  database: Queryable,
  variables: readonly Declared[],
): Promise<readonly number[][]> => {
  const { rows } = await database.query<{ older: number[] }>(sql`
    select array(select s.id from index_shape s
                  where s.product_id = v.product_id and s.types ->> v.name is distinct from v.type order by s.id) as older
      from unnest(${variables.map(({ productId }) => productId)}::uuid[], ${variables.map(({ name }) => name)}::text[],
        ${variables.map(({ type }) => type)}::text[]) with ordinality v (product_id, name, type, nr) order by nr`);
  return rows.map(({ older }) => older);
};
