import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** Sketches of the different values of a day, for cardinality. */
export class Sketch extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'record_digest_total, record_summary',
      `
      alter table record_digest_total add column if not exists sketch bytea;
      alter table record_digest_total alter column sketch set storage external;
      comment on column record_digest_total.sketch is
        'Different values of a number, or of a text (slot below 0): their number (int4), then the hash of each (int4); or minus a number, then for each 14 first bits that any hash has, the least such hash. Several behind each other are one sketch.';
      -- False of days that were made before there were sketches, also by processes of an earlier version: they are made anew in the background.
      alter table record_summary add column if not exists sketched boolean not null default false;
    `,
    );
    await steps.index({
      name: 'record_summary_unsketched',
      table: 'record_summary',
      definition: '(day) where not sketched',
    });
  }
}
