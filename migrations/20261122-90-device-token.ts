import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** Tokens of devices: each posts the records of one device, and ends with it. */
export class DeviceToken extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    const done = `select from pg_attribute where attrelid = 'api_token'::regclass and attname = 'device_id'`;
    if (!(await steps.finds(done))) {
      // Tokens are few, and none is of a device yet.
      await steps.locked(
        'api_token, device',
        `
        alter table api_token
          add column device_id uuid,
          add foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade,
          add check (device_id is null or (user_id is null and scope = 'ingest'));
      `,
      );
    }
    await steps.index({
      name: 'api_token_device',
      table: 'api_token',
      definition: '(organization_id, device_id) where device_id is not null',
    });
  }
}
