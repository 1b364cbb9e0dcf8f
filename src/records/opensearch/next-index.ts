import { type Client, errors } from '@opensearch-project/opensearch';
import { dayMs } from '#common/time.js';
import type { IndexNames } from './indices.js';

/** Time before a month at which its index is made, in milliseconds. Records may be measured up to a day ahead. */
const ahead = 2 * dayMs;

export interface NextIndexOptions {
  client: Client;
  names: IndexNames;
}

/**
 * Makes the index of the next month two days before it begins, so that the first records of a month do not wait for
 * an index. Several processes may do so at once. Returns the
 * name of the new index, or undefined if there was nothing to do.
 * @param now milliseconds since 1970
 */
export const makeNextIndex = async ({ client, names }: NextIndexOptions, now: number): Promise<string | undefined> => {
  const present = names.of(now / 1000);
  const next = names.of((now + ahead) / 1000);
  if (next === present) return undefined;
  const { body: isThere } = await client.indices.exists({ index: next });
  if (isThere) return undefined;
  try {
    await client.indices.create({ index: next });
    return next;
  } catch (error) {
    // Another process was faster.
    if (error instanceof errors.ResponseError && error.message.includes('resource_already_exists_exception'))
      return undefined;
    throw error;
  }
};
