import type pg from 'pg';
import type { ReadingCall } from '#entities/caller.js';
import { typeParsers } from './types.js';

/**
 * Counts characters of values for one request, as they arrive from a connection. With 0 it only checks whether more may
 * arrive.
 * @throws when there are too many. The remaining rows of the statement are dropped, and the statement fails with this
 * error.
 */
export type WeighRows = ReadingCall['weighRows'];

/** Returns the usual parsers, which count the characters of values before they parse them. */
export const weighedTypes = (weigh: WeighRows): pg.CustomTypesConfig => ({
  getTypeParser: (oid, format) => {
    const parse = typeParsers.getTypeParser(oid, format) as (value: string) => unknown;
    return (value: string) => {
      weigh(value.length);
      return parse(value);
    };
  },
});
