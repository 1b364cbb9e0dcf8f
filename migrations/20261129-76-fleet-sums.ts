import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Sums of all devices of a product, by hour, day and month. */
export class FleetSums extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.run(`
      -- Sums of a slot by device: of the hours ('h') and local days ('d') of a UTC day, or of a local month ('m'). Node
      -- encodes and decodes the cells (src/records/blocks/fleet-sum.ts).
      create table if not exists record_fleet_sum (
        source int not null,
        slot smallint not null,
        level "char" not null,
        -- The UTC day, or the first day of the month.
        day date not null,
        part "char" not null,
        -- The part with the same cells.
        same "char",
        cells bytea not null,
        primary key (source, slot, level, day, part)
      );
      alter table record_fleet_sum alter column cells set storage external;
    `);
    // `made_at` of the blocks from which these sums were made; '-infinity' if the day has too few devices for them.
    await steps.locked(
      'record_blocked',
      'alter table record_blocked add column if not exists summed_at timestamptz(3)',
    );
    await steps.index({
      name: 'record_blocked_to_sum',
      table: 'record_blocked',
      definition: `(day) where summed_at is distinct from made_at and summed_at is distinct from '-infinity'`,
    });
  }
}
