import sql from 'sql-template-tag';
import { authorize, loadApplication } from '#auth/access.js';
import { can, policies } from '#auth/policies.js';
import { deviceRows } from '#auth/rows.js';
import { invalid, notFound } from '#common/errors.js';
import type { Device } from '#entities/device.js';
import { isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import type { SelectedFields } from '#schema/selected-fields.js';

/** Maximum number of devices in one chart. */
const maxDevices = 100;

/** Fields of a device that a chart needs itself. Edges to the device read the others. */
const named: SelectedFields = { has: (field) => field === 'serial', key: 'serial' };

/** A device of a chart. */
export type Chosen = Pick<Device, 'id' | 'serial'>;

/** The devices of a chart: named by identifier, or all of an application. */
export interface Choice {
  organizationId: string;
  deviceIds?: readonly string[] | null;
  applicationId?: string | null;
}

/**
 * Returns the devices of a chart, in the order in which they are named or were linked.
 * @throws notFound (404) for a device that the caller cannot read; invalid (422) when devices are chosen in neither or
 * both ways, and for too many devices.
 */
export async function chosenDevices(ctx: Context, choice: Choice): Promise<Chosen[]> {
  const { organizationId, deviceIds, applicationId } = choice;
  if ((deviceIds == null) === (applicationId == null)) {
    throw invalid([{ path: 'deviceIds', message: 'or `applicationId` must be given, but not both' }]);
  }
  if (applicationId != null) return devicesOf(ctx, organizationId, applicationId);
  authorize(ctx, organizationId, policies.organization.read);
  const ids = [...new Set(deviceIds)];
  if (!ids.every(isId)) throw notFound('device');
  const rows = await ctx.read<Chosen>(sql`
    ${deviceRows(ctx.caller, named)}
     where d.organization_id = ${organizationId} and d.id = any(${ids}::uuid[]) and ${can(ctx.caller, policies.device.read)}`);
  const devices = new Map(rows.map((device) => [device.id, device]));
  return ids.map((id) => {
    const device = devices.get(id);
    if (device === undefined) throw notFound('device');
    return device;
  });
}

async function devicesOf(ctx: Context, organizationId: string, applicationId: string): Promise<Chosen[]> {
  const { id } = await loadApplication(ctx, { organizationId, applicationId }, policies.application.read);
  const devices = await ctx.read<Chosen>(sql`
    ${deviceRows(ctx.caller, named)} join application_device l on l.device_id = d.id
     where l.application_id = ${id} order by l.created_at, d.id limit ${maxDevices + 1}`);
  if (devices.length <= maxDevices) return devices;
  throw invalid([
    {
      path: 'applicationId',
      message: `has more than ${maxDevices} devices: name the ones to chart in \`deviceIds\``,
    },
  ]);
}

/**
 * Checks devices of an application that the caller may read.
 * @throws notFound (404) when one of them is not linked to it.
 */
export async function requireLinked(ctx: Context, applicationId: string, deviceIds: readonly string[]): Promise<void> {
  const ids = [...new Set(deviceIds)];
  if (!ids.every(isId)) throw notFound('device');
  const linked = await ctx.read(sql`
    select device_id from application_device where application_id = ${applicationId} and device_id = any(${ids}::uuid[])`);
  if (linked.length < ids.length) throw notFound('device');
}
