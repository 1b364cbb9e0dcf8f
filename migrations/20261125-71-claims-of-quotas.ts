import { Migration } from '@mikro-orm/migrations';

/** Records that processes may store of an organization's quota: all together claim no more than it has. */
export class ClaimsOfQuotas extends Migration {
  override up(): void {
    this.addSql(`
      create table if not exists quota_claim (
        organization_id uuid primary key references account on delete cascade,
        day date not null,
        claimed bigint not null,
        granted bigint not null default 0,
        touched_at timestamptz(3) not null
      )`);
    this.addSql(`
      comment on table quota_claim is 'Records of a day that processes have stored or may store.';
      comment on column quota_claim.granted is 'By the last claim.';
      comment on column quota_claim.touched_at is 'When a process last claimed, gave back, or said that it holds some.';`);
  }
}
