import { Migration } from '@mikro-orm/migrations';

/** Dashboards of applications. */
export class Dashboards extends Migration {
  override up(): void {
    this.addSql(`
      create table dashboard (
        application_id uuid primary key,
        organization_id uuid not null,
        -- Number of times that the dashboard was saved.
        version int not null check (version > 0),
        -- The type json keeps the text, so that a reader gets the fields in the order in which they were sent.
        document json not null,
        updated_at timestamptz(3) not null,
        -- Null when a token of the organization itself saved the dashboard.
        updated_by uuid references account on delete set null,
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade
      );
      create index dashboard_updated_by on dashboard (updated_by);
    `);
  }
}
