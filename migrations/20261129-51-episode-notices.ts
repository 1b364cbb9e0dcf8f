import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Columns and a table for notices of episodes: facts of the device, and who got the mails. */
export class EpisodeNotices extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // The device as it was when the episode opened: its end is also told when the device is deleted.
    await steps.locked('episode', 'alter table episode add column if not exists device_serial text');
    await steps.locked('episode', 'alter table episode add column if not exists device_name text');
    // Why a silent device may not be at fault: `quota`.
    await steps.locked('episode', 'alter table episode add column if not exists opened_reason text');
    // Mails that were sent about episodes.
    await steps.locked(
      'episode',
      `create table if not exists episode_mail (
        episode_id uuid not null references episode on delete cascade,
        kind text not null check (kind in ('opened', 'closed')),
        recipient_id uuid not null,
        address text not null,
        sent_at timestamptz(3) not null,
        primary key (episode_id, kind, recipient_id)
      )`,
    );
    await steps.index({ name: 'episode_mail_sent', table: 'episode_mail', definition: '(recipient_id, sent_at)' });
    // The deliveries of events about a device. Most deliveries are records, and have no entry.
    await steps.index({
      name: 'delivery_event',
      table: 'delivery',
      definition: '(application_id, device_id, id) where kind is not null',
    });
  }
}
