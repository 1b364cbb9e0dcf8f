import { parquetLimits } from './parquet-limit.js';
import { list, natural, readStruct, structure, type ThriftStruct } from './parquet-thrift.js';

/** A column with values: its path in the schema, and the encoding of its levels. */
export interface ParquetLeaf {
  path: string[];
  /** Physical type (parquet.thrift, Type). */
  type: number;
  /** Number of bytes of a fixed-length value. */
  typeLength: number;
  maxDefinition: number;
  maxRepetition: number;
  /** Whether the column is neither repeated nor nested. */
  isFlat: boolean;
}

/** The pages of a column in a row group: a range of bytes of the file. `end` is exclusive. */
interface Chunk {
  start: number;
  end: number;
  /** parquet.thrift, CompressionCodec. */
  codec: number;
}

/** A row group. Its bytes begin at `start` and end before `end`. */
export interface Group {
  rows: number;
  start: number;
  end: number;
  /** One chunk for each leaf, in the order of leaves. */
  chunks: Chunk[];
}

/** The values of a footer that the reader relies on. */
export interface Footer {
  /** Names of the top-level columns. */
  names: string[];
  leaves: ParquetLeaf[];
  groups: Group[];
}

const required = 0;
const repeated = 2;
const fixedLength = 7;
const variant = 16;
const longestFixed = 1024;
/** A file begins with four bytes that belong to no column. */
const firstByte = 4;

/**
 * Checks the footer of a file (parquet.thrift, FileMetaData) against the bytes that exist, before hyparquet reads it.
 * @param end offset of the footer in the file
 * @throws Error with the reason
 */
export const checkFooter = (bytes: Uint8Array, end: number): Footer => {
  const { fields } = readStruct(bytes, 0, parquetLimits.footerValues);
  const elements = list(fields, 2, 'the schema').map((each) => structure(each, 'an element of the schema'));
  if (elements.length > parquetLimits.schemaElements)
    throw new Error(`its schema has more than ${parquetLimits.schemaElements} elements`);
  const { names, leaves } = readSchema(elements);
  const groups = list(fields, 4, 'the list of row groups').map((each) =>
    readGroup(structure(each, 'a row group'), leaves, end),
  );
  if (groups.length > parquetLimits.groups)
    throw new Error(`it has more than ${parquetLimits.groups} row groups; write it with larger ones`);
  requireApart(groups, end);
  return { names, leaves, groups };
};

/** Checks that chunks do not overlap: shared bytes would be read and decompressed once for each chunk. */
const requireApart = (groups: readonly Group[], end: number): void => {
  const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
  const chunks = groups.flatMap((group) => group.chunks);
  const claimed = sum(chunks.map((chunk) => chunk.end - chunk.start));
  const spanned = sum(groups.map((group) => group.end - group.start));
  if (claimed > end || spanned > 2 * end) throw new Error('its columns claim more bytes than it has');
};

const numberOf = (fields: ThriftStruct, id: number): number | undefined => {
  const value = fields.get(id);
  return typeof value === 'number' ? value : undefined;
};

const decoder = new TextDecoder();
const textOf = (value: unknown): string => (value instanceof Uint8Array ? decoder.decode(value) : '');

const readSchema = (elements: readonly ThriftStruct[]): Pick<Footer, 'names' | 'leaves'> => {
  const [names, leaves]: [string[], ParquetLeaf[]] = [[], []];
  let next = 0;
  const read = (path: readonly string[], levels: Pick<ParquetLeaf, 'maxDefinition' | 'maxRepetition'>): void => {
    const element = elements[next++];
    if (element === undefined) throw new Error('its schema claims more columns than it has');
    if (path.length > parquetLimits.depth)
      throw new Error(`its schema nests more than ${parquetLimits.depth} levels deep`);
    const isRoot = next === 1;
    const own = isRoot ? [] : [...path, textOf(element.get(4))];
    if (own.length === 1) names.push(own[0]!);
    const repetition = numberOf(element, 3);
    const below = {
      // The root counts for repetition, because hyparquet counts it.
      maxDefinition: levels.maxDefinition + (!isRoot && repetition !== required ? 1 : 0),
      maxRepetition: levels.maxRepetition + (repetition === repeated ? 1 : 0),
    };
    if (element.get(10) instanceof Map && (element.get(10) as ThriftStruct).has(variant))
      throw new Error('it has a column of the type VARIANT, which is not supported');
    const children = numberOf(element, 5) ?? 0;
    if (isRoot || children > 0) {
      if (element.has(1)) throw new Error('a column of its schema is a value and a group');
      for (let index = 0; index < children; index++) read(own, below);
    } else leaves.push(leafOf(element, own, below, repetition));
  };
  read([], { maxDefinition: 0, maxRepetition: 0 });
  if (next !== elements.length) throw new Error('its schema is not a tree');
  if (leaves.length > parquetLimits.columns) throw new Error(`it has more than ${parquetLimits.columns} columns`);
  return { names, leaves };
};

const leafOf = (
  element: ThriftStruct,
  path: string[],
  levels: Pick<ParquetLeaf, 'maxDefinition' | 'maxRepetition'>,
  repetition: number | undefined,
): ParquetLeaf => {
  const type = natural(element, 1, 'the type of a column');
  if (type > fixedLength) throw new Error(`a column has the unknown type ${type}`);
  const typeLength = type === fixedLength ? natural(element, 2, 'the length of the values of a column') : 0;
  if (type === fixedLength && (typeLength === 0 || typeLength > longestFixed))
    throw new Error(`the values of a column have ${typeLength} bytes; they may have ${longestFixed}`);
  return { path, type, typeLength, ...levels, isFlat: path.length === 1 && repetition !== repeated };
};

const readGroup = (group: ThriftStruct, leaves: readonly ParquetLeaf[], end: number): Group => {
  const rows = natural(group, 3, 'the number of rows of a row group');
  const { groupRows, groupValues } = parquetLimits;
  if (rows > groupRows || rows * leaves.length > groupValues)
    throw new Error(
      `a row group may have at most ${groupRows} rows and ${groupValues} values; write it with smaller ones`,
    );
  const columns = list(group, 1, 'the list of columns of a row group');
  if (columns.length !== leaves.length) throw new Error('a row group has other columns than the schema');
  const chunks = columns.map((column, index) =>
    readChunk(structure(structure(column, 'a column').get(3), 'the header of a column'), leaves[index]!, end),
  );
  return {
    rows,
    chunks,
    start: chunks.reduce((least, chunk) => Math.min(least, chunk.start), end),
    end: chunks.reduce((most, chunk) => Math.max(most, chunk.end), firstByte),
  };
};

const readChunk = (column: ThriftStruct, leaf: ParquetLeaf, fileEnd: number): Chunk => {
  const path = list(column, 3, 'the path of a column').map(textOf);
  const isOther = path.length !== leaf.path.length || path.some((part, index) => part !== leaf.path[index]);
  if (isOther || column.get(1) !== leaf.type) throw new Error('a row group has other columns than the schema');
  const dictionary = column.has(11) ? natural(column, 11, 'the place of a dictionary') : 0;
  const start = dictionary || natural(column, 9, 'the place of a column');
  const end = start + natural(column, 7, 'the size of a column');
  if (start < firstByte || end > fileEnd) throw new Error('a column lies outside of the file');
  return { start, end, codec: natural(column, 4, 'the compression of a column') };
};
