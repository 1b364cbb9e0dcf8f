/** A JSON object. */
export type Plain = { [key: string]: unknown };

/** Every object and array inside a value, itself included. */
export const within = (value: unknown): Plain[] =>
  value === null || typeof value !== 'object'
    ? []
    : [value as Plain, ...Object.values(value).flatMap((inner) => within(inner))];

/** The cause at the bottom of an error. */
export const innermost = (error: Plain): Plain => {
  const [shard] = (error['failed_shards'] ?? []) as { reason: Plain }[];
  const below = shard?.reason ?? (error['caused_by'] as Plain | undefined);
  return below === undefined ? error : innermost(below);
};
