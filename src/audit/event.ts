import sql, { raw, type Sql } from 'sql-template-tag';
import type { AuditChanges, AuditTarget } from '#entities/audit-event.js';
import { newId, nilId } from '#entities/id.js';

/** The member to whom the token or session belongs. */
interface Member {
  readonly userId: string;
  readonly userName: string | null;
}

/** Actor of an event, with the names at the time of the event. */
export type Actor =
  | ({ readonly kind: 'token'; readonly id: string; readonly name: string | null } & (
      | Member
      | { readonly userId: null }
    ))
  | ({ readonly kind: 'session'; readonly id: string } & Member)
  | { readonly kind: 'operator'; readonly name: string }
  /** Somebody whom a provider of sign-ins named. */
  | {
      readonly kind: 'person';
      readonly name: string | null;
      readonly userId: string | null;
      readonly userName: string | null;
    }
  | { readonly kind: 'job'; readonly id: string; readonly name: string };

/** An event to write. */
export interface NewEvent {
  /** Organization in which the operation happened; null outside of organizations. */
  readonly organizationId: string | null;
  readonly actor: Actor;
  /** Name of the operation. */
  readonly action: string;
  readonly target?: AuditTarget | null | undefined;
  readonly changes?: AuditChanges | undefined;
  readonly outcome?: 'success' | 'refused';
  readonly requestId?: string | null;
  readonly address?: string | null;
}

/**
 * Columns of an event, in the order of {@link insertEvent}. Statements name them, because a process of the previous
 * release still writes after a migration has added a column.
 */
export const eventColumns = raw(
  'id, organization_id, actor_kind, actor_id, actor_name, user_id, user_name, action, target_kind, target_id, target_name, changes, outcome, request_id, address',
);

/** Maximum number of characters of the changed values of one event. */
const maxCharacters = 65_536;

/**
 * Returns the statement that writes an event. It is part of the statement that makes the change, or runs in the same
 * transaction. The SQL text is always the same, unless `happened` is given. Each parameter adds about a microsecond to a
 * create, so the statement has no more than it needs.
 * @param happened condition that is false if nothing changed; the event then lists no changes
 */
export const insertEvent = (event: Omit<NewEvent, 'outcome'>, happened?: Sql): Sql => {
  const row = rowOf(event);
  const noted = sql`${row.changes}::json`;
  return sql`
    insert into audit_event (${eventColumns})
    select ${row.id}::uuid, ${row.organization_id}::uuid, ${row.actor_kind}, ${row.actor_id}::uuid, ${row.actor_name},
           ${row.user_id}::uuid, ${row.user_name}, ${row.action}, ${row.target_kind}, ${row.target_id}::uuid,
           ${row.target_name}, ${happened === undefined ? noted : sql`case when ${happened} then ${noted} else '{}'::json end`},
           'success', ${row.request_id}, ${row.address}`;
};

/** Returns an event as a JSON object of columns, for statements that write several. */
export const eventRecord = (event: NewEvent): object => {
  const row = rowOf(event);
  return { ...row, changes: JSON.parse(row.changes) as object };
};

/** Returns the columns of an event, with `changes` as JSON text. */
const rowOf = ({ actor, target, outcome = 'success', changes = {}, ...event }: NewEvent) => ({
  id: newId(),
  organization_id: event.organizationId ?? nilId,
  actor_kind: actor.kind,
  actor_id: 'id' in actor ? actor.id : null,
  actor_name: 'name' in actor ? actor.name : null,
  user_id: 'userId' in actor ? actor.userId : null,
  user_name: 'userName' in actor ? actor.userName : null,
  action: event.action,
  target_kind: target?.kind ?? null,
  target_id: target?.id ?? null,
  target_name: target?.name ?? null,
  changes: textOf(changes),
  outcome,
  request_id: event.requestId ?? null,
  address: event.address ?? null,
});

/** Replaces values that are too long for an event by the word `changed`. */
const textOf = (changes: AuditChanges): string => {
  const text = JSON.stringify(changes);
  if (text.length <= maxCharacters) return text;
  const limit = Math.max(64, Math.floor(maxCharacters / Object.keys(changes).length / 2));
  const short = Object.entries(changes).map(([field, [before, after]]) => [
    field,
    [
      JSON.stringify(before).length > limit ? 'changed' : before,
      JSON.stringify(after).length > limit ? 'changed' : after,
    ],
  ]);
  return JSON.stringify(Object.fromEntries(short));
};
