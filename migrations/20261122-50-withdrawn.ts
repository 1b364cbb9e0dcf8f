import { Migration } from '@mikro-orm/migrations';

/** What others see of a product that was taken back from the public: as it was then. */
export class Withdrawn extends Migration {
  override up(): void {
    this.addSql(`
      alter table product add column withdrawn jsonb;
      comment on column product.withdrawn is 'The product as it was when it was taken back from the public: what others whose devices use it see.';
      -- Of those that were taken back before, the state of today is the nearest that is known.
      update product p set withdrawn = jsonb_build_object('name', name, 'slug', slug, 'version', version,
          'variables', variables, 'updatedAt', updated_at)
        where not public and exists (
          select from device d where d.product_id = p.id and d.organization_id <> p.organization_id);
    `);
  }
}
