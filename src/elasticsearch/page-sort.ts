import { JsonObject, type LocatedJson, locate } from '../json.js';

/** The keys of a query's sort, the engines' name of the storing order read as ours; undefined where there is none. */
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

/** A sort with the storing order as its last key, unless it has a key that no two records share already. */
export const tieBroken = (keys: readonly LocatedJson[]): LocatedJson[] =>
  keys.some((key) => unique.has(fieldOf(key) ?? '')) ? [...keys] : [...keys, locate('_doc')];

const unique = new Set(['_doc', '_id']);

const fieldOf = (key: LocatedJson): string | undefined => {
  if (key.kind === 'string') return key.text;
  return key.kind === 'object' ? key.members[0]?.key : undefined;
};
