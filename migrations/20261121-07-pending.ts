import { Migration } from '@mikro-orm/migrations';

/** Its check of what waits is that of 20261122-98-claims now: until then claims of before write other states. */
export class Pending extends Migration {
  override up(): void {
    // Nothing is left of it.
  }
}
