import { Migration } from '@mikro-orm/migrations';

/** Scrolls of engines' clients: their identifiers stay, so their position is stored. */
export class Scrolls extends Migration {
  override up(): void {
    this.addSql(`
      create table if not exists scroll (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        application_id uuid not null references application on delete cascade,
        query text not null,
        shown int not null,
        total text,
        position text,
        page int not null default 0,
        expires_at timestamptz(3) not null
      )`);
    this.addSql(`create index if not exists scroll_organization on scroll (organization_id, expires_at)`);
    this.addSql(`create index if not exists scroll_application on scroll (application_id)`);
    this.addSql(`create index if not exists scroll_expiry on scroll (expires_at)`);
    this.addSql(`
      comment on column scroll.query is 'JSON: without aggregations, its sort with a last key that no two records share.';
      comment on column scroll.shown is 'Sort values that a hit shows.';
      comment on column scroll.position is 'JSON: the sort values of the last hit that was given.';
      comment on column scroll.page is 'Pages that were given: whoever moves the position names the page that it read.';`);
  }
}
