import type pg from 'pg';
import { typeParsers } from './types.js';

/**
 * Counts characters of values as they come from a connection, for one request. With 0 it only says whether more may come.
 * @throws where they are too many: the other rows of the statement are dropped then, and the statement fails with that.
 */
export type WeighRows = (characters: number) => void;

/** The parsers of our connections, for a statement whose values are counted before they are parsed. */
export const weighedTypes = (weigh: WeighRows): pg.CustomTypesConfig => ({
  getTypeParser: (oid, format) => {
    const parse = typeParsers.getTypeParser(oid, format) as (value: string) => unknown;
    return (value: string) => {
      weigh(value.length);
      return parse(value);
    };
  },
});
