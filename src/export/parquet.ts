import type { RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import type { PlainJson } from '#json/json.js';
import { fittingValue } from '#records/typed-data.js';
import { timeSlices } from '#scheduling/time-slice.js';
import type { Column, ColumnKind } from './table.js';

/** A value of a column as the library takes it. */
type Value = string | number | bigint | boolean | null;

/** Storage types of the kinds of columns. Times are instants in microseconds of UTC. */
const elements: Readonly<Record<ColumnKind, Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  double: { type: 'DOUBLE' },
  long: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    // Without it, readers such as DuckDB and Polars show times without a zone.
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

/** Key of the file's metadata that lists the columns whose texts are JSON, which imports parse. */
const jsonMark = 'ddp.json';
/** Key of the metadata that lists the columns of text variables, in which a list holds only texts. */
const textMark = 'ddp.text';

const marked = (key: string, columns: readonly Column[], has: (column: Column) => boolean) => ({
  key,
  value: JSON.stringify(columns.filter(has).map(({ path }) => path)),
});

const codec = 'SNAPPY';
/** Target size of a page of a column in bytes, the library's default. */
const pageSize = 2 ** 20;

/**
 * Writes a Parquet file and yields its row groups as they are made. The library's own `write` blocks the event loop for
 * a whole row group; this class yields it after each column. One row group stays in memory and, of earlier ones, about
 * a kilobyte per column for the footer.
 */
export class ParquetFile {
  private readonly bytes = new ByteWriter(2 ** 20);
  private readonly file: ParquetWriter;
  private readonly leaves: readonly SchemaElement[];
  private readonly root: SchemaElement;

  constructor(
    private readonly columns: readonly Column[],
    private readonly organizationId: string,
  ) {
    this.root = { name: 'root', num_children: columns.length };
    this.leaves = columns.map(
      ({ path, kind }): SchemaElement => ({ name: path, repetition_type: 'OPTIONAL', ...elements[kind] }),
    );
    this.file = new ParquetWriter({
      writer: this.bytes,
      schema: [this.root, ...this.leaves],
      codec,
      createdBy: 'Device Data Platform',
      kvMetadata: [
        marked(jsonMark, columns, ({ kind }) => kind === 'json'),
        marked(textMark, columns, ({ kind, isText }) => kind === 'text' && isText === true),
      ],
    });
  }

  /** Writes a row group. Yields each column's bytes before it makes the next column. */
  async *group(values: readonly (readonly Value[])[], rows: number): AsyncGenerator<Uint8Array, void> {
    const start = this.bytes.offset;
    const columns: RowGroup['columns'] = [];
    let uncompressed = 0n;
    for (const [index, element] of this.leaves.entries()) {
      const { chunk } = this.chunk(element, this.columns[index]!, values[index]!);
      columns.push(chunk);
      uncompressed += chunk.meta_data?.total_uncompressed_size ?? 0n;
      await timeSlices.ifOver(this.organizationId);
      yield this.take();
    }
    this.file.num_rows += BigInt(rows);
    this.file.row_groups.push({
      columns,
      total_byte_size: uncompressed,
      num_rows: BigInt(rows),
      total_compressed_size: BigInt(this.bytes.offset - start),
    });
  }

  /** Writes the footer: the schema, and the position of each row group. */
  end(): Uint8Array {
    void this.file.finish();
    return this.take();
  }

  private chunk(element: SchemaElement, { kind }: Column, values: readonly Value[]) {
    return writeColumn({
      writer: this.bytes,
      column: {
        columnName: element.name,
        element,
        schemaPath: [this.root, element],
        codec,
        compressors: this.file.compressors,
        // Readers skip row groups by their time. For other columns the bounds would only take space.
        stats: kind === 'time',
        pageSize,
        columnIndex: false,
        offsetIndex: false,
      },
      pageData: {
        values: values as Value[],
        definitionLevels: values.map((value) => (value === null ? 0 : 1)),
        repetitionLevels: [],
        maxDefinitionLevel: 1,
      },
    });
  }

  private take(): Uint8Array {
    const taken = this.bytes.getBytes().slice();
    this.bytes.index = 0;
    return taken;
  }
}

/**
 * Converts a value to the type of its column, as searches read it: a number that came as text is a number. Returns null
 * for a value that does not fit.
 */
export const typedValue = (value: unknown, { kind, types }: Pick<Column, 'kind' | 'types'>): Value => {
  if (value === null || value === undefined) return null;
  if (types === undefined) return typed[kind](value);
  for (const type of types) {
    const fitting = fittingValue(type, value as PlainJson);
    if (fitting !== undefined) return typed[kind](fitting);
  }
  return null;
};

/** Matches the texts that searches read as numbers where no product declares a type. */
const numericText = /^-?\d{1,40}(\.\d{1,40})?$/;
const booleans = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

const typed: Readonly<Record<ColumnKind, (value: unknown) => Value>> = {
  text: (value) => textOf(value),
  json: (value) => textOf(value),
  double: (value) => {
    if (typeof value === 'number') return value;
    return typeof value === 'string' && numericText.test(value) ? Number(value) : null;
  },
  boolean: (value) => (typeof value === 'boolean' ? value : (booleans.get(value) ?? null)),
  // Whole numbers beyond 2^53 arrive as decimal text.
  long: (value) => {
    if (typeof value === 'string') return /^-?\d{1,19}$/.test(value) ? inRange(BigInt(value)) : null;
    return Number.isInteger(value) ? inRange(BigInt(value as number)) : null;
  },
  time: (value) => {
    if (typeof value === 'number') return BigInt(Math.round(value * 1e6));
    const millis = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    return Number.isNaN(millis) ? null : BigInt(millis) * 1000n;
  },
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const inRange = (value: bigint): bigint | null => (BigInt.asIntN(64, value) === value ? value : null);
