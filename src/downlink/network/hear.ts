import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { noteEvidenceIn } from '../note-evidence.js';
import type { HeardEvidence } from './dialect.js';
import type { EarlyEvidence } from './push.js';

/** Maximum number of pieces of evidence that wait for the answer with the identifier of their item. */
const maxEarly = 10;

/**
 * Stores evidence about a command, if it is one to a device of the organization with one of these serials. Evidence
 * about an unknown item waits while a command of the device is being pushed: its answer may bring the item.
 * @returns the device of the command; undefined if there is none
 */
export const hearEvidence = (
  pool: Pool,
  { organizationId, serialKeys }: { organizationId: string; serialKeys: readonly string[] },
  { about, evidence }: HeardEvidence,
): Promise<string | undefined> =>
  transaction(pool, async (tx) => {
    const device = sql`select id from device where organization_id = ${organizationId} and serial_key = any(${serialKeys}::text[])`;
    if ('item' in about) {
      // Waits for the answer that is being settled.
      const early: EarlyEvidence = { item: about.item, evidence };
      await tx.query(sql`
        update command_push set early = case when cardinality(early) < ${maxEarly} then early || ${JSON.stringify(early)}::json else early end
         where device_id in (${device}) and begun`);
    }
    const { rows } = await tx.query<{ id: string; deviceId: string }>(sql`
      select c.id, c.device_id as "deviceId" from command c
       where c.organization_id = ${organizationId} and c.device_id in (${device})
         and c.id = ${'commandId' in about ? sql`${about.commandId}::uuid` : sql`(select command_id from command_item where organization_id = ${organizationId} and item = ${about.item})`}`);
    const [command] = rows;
    if (command === undefined) return undefined;
    await noteEvidenceIn(tx, command, evidence);
    return command.deviceId;
  });
