/** A JSON object. */
export type Plain = { [key: string]: unknown };

/** Returns every object and array inside a value, including the value. */
export const within = (value: unknown): Plain[] =>
  value === null || typeof value !== 'object'
    ? []
    : [value as Plain, ...Object.values(value).flatMap((inner) => within(inner))];

/** Returns the innermost cause of an error. */
export const innermost = (error: Plain): Plain => {
  const [shard] = (error['failed_shards'] ?? []) as { reason: Plain }[];
  const below = shard?.reason ?? (error['caused_by'] as Plain | undefined);
  return below === undefined ? error : innermost(below);
};
