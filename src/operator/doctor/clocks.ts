import { hourMs } from '#common/time.js';
import { timeOf } from '#entities/id.js';
import { type AheadDevice, devicesAhead } from '#records/postgres/devices-ahead.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import { type DoctorCheck, finding } from './finding.js';

/** Maximum number of devices that are listed. */
const named = 20;

/** Finds devices whose newest record lies ahead of now: their clocks are wrong, or were. */
export const checkClocks: DoctorCheck = async (database, now) => {
  const after = new Date(now.getTime() + clockTolerance);
  const { rows } = await database.query<AheadDevice>(devicesAhead(after, named + 1));
  const count = rows.length > named ? `More than ${named}` : String(rows.length);
  const faults =
    rows.length === 0 ? [] : [`${count} devices sent records that lie ahead: set their clocks, or leave out \`ts\`.`];
  const details = rows.slice(0, named).map(({ recordId, ts, deviceId, serial, organization }) => {
    const by = (ts * 1000 - timeOf(recordId)) / hourMs;
    return `device ${serial} (${deviceId}) of ${organization}: ${by.toFixed(1)} h ahead when it sent its newest record`;
  });
  return {
    ...finding('clocks of devices', 'no record lies ahead', 'note', faults),
    ...(details.length > 0 && { details }),
  };
};
