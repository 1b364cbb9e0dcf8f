import fc, { type Arbitrary } from 'fast-check';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

/** Returns the schema that a reference names. */
export type Resolve = (reference: string) => Schema;

const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Values that no field expects. */
export const hostile: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    '',
    ' ',
    '\0',
    '\ud800',
    'a\0b',
    '\ufffe',
    "'; drop table account; --",
    '%',
    '((((((((((a*)*)*)*)*)*)*)*)*)*)*$',
    'x'.repeat(5000),
    0,
    -1,
    -0.5,
    2 ** 31,
    2 ** 53,
    1e308,
    5e-324,
    [],
    {},
    [[]],
    Object.fromEntries([['__proto__', { admin: true }]]),
    { constructor: { prototype: { admin: true } } },
    { toString: 1, hasOwnProperty: 2 },
    deep(200),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values that a schema allows and, occasionally, one that it does not allow. */
export const nearly = (schema: Schema, resolve: Resolve): Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: allowed(schema, resolve) }, { weight: 1, arbitrary: hostile });

/** Values that a schema allows, but whose parts are occasionally not allowed. */
export function allowed(schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  if (schema.$ref !== undefined) return allowed(resolve(schema.$ref), resolve);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => allowed(each, resolve)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? 'any'].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, resolve)));
}

function ofType(type: string, schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 100_000 });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e12, max: schema.maximum ?? 1e12, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(nearly(schema.items ?? {}, resolve), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'object':
      return object(schema, resolve);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Addresses stay on this machine, at a port without a listener. */
const formats: Readonly<Record<string, Arbitrary<string>>> = {
  uri: fc.constantFrom('http://127.0.0.1:9/x', 'https://[::1]:9/y?z=1', 'http://localhost:9'),
  email: fc.emailAddress(),
  'date-time': fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
};

function text({ format, pattern, minLength = 0, maxLength = 20 }: Schema): Arbitrary<string> {
  const known = format === undefined ? undefined : formats[format];
  if (known !== undefined) return known;
  if (pattern?.startsWith('^')) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength: Math.max(minLength, 1), maxLength: Math.min(maxLength, 20), unit: 'grapheme' });
}

function object(schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, inner]) => [name, nearly(inner, resolve)] as const,
  );
  const whole = fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
  const partial = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  const unknown = fc
    .tuple(whole, fc.string({ maxLength: 10 }), hostile)
    .map(([value, name, extra]) => ({ ...value, [name]: extra }));
  return fc.oneof(
    { weight: 8, arbitrary: whole },
    { weight: 1, arbitrary: partial },
    { weight: 1, arbitrary: unknown },
  );
}
