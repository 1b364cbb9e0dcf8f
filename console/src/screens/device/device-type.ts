import type { DeviceQuery } from '../../documents.js';

export type Device = NonNullable<DeviceQuery['device']>;
