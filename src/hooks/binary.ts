/** PostgreSQL's numbers for the types of elements (pg_type.oid). */
const oids = { uuid: 2950, text: 25, json: 114, timestamptz: 1184, boolean: 16 } as const;

/** Milliseconds from 1970 to 2000, where PostgreSQL begins to count. */
const epoch = 946_684_800_000;

/**
 * An array in PostgreSQL's binary form (array_recv), for parameters of many rows: written as text, every quote of every
 * JSON in it would be escaped here and read back there.
 */
function array<Value>(
  oid: number,
  values: readonly Value[],
  bytesOf: (value: NonNullable<Value>) => number,
  write: (into: Buffer, at: number, value: NonNullable<Value>) => void,
): Buffer {
  const sizes = values.map((value) => (value == null ? -1 : bytesOf(value)));
  const into = Buffer.allocUnsafe(20 + sizes.reduce((sum, size) => sum + 4 + Math.max(0, size), 0));
  // Dimensions, whether there are nulls (read, never used), type, length, and the index of the first.
  [1, 1, oid, values.length, 1].forEach((number, index) => into.writeInt32BE(number, index * 4));
  let at = 20;
  values.forEach((value, index) => {
    const size = sizes[index]!;
    into.writeInt32BE(size, at);
    at += 4;
    if (value == null) return;
    write(into, at, value);
    at += size;
  });
  return into;
}

const utf8 = (oid: number) => (values: readonly (string | null | undefined)[]) =>
  array(
    oid,
    values,
    (text) => Buffer.byteLength(text),
    (into, at, text) => void into.write(text, at),
  );

/** `uuid[]` */
export const uuids = (values: readonly string[]): Buffer =>
  array(
    oids.uuid,
    values,
    () => 16,
    (into, at, id) => void into.write(id.replaceAll('-', ''), at, 'hex'),
  );

/** `text[]` */
export const texts = utf8(oids.text);

/** `json[]`, of JSON texts. */
export const jsons = utf8(oids.json);

/** `boolean[]` */
export const booleans = (values: readonly boolean[]): Buffer =>
  array(
    oids.boolean,
    values,
    () => 1,
    (into, at, value) => void into.writeUInt8(Number(value), at),
  );

/** `timestamptz[]`, of milliseconds since 1970. */
export const times = (values: readonly number[]): Buffer =>
  array(
    oids.timestamptz,
    values,
    () => 8,
    (into, at, value) => void into.writeBigInt64BE(BigInt(Math.round((value - epoch) * 1000)), at),
  );
