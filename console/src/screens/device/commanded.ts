import type { DeviceCommandsQuery } from '../../api/documents.js';

/** A device with its commands and its state. */
export type Commanded = NonNullable<DeviceCommandsQuery['device']>;

/** Writes a plain value as text. */
export const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
