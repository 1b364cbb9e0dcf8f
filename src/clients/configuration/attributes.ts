import type { Values } from './document.js';

/** Returns the attributes of a document or of a stored thing that have a value. */
export const heldAttributes = (attributes: unknown): Values =>
  Object.fromEntries(Object.entries((attributes ?? {}) as Values).filter(([, value]) => value !== null));

/** Returns the values of a change. Attributes that a document with attributes lacks are to have no value. */
export const changedValues = (wanted: Values, stored: Values): Values => {
  const { attributes } = wanted;
  if (attributes === undefined) return wanted;
  const ended = Object.keys(stored['attributes'] ?? {}).map((name) => [name, null] as const);
  return { ...wanted, attributes: { ...Object.fromEntries(ended), ...(attributes as Values | null) } };
};

/** Returns the values of a device or a site as `putDevices` and `putSites` take them. */
export const putValues = ({ attributes, ...values }: Values): Values =>
  attributes === undefined
    ? values
    : { ...values, attributes: Object.entries((attributes ?? {}) as Values).map(([name, value]) => ({ name, value })) };
