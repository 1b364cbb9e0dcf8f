import { type Client, errors } from '@opensearch-project/opensearch';
import type { IndexNames } from './indices.js';
import { placeOf } from './template.js';

/** Time before a month at which its index is made, in milliseconds. Records may be measured up to a day ahead. */
const ahead = 2 * 86_400_000;

/** Settings of making the index. */
export interface NextIndexOptions {
  client: Client;
  names: IndexNames;
}

/**
 * Makes the index of the next month two days before it begins, with the places of the current month. So the first
 * records of a month wait neither for an index nor for its mapping. Several processes may do so at once. Returns the
 * name of the new index, or undefined if there was nothing to do.
 * @param now milliseconds since 1970
 */
export const makeNextIndex = async ({ client, names }: NextIndexOptions, now: number): Promise<string | undefined> => {
  const present = names.of(now / 1000);
  const next = names.of((now + ahead) / 1000);
  if (next === present) return undefined;
  const { body: isThere } = await client.indices.exists({ index: next });
  if (isThere) return undefined;
  const { body: mappings } = await client.indices.getMapping({
    index: present,
    allow_no_indices: true,
    ignore_unavailable: true,
  });
  const fields = Object.keys(mappings[present]?.mappings.properties ?? {});
  const places = fields.flatMap((field) => {
    const mapping = placeOf(field);
    return mapping === undefined ? [] : [[field, mapping] as const];
  });
  try {
    await client.indices.create({ index: next, body: { mappings: { properties: Object.fromEntries(places) } } });
    return next;
  } catch (error) {
    // Another process was faster.
    if (error instanceof errors.ResponseError && error.message.includes('resource_already_exists_exception'))
      return undefined;
    throw error;
  }
};
