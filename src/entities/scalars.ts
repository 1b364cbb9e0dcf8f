import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLDateTimeISO, GraphQLEmailAddress, GraphQLURL } from 'graphql-scalars';

/* Scalars name the meaning of a value. Whether a sent value is accepted is decided by the rules of arguments, alike
   in REST and GraphQL and with the path of the fault. Stored values are always shown unchanged. The scalars throw
   plain errors rather than GraphQLErrors, as graphql-js adds the value and its position only to those. */

const text = (value: unknown, name: string): string => {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`);
  return value;
};

const textScalar = (name: string, description: string, specifiedByURL?: string | null) =>
  new GraphQLScalarType<string, string>({
    name,
    description,
    ...(specifiedByURL != null && { specifiedByURL }),
    serialize: String,
    parseValue: (value) => text(value, name),
    parseLiteral: (node: ValueNode) => text(node.kind === Kind.STRING ? node.value : undefined, name),
  });

/** An e-mail address. */
export const EmailAddress = textScalar(
  GraphQLEmailAddress.name,
  'An e-mail address.',
  GraphQLEmailAddress.specifiedByURL,
);

export const WebAddress = textScalar(GraphQLURL.name, 'An http or https address.', GraphQLURL.specifiedByURL);

/** A serial number. */
export const Serial = textScalar(
  'Serial',
  'A serial number of a device: groups of hexadecimal digits joined by dashes, at most 64 characters. It is stored unchanged, and compared regardless of case and dashes.',
);

/** Range in which a number is a time in milliseconds. As seconds it would be beyond the year 5000. */
const milliseconds = { from: 1e11, to: 1e14 };

/** Maximum length of a time as text: `2026-11-25T10:00:00.123456789+01:00`. */
const maxTimeLength = 35;

const seconds = (value: unknown): number => {
  if (typeof value === 'string') return secondsOf(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError(expectsTime);
  // A greater number stays unchanged; the rule of the argument refuses it.
  return value >= milliseconds.from && value <= milliseconds.to ? value / 1000 : value;
};

const expectsTime = 'UnixTime must be a number of seconds or a text such as 2026-11-25T10:00:00Z';

const secondsOf = (text: string): number => {
  if (text.length > maxTimeLength) throw new TypeError(expectsTime);
  try {
    return GraphQLDateTimeISO.parseValue(text).getTime() / 1000;
  } catch {
    throw new TypeError(expectsTime);
  }
};

/** A time in Unix seconds. */
export const UnixTime = new GraphQLScalarType<number, number>({
  name: 'UnixTime',
  description:
    'A time: seconds since 1970-01-01T00:00:00Z, with fractions to the microsecond. In input, a number of 1e11 or more is read as milliseconds, and a text is read in the format of `DateTimeISO`, such as `2026-11-25T10:00:00.000Z`, to the millisecond.',
  serialize: Number,
  parseValue: seconds,
  parseLiteral: (node: ValueNode) => {
    if (node.kind === Kind.STRING) return secondsOf(node.value);
    return seconds(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : undefined);
  },
});
