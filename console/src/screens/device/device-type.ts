import type { DeviceQuery } from '../../api/documents.js';

export type Device = NonNullable<DeviceQuery['device']>;
