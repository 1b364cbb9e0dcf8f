import { Migration } from '@mikro-orm/migrations';

/** Exchanges of meters, and what counters have reached. */
export class Counters extends Migration {
  override up(): void {
    this.addSql(`
      -- Declared exchanges of a device's meter: from this time on, the counter continues from the first value of the new
      -- meter, so that the difference between both meters is no consumption.
      create table counter_exchange (
        organization_id uuid not null,
        device_id uuid not null,
        variable text not null,
        ts timestamptz not null,
        value double precision not null,
        primary key (device_id, variable, ts),
        foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade
      );
      create index counter_exchange_variable on counter_exchange (organization_id, variable, ts);
      -- See product.organization_id.
      alter table counter_exchange alter column organization_id set (n_distinct = 100);

      -- The value from which the next step of a counter begins, after values from first to last that do not fall: noise
      -- below the highest value does not lower it. An exchange replaces it.
      create function counter_reach(high float8, first float8, last float8, jitter float8, is_value boolean)
      returns float8 language plpgsql immutable parallel safe as $function$
      begin
        if is_value and first < high and high - first <= jitter then return greatest(high, last); end if;
        return last;
      end $function$;
      create aggregate counter_high(float8, float8, float8, boolean) (sfunc = counter_reach, stype = float8, parallel = safe);
    `);
  }
}
