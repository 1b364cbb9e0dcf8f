import { JsonObject, type LocatedJson, locate } from '#json/json.js';

/**
 * Returns the sort keys of a query, or undefined without a sort. Replaces `_shard_doc`, the engines' name for the order
 * of storing, by `_doc`.
 */
export const sortOf = (query: JsonObject): LocatedJson[] | undefined => {
  const sort = query.get('sort');
  if (sort === undefined || (sort.kind === 'literal' && sort.value === null)) return undefined;
  const keys = sort.kind === 'array' ? sort.items : [sort];
  return keys.flatMap((key) =>
    key.kind === 'object'
      ? key.members.map((member) => new JsonObject(key, [{ ...member, key: ourName(member.key) }], key.end))
      : key.kind === 'string' && key.text === '_shard_doc'
        ? [locate('_doc')]
        : [key],
  );
};

const ourName = (field: string) => (field === '_shard_doc' ? '_doc' : field);

/** Adds the storing order as the last sort key, unless some key is already unique per record. */
export const tieBroken = (keys: readonly LocatedJson[]): LocatedJson[] =>
  keys.some((key) => unique.has(fieldOf(key) ?? '')) ? [...keys] : [...keys, locate('_doc')];

const unique = new Set(['_doc', '_id']);

const fieldOf = (key: LocatedJson): string | undefined => {
  if (key.kind === 'string') return key.text;
  return key.kind === 'object' ? key.members[0]?.key : undefined;
};
