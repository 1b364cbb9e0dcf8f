import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** Digests and sketches of whole weeks, so that long ranges read fewer of them. */
export class Week extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'record_summary',
      `
      create table if not exists record_digest_week (
        organization_id uuid not null,
        product_id uuid not null,
        week timestamptz not null,
        slot int not null,
        n bigint not null,
        sum float8,
        min float8,
        max float8,
        sum_squares float8,
        digest bytea,
        sketch bytea
      );
      comment on table record_digest_week is
        'Rows of record_digest_total, laid together by the week (from Monday, UTC). Right where no row of record_summary says that a day of it is not in.';
      alter table record_digest_week alter column digest set storage external;
      alter table record_digest_week alter column sketch set storage external;
      create index if not exists record_digest_week_product on record_digest_week (organization_id, product_id, week, slot);
      -- False of days that were made since their week was, also by processes of an earlier version.
      alter table record_summary add column if not exists in_week boolean not null default false;
    `,
    );
    await steps.index({
      name: 'record_summary_not_in_week',
      table: 'record_summary',
      definition: '(organization_id, product_id, day) where not in_week',
    });
  }
}
