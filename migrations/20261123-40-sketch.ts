import { Migration } from '@mikro-orm/migrations';

/** Sketches of the different values of a day, for cardinality. */
export class Sketch extends Migration {
  override up(): void {
    this.addSql(`
      alter table record_digest_total add column sketch bytea;
      alter table record_digest_total alter column sketch set storage external;
      comment on column record_digest_total.sketch is
        'Different values of a number, or of a text (slot below 0): their number (int4), then the hash of each (int4); or minus a number, then for each 14 first bits that any hash has, the least such hash. Several behind each other are one sketch.';

      -- False of days that were made before there were sketches, also by processes of an earlier version: they are made anew in the background.
      alter table record_summary add column sketched boolean not null default false;
      create index record_summary_unsketched on record_summary (day) where not sketched;
    `);
  }
}
