import { userInfo } from 'node:os';
import sql, { type Sql } from 'sql-template-tag';
import { eventColumns, eventRecord, type NewEvent } from '#audit/event.js';

/** Fields of an event that depend on the command of an operator. */
export type CommandEvent = Pick<NewEvent, 'organizationId' | 'action' | 'target' | 'changes'>;

/** Adds the events of a command to its statement, atomically. */
export const withEvents = (statement: Sql, ...events: readonly CommandEvent[]): Sql => {
  const actor = { kind: 'operator', name: operatorName() } as const;
  const rows = events.map((event) => eventRecord({ ...event, actor }));
  return sql`
    with noted as (
      insert into audit_event (${eventColumns})
      select ${eventColumns} from json_populate_recordset(null::audit_event, ${JSON.stringify(rows)}::json))
    ${statement}`;
};

/** Returns the system's name of the user who runs the command. In a container, the user may have no name. */
const operatorName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
};
