import sql from 'sql-template-tag';
import { stateRows } from '#downlink/device-state.js';
import type { DeviceState } from '#entities/device-state.js';
import type { Context } from '#schema/context.js';

/** Loads the state of a device. */
export const loadState = (ctx: Context, deviceId: string): Promise<DeviceState[]> =>
  ctx.read<DeviceState>(stateRows(sql`${[deviceId]}`));
