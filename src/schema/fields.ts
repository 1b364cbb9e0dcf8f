import {
  ArrayMaxSize,
  ArrayUnique,
  IsEmail,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  type ValidationOptions,
} from 'class-validator';
import { Field, Float, ID, Int } from 'type-graphql';
import { EmailAddress, Serial, UnixTime, WebAddress } from '#entities/scalars.js';
import { isStorable, unstorable } from '#entities/storable.js';

/* Decorators for the fields of arguments: each declares a field's type in the graph and its rules. REST and GraphQL
   check these rules, and the OpenAPI document is generated from them. An optional field may be absent (unchanged) or
   `null` (cleared). */

interface Presence {
  optional?: boolean;
  /** Default of an absent field. */
  usual?: number;
}

const field =
  (
    type: () => object,
    description: string,
    { optional = false, usual }: Presence,
    ...rules: PropertyDecorator[]
  ): PropertyDecorator =>
  (target, key) => {
    Field(type, { description, nullable: optional, ...(usual !== undefined && { defaultValue: usual }) })(
      target,
      key as string,
    );
    for (const rule of rules) rule(target, key);
  };

const notBlank = Matches(/\S/u, { message: 'must not be blank' });

/** Declares an identifier. Any text is accepted: an invalid identifier is answered as not found. */
export const id = (description: string, presence: Presence = {}) => field(() => ID, description, presence);
/** Declares a name of 1 to 200 characters. */
export const name = (description: string, presence: Presence = {}) =>
  field(() => String, description, presence, Length(1, 200), notBlank);
/** Declares a description of up to 2,000 characters. */
export const description = (text: string) => field(() => String, text, { optional: true }, MaxLength(2000));
/** Declares text of 1 to `length` characters. */
export const label = (text: string, length: number, presence: Presence = {}) =>
  field(() => String, text, presence, Length(1, length), notBlank);
/** Declares optional text of at most `length` characters. Empty text counts as absent. */
export const mark = (text: string, length: number) =>
  field(() => String, text, { optional: true }, MaxLength(length), Matches(/^$|\S/u, { message: 'must not be blank' }));
/** Declares a boolean. */
export const flag = (text: string, presence: Presence = { optional: true }) => field(() => Boolean, text, presence);
/** Declares a value of an enum. */
export const choice = (type: () => object, text: string, presence: Presence = {}) => field(type, text, presence);
/** Declares a whole number in a range. */
export const whole = (text: string, from: number, to: number, presence: Presence = {}) =>
  field(() => Int, text, presence, Min(from), Max(to));
/** Declares a number in a range. */
export const number = (text: string, from: number, to: number, presence: Presence = {}) =>
  field(() => Float, text, presence, Min(from), Max(to));
/** Declares a time in Unix seconds. A number of 1e11 or more is read as milliseconds, as in ingestion. */
export const unixTime = (text: string) => field(() => UnixTime, text, { optional: true }, Min(0), Max(1e14));
/** Declares an optional day in UTC, such as `2026-11-20`. */
export const day = (text: string) =>
  field(
    () => String,
    text,
    { optional: true },
    ValidateBy({
      name: 'day',
      validator: { validate: isDay, defaultMessage: () => 'must be a day such as 2026-11-20' },
    }),
  );
/** Declares an e-mail address. */
export const email = () => field(() => EmailAddress, 'E-mail address, unique regardless of case.', {}, IsEmail());
/** Declares a name that is unique on the platform. Upper case counts as lower case. */
export const username = () =>
  field(
    () => String,
    'Unique name on the platform.',
    {},
    Matches(/^[a-z0-9][a-z0-9_-]{1,38}$/i, {
      message: 'must be 2 to 39 letters, digits, dashes or underscores and start with a letter or digit',
    }),
  );
/** Declares a serial number: groups of hexadecimal digits joined by dashes, stored as it is sent. */
export const serial = () =>
  field(
    () => Serial,
    'Serial number: groups of hexadecimal digits joined by dashes.',
    {},
    MaxLength(64),
    Matches(/^[0-9a-f]+(-[0-9a-f]+)*$/i, { message: 'must be groups of hexadecimal digits joined by dashes' }),
  );
/** Declares an http or https address without credentials. */
export const hookUrl = (
  text = 'Address to call: http or https, without user name and password.',
  ...rules: PropertyDecorator[]
) =>
  field(
    () => WebAddress,
    text,
    {},
    MaxLength(2048),
    ValidateBy({
      name: 'hookUrl',
      validator: {
        validate: isHookUrl,
        defaultMessage: () => 'must be an http or https address without user and password',
      },
    }),
    ...rules,
  );

function isDay(text: unknown): boolean {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isHookUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/**
 * Requires storable text, for an identifier that is stored as it is sent. Other texts are checked anyway; identifiers
 * are not, as they are only looked up.
 */
export const Storable = (options: ValidationOptions = {}): PropertyDecorator =>
  ValidateBy(
    {
      name: 'storable',
      validator: { validate: (text) => typeof text !== 'string' || isStorable(text), defaultMessage: () => unstorable },
    },
    options,
  );

/** Declares a list of at most `size` texts of 1 to `length` characters. */
export const labels = (text: string, size: number, length: number) =>
  field(() => [String], text, { optional: true }, ArrayMaxSize(size), Length(1, length, { each: true }));
/** Declares a list of at most `size` e-mail addresses, each at most once regardless of case. */
export const emails = (text: string, size: number) =>
  field(
    () => [String],
    `${text} At most ${size} e-mail addresses, each at most once regardless of case.`,
    { optional: true },
    ArrayMaxSize(size),
    IsEmail({}, { each: true }),
    Matches(/^[!-~]*$/, { each: true, message: 'must be ASCII: write other domains in their xn-- form' }),
    ArrayUnique((address: unknown) => (typeof address === 'string' ? address.toLowerCase() : address), {
      message: 'must name no address twice',
    }),
  );
/** Declares a list of at most 100 identifiers. */
export const ids = (text: string) => field(() => [ID], `${text} At most 100.`, { optional: true }, ArrayMaxSize(100));
/** Declares a cursor: the `endCursor` of the previous page. */
export const cursor = () =>
  field(
    () => String,
    'Cursor after which the page begins (the `endCursor` of the previous page), instead of a page number.',
    { optional: true },
    MaxLength(500),
  );
