import sql from 'sql-template-tag';
import { invalid, notFound } from '#common/errors.js';
import type { DeviceName } from '#downlink/downlink.js';
import type { Caller } from '#entities/caller.js';
import { serialKey } from '#entities/serial.js';
import { isStorable } from '#entities/storable.js';
import type { Read } from '#schema/context.js';

/** A device that a gateway speaks for, or no longer speaks for. */
export interface Announcement {
  device: DeviceName;
  /** Name of the device in messages to the gateway, as the gateway wrote it. */
  name: string;
  isHere: boolean;
}

/** A client that speaks for a device. */
export interface Sender {
  caller: Caller;
  /** The client identifier; empty if the server assigned it. */
  clientId: string;
}

/**
 * Returns how the client names its device: by its token, or else by the serial that is its client identifier.
 * @throws invalid if it does not
 */
export function deviceOf({ caller: { deviceId }, clientId }: Sender): { deviceId: string } | { serial: string } {
  if (deviceId !== null) return { deviceId };
  if (clientId === '' || clientId.length > 200 || !isStorable(clientId))
    throw invalid([
      { path: '', message: 'Say which device speaks: by its own token, or by its serial as client identifier.' },
    ]);
  return { serial: clientId };
}

/** Returns the device of the client. @throws invalid, notFound */
export async function publishingDevice(sender: Sender, read: Read): Promise<DeviceName> {
  const { organizationId } = sender.caller;
  const name = deviceOf(sender);
  if ('deviceId' in name) return { id: name.deviceId, organizationId };
  return deviceOfSerial(organizationId, name.serial, read);
}

/** Returns the device of a serial. @throws notFound */
export async function deviceOfSerial(organizationId: string, serial: string, read: Read): Promise<DeviceName> {
  const [device] = await read<{ id: string }>(
    sql`select id from device where organization_id = ${organizationId} and serial_key = ${serialKey(serial)}`,
  );
  if (device === undefined) throw notFound('device');
  return { id: device.id, organizationId };
}
