import { isDeepStrictEqual } from 'node:util';

/**
 * Whether two JSON values are equal as `jsonb` stores them. PostgreSQL stores keys in its own order, and writes -0 as 0.
 */
export const isSameJson = (one: unknown, other: unknown): boolean => isDeepStrictEqual(asStored(one), asStored(other));

/** Returns the stored value if the sent one equals it, so that sending it again is no change. */
export const storedOrSent = <Value>(stored: Value, sent: Value): Value => (isSameJson(stored, sent) ? stored : sent);

const asStored = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
