import { Migration } from '@mikro-orm/migrations';

/** What finds and counts deliveries, by device and of a whole application, however many there are. */
export class Lists extends Migration {
  override up(): void {
    this.addSql(`
      -- With the state in it, those of a device that succeeded are counted without looking at them.
      drop index delivery_device;
      create index delivery_device on delivery_done (hook_id, device_id, id) include (state);
      -- Few fail: most deliveries cost this index nothing.
      create index delivery_device_failed on delivery_done (hook_id, device_id, id) where state <> 'succeeded';
      -- The newest of all hooks of an application.
      create index delivery_application on delivery (application_id, id);
    `);
  }
}
