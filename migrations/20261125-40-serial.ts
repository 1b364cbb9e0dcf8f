import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/**
 * Serials are kept as they were sent. `serial_key`, by which they are compared, ignores case now besides dashes.
 *
 * PostgreSQL rewrites a table to change the expression of a stored column, so a trigger replaces the expression. Keys that
 * are there stay right: until now serials were kept in lower case. A process of the release before gives no key either.
 */
export class SerialKey extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.run(`
      create or replace function device_serial_key() returns trigger language plpgsql as $$
      begin
        new.serial_key := lower(replace(new.serial, '-', ''));
        return new;
      end $$`);
    await steps.locked(
      'device',
      `alter table device alter column serial_key drop expression if exists;
       create or replace trigger device_serial_key before insert or update of serial on device
         for each row execute function device_serial_key()`,
    );
  }
}
