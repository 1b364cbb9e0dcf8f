import type pg from 'pg';
import type { WeighRows } from '../schema/context.js';
import { typeParsers } from './types.js';

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
