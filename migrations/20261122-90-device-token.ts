import { Migration } from '@mikro-orm/migrations';

/** Tokens of devices: each posts the records of one device, and ends with it. */
export class DeviceToken extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_token
        add column device_id uuid,
        add foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade,
        add check (device_id is null or (user_id is null and scope = 'ingest'));
      create index api_token_device on api_token (organization_id, device_id) where device_id is not null;
    `);
  }
}
