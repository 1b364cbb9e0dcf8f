import { GraphQLDateTimeISO } from 'graphql-scalars';

/**
 * How compiled operations write scalars that are stored as the text that the scalar would make of them: times come from
 * the database in ISO 8601, and reading that text again to write it once more costs more than all else of a row.
 */
export const storedText: Readonly<Record<string, (value: unknown) => unknown>> = {
  [GraphQLDateTimeISO.name]: (value) => (typeof value === 'string' ? value : GraphQLDateTimeISO.serialize(value)),
};
