import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Records for which the query of an alert rule got no answer in time, to be decided later. */
export class AlertUndecided extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'alert_state, alert_rule',
      `
      -- A record of a device that a rule has not decided yet. A state that ends takes its rows with it. The number
      -- orders the records of a device as the rule is to decide them.
      create table if not exists alert_undecided (
        device_id uuid not null,
        rule_id uuid not null,
        number bigint generated always as identity,
        record_id uuid not null,
        ts timestamptz not null,
        product_id uuid,
        -- Values that the comparisons of the rule need.
        data json not null,
        noted_at timestamptz(3) not null,
        primary key (device_id, rule_id, number),
        foreign key (device_id, rule_id) references alert_state on delete cascade
      );
      create index if not exists alert_undecided_rule on alert_undecided (rule_id, number);

      -- When a rule with undecided records is tried next. A process that decides them moves the time ahead as its lease.
      create table if not exists alert_backlog (
        rule_id uuid primary key references alert_rule on delete cascade,
        due_at timestamptz(3) not null
      )`,
    );
  }
}
