import type pg from 'pg';
import type { WeighRows } from '#schema/context.js';
import { typeParsers } from './types.js';

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
