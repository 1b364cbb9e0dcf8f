import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import sql, { join } from 'sql-template-tag';
import { execute } from '#auth/execute.js';
import { conflict } from '#common/errors.js';
import { dayMs, weekMs } from '#common/time.js';
import { type AlertRecipient, AlertRecipientState } from '#entities/alert-recipient.js';
import type { AlertRule } from '#entities/alert-rule.js';
import { newId } from '#entities/id.js';
import { loaderOf } from '#listing/loader.js';
import type { Context } from '#schema/context.js';

/** Maximum number of addresses per organization, including those that no rule names any more. */
const maxAddresses = 1000;

/** Validity of a link that confirms an address, in milliseconds. */
const linkLifetime = weekMs;
/** Time after which an address that its mail server refused is asked again, in milliseconds. */
const refusedFor = dayMs;

/**
 * Stores the recipients of a rule in the caller's transaction, in a fixed order, so that two transactions do not
 * deadlock. It asks an address for confirmation if the address is new, its link has expired, or its mail server refused
 * it some time ago. An address whose owner stopped the e-mails is not asked again.
 */
export async function noteRecipients(
  em: EntityManager,
  { organizationId, recipients }: AlertRule,
  now: number,
): Promise<void> {
  if (recipients.length === 0) return;
  const at = new Date(now).toISOString();
  const rows = recipients
    .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(
      (address) =>
        sql`(${newId()}::uuid, ${organizationId}::uuid, ${address}, 'pending', ${at}::timestamptz, ${at}::timestamptz)`,
    );
  await execute(
    em,
    sql`
    insert into alert_recipient as r (id, organization_id, address, state, since, ask_at) values ${join(rows)}
        on conflict (organization_id, lower(address)) do update
       set state = 'pending', reason = null, ask_at = excluded.ask_at,
           since = case when r.state = 'pending' then r.since else excluded.since end
     where r.state = 'pending' and r.ask_at is null and (r.asked_at is null or r.asked_at <= ${new Date(now - linkLifetime).toISOString()})
        or r.state = 'stopped' and r.reason <> 'recipient' and r.since <= ${new Date(now - refusedFor).toISOString()}`,
  );
  const [{ count } = { count: 0 }] = await execute<{ count: number }>(
    em,
    sql`select count(*)::integer as count from alert_recipient where organization_id = ${organizationId}`,
  );
  if (count > maxAddresses) {
    throw conflict(
      `Alert rules of an organization name at most ${maxAddresses} e-mail addresses. Name fewer: an unconfirmed one is deleted a week after no rule names it.`,
    );
  }
}

interface Row extends AlertRecipient {
  key: string;
}

/** Returns the states of a rule's recipients, in the order of the rule. Callers who may read the rule may read them. */
export async function recipientStatesOf(
  ctx: Context,
  { organizationId, recipients }: AlertRule,
): Promise<AlertRecipient[]> {
  if (recipients.length === 0) return [];
  const loader = loaderOf(ctx, 'rule.recipients', () => stateLoader(ctx));
  const keys = recipients.map((address) => `${organizationId} ${address}`);
  const found = await loader.loadMany(keys);
  return found.map((row, index) => {
    if (row instanceof Error) throw row;
    return {
      address: recipients[index]!,
      state: row?.state ?? AlertRecipientState.pending,
      reason: row?.reason ?? null,
      since: row?.since ?? null,
    };
  });
}

const stateLoader = (ctx: Context) =>
  new DataLoader<string, Row | null>(async (keys) => {
    const rows = await ctx.read<Row>(sql`
      select w.key, r.state, r.reason, r.since
        from unnest(${[...keys]}::text[]) w (key)
        join alert_recipient r on r.organization_id = split_part(w.key, ' ', 1)::uuid
                              and lower(r.address) = lower(split_part(w.key, ' ', 2))`);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    return keys.map((key) => byKey.get(key) ?? null);
  });
