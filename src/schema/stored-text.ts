import { GraphQLDateTimeISO } from 'graphql-scalars';

/**
 * Serializers of compiled operations for scalars that the database returns in their final text. Times arrive in ISO
 * 8601; parsing and formatting them again costs more than everything else of a row.
 */
export const storedText: Readonly<Record<string, (value: unknown) => unknown>> = {
  [GraphQLDateTimeISO.name]: (value) => (typeof value === 'string' ? value : GraphQLDateTimeISO.serialize(value)),
};
