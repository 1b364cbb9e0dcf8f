import DataLoader from 'dataloader';
import sql, { empty } from 'sql-template-tag';
import { targetOf } from '#audit/fields.js';
import { execute } from '#auth/execute.js';
import { invalid } from '#common/errors.js';
import type { Attribute, Attributes, AttributeValue, AttributeVersion } from '#entities/attribute.js';
import { type AttributeInput, repeatedAttributes } from '#listing/attribute.args.js';
import { loaderOf } from '#listing/loader.js';
import { attributesAt } from '#records/derive/attribute.js';
import type { Context } from '#schema/context.js';
import type { AttributeVersionsArgs } from './attribute.args.js';
import { type AttributeOwner, writeAttributes } from './write-attributes.js';

/** Reads and changes the attributes of devices or of sites. */
export class AttributesOf {
  /** @param kind `device` or `site`, the name of the table */
  constructor(
    private readonly kind: AttributeOwner['kind'],
    private readonly clock: () => number,
  ) {}

  /** Returns the attributes that hold now. All owners of a call share one statement. */
  present(ctx: Context, ownerId: string): Promise<Attribute[]> {
    const make = () =>
      new DataLoader<string, Attribute[]>(async (ids) => {
        const rows = await ctx.read<Attribute & { ownerId: string }>(attributesAt(sql`${ids}`, this.instant()));
        const byOwner = Map.groupBy(rows, (row) => row.ownerId);
        return ids.map((each) => byOwner.get(each) ?? []);
      });
    return loaderOf(ctx, `${this.kind}.attributes`, make).load(ownerId);
  }

  /** Returns the names of all attributes, in order. All owners of a call share one statement. */
  names(ctx: Context, ownerId: string): Promise<string[]> {
    const make = () =>
      new DataLoader<string, string[]>(async (ids) => {
        const rows = await ctx.read<{ ownerId: string; name: string }>(sql`
          select distinct a.owner_id as "ownerId", a.name from attribute a
           where a.owner_id = any(${ids}::uuid[]) order by a.owner_id, a.name`);
        const byOwner = Map.groupBy(rows, (row) => row.ownerId);
        return ids.map((each) => (byOwner.get(each) ?? []).map(({ name }) => name));
      });
    return loaderOf(ctx, `${this.kind}.attributeNames`, make).load(ownerId);
  }

  /** Returns values of an attribute over time, the newest first. */
  versions(ctx: Context, ownerId: string, { name, before }: AttributeVersionsArgs): Promise<AttributeVersion[]> {
    const make = () =>
      new DataLoader<string, AttributeVersion[]>(async (ids) => {
        const rows = await ctx.read<AttributeVersion & { ownerId: string }>(sql`
          select o.id as "ownerId", extract(epoch from v.valid_from)::float8 as "validFrom", v.value
            from unnest(${ids}::uuid[]) o (id) cross join lateral (
              select a.valid_from, a.value from attribute a where a.owner_id = o.id and a.name = ${name}
                ${before == null ? empty : sql`and a.valid_from < to_timestamp(${before}::float8)`}
               order by a.valid_from desc limit 100) v
           order by o.id, v.valid_from desc`);
        const byOwner = Map.groupBy(rows, (row) => row.ownerId);
        return ids.map((each) => byOwner.get(each) ?? []);
      });
    return loaderOf(ctx, `${this.kind}.attributeVersions ${before} ${name}`, make).load(ownerId);
  }

  /** Returns the attributes that hold at a time, by default now. */
  async at(ctx: Context, ownerId: string, at: number | null | undefined): Promise<Attributes> {
    return { attributes: await ctx.read<Attribute>(attributesAt(sql`${[ownerId]}`, this.instant(at))) };
  }

  /** Sets attributes. Returns those that hold now. `load` loads the owner if the caller may change it. */
  async set(ctx: Context, attributes: readonly AttributeInput[], load: () => Promise<Owner>): Promise<Attributes> {
    const faults = repeatedAttributes(attributes);
    if (faults.length > 0) throw invalid(faults);
    const now = this.clock() / 1000;
    const writes = attributes.map(({ name, value = null, validFrom }) => ({
      name,
      value,
      validFrom: validFrom ?? now,
    }));
    const owner = await load();
    return ctx.em.transactional(async (em) => {
      const changes = await writeAttributes(
        em,
        { kind: this.kind, id: owner.id, organizationId: owner.organizationId },
        writes,
      );
      ctx.audit.about(this.targetOf(owner), changes);
      return { attributes: await execute<Attribute>(em, attributesAt(sql`${`{${owner.id}}`}`, this.instant())) };
    });
  }

  /** Removes an attribute, or one of its versions. Returns the attributes that hold now. */
  async remove(
    ctx: Context,
    owner: Owner,
    { name, validFrom }: { name: string; validFrom?: number | null },
  ): Promise<Attributes> {
    return ctx.em.transactional(async (em) => {
      const removed = await execute<{ value: AttributeValue | null }>(
        em,
        sql`delete from attribute where owner_id = ${owner.id} and name = ${name}
              ${validFrom == null ? empty : sql`and valid_from = to_timestamp(${validFrom}::float8)`} returning value`,
      );
      ctx.audit.about(this.targetOf(owner), {
        [`attributes.${name}`]: [removed.map(({ value }) => value), null],
      });
      return { attributes: await execute<Attribute>(em, attributesAt(sql`${`{${owner.id}}`}`, this.instant())) };
    });
  }

  private readonly instant = (at?: number | null) => sql`to_timestamp(${at ?? this.clock() / 1000}::float8)`;

  private readonly targetOf = (owner: Owner) => targetOf(this.kind === 'device' ? 'Device' : 'Site', owner);
}

type Owner = Parameters<typeof targetOf>[1] & { id: string; organizationId: string };
