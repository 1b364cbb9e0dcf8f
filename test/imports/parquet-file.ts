/** A value of Thrift's compact protocol: its type and its bytes. */
type Value = [type: number, bytes: Buffer];

const varint = (value: number | bigint): Buffer => {
  const bytes: number[] = [];
  let left = BigInt(value);
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
};
const zigzag = (value: number) => varint(BigInt(value) * 2n);

export const integer = (value: number): Value => [5, zigzag(value)];
const long = (value: number): Value => [6, zigzag(value)];
const text = (value: string): Value => [8, Buffer.concat([varint(value.length), Buffer.from(value)])];
export const record = (fields: Readonly<Record<number, Value | undefined>>): Value => {
  let last = 0;
  const parts = Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const [id, [type, bytes]] = [Number(key), value];
    const head = Buffer.from([((id - last) << 4) | type]);
    last = id;
    return [head, bytes];
  });
  return [12, Buffer.concat([...parts, Buffer.from([0])])];
};
const list = (type: number, values: readonly Buffer[], claimed = values.length): Value => [
  9,
  Buffer.concat([Buffer.from([0xf0 | type]), varint(claimed), ...values]),
];

/** A page as written: its header and its body. */
export interface Page {
  header: Value;
  body: Buffer;
}

/** A data page: the number of values that it claims, and its stored bytes. */
export const dataPage = (
  values: number,
  body: Buffer,
  { encoding = 0, unpacked = body.length, claimed = body.length } = {},
): Page => ({
  header: record({
    1: integer(0),
    2: integer(unpacked),
    3: integer(claimed),
    5: record({ 1: integer(values), 2: integer(encoding), 3: integer(3), 4: integer(3) }),
  }),
  body,
});

/** A dictionary page that claims this many values. */
export const dictionaryPage = (values: number, body: Buffer): Page => ({
  header: record({
    1: integer(2),
    2: integer(body.length),
    3: integer(body.length),
    7: record({ 1: integer(values), 2: integer(0) }),
  }),
  body,
});

/** One run of equal values, for levels or dictionary indexes. The length precedes the run of levels. */
export const run = (count: number, value: number): Buffer => Buffer.concat([varint(count * 2), Buffer.from([value])]);
export const prefixed = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** A column: its pages, and the fields of its header. */
export interface Column {
  name: string;
  pages: readonly Page[];
  /** parquet.thrift, Type; text by default. */
  type?: number;
  /** parquet.thrift, ConvertedType; UTF8 by default. */
  converted?: number;
  isRequired?: boolean;
  codec?: number;
}

/** Writes a file with one row group. `columnsClaimed` is the claimed length of its column list. */
export const parquetFile = (
  rows: number,
  columns: readonly Column[],
  { columnsClaimed = columns.length, footerClaimed = 0 } = {},
): Buffer => {
  const parts: Buffer[] = [Buffer.from('PAR1')];
  let at = 4;
  const chunks = columns.map(({ name, pages, type = 6, codec = 0 }) => {
    const bytes = Buffer.concat(pages.flatMap(({ header, body }) => [header[1], body]));
    const start = at;
    parts.push(bytes);
    at += bytes.length;
    return record({
      2: long(start),
      3: record({
        1: integer(type),
        2: list(5, [integer(0)[1]]),
        3: list(8, [text(name)[1]]),
        4: integer(codec),
        5: long(rows),
        6: long(bytes.length),
        7: long(bytes.length),
        9: long(start),
      }),
    })[1];
  });
  const schema = [
    record({ 4: text('schema'), 5: integer(columns.length) }),
    ...columns.map(({ name, type = 6, converted = 0, isRequired = false }) =>
      record({
        1: integer(type),
        3: integer(isRequired ? 0 : 1),
        4: text(name),
        6: type === 6 ? integer(converted) : undefined,
      }),
    ),
  ].map(([, bytes]) => bytes);
  const group = record({ 1: list(12, chunks, columnsClaimed), 2: long(at), 3: long(rows) })[1];
  const footer = record({ 1: integer(1), 2: list(12, schema), 3: long(rows), 4: list(12, [group]) })[1];
  const end = Buffer.alloc(4);
  end.writeUInt32LE(footerClaimed || footer.length);
  return Buffer.concat([...parts, footer, end, Buffer.from('PAR1')]);
};
