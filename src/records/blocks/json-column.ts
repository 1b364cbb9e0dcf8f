import {
  cutAlong,
  cutLeaves,
  type JsonLeaf,
  type JsonShape,
  type LeafKind,
  type LeafValue,
  leafText,
  parseShape,
} from './json-shape.js';

/** Maximum number of shapes of a part: beyond it, its texts are kept whole. */
const mostShapes = 64;

/** Maximum number of columns of a part. */
const mostColumns = 1000;

/** Values of the leaves at one path and of one kind. */
export interface LeafColumn {
  kind: LeafKind;
  /** Name of the column: kind, part and path, such as `#data.temperature`. */
  name: string;
  /** Whether `values` has one entry per record. Otherwise the elements of lists follow one another. */
  isSingle: boolean;
  values: (LeafValue | null)[];
}

/** A part of the records as shapes and leaves. */
export interface CutPart {
  shapes: string[];
  /** Index of each record's shape; null without the part. */
  indices: (number | null)[];
  columns: LeafColumn[];
}

/** A shape, and the column of each of its leaves. */
interface KnownShape {
  shape: JsonShape;
  index: number;
  columns: LeafColumn[];
}

/**
 * Cuts the JSON texts of one part of the records into shapes and leaves.
 * @param part name of the part, with which the names of columns begin
 * @returns undefined if there are too many shapes or columns
 */
export const cutPart = (part: string, texts: readonly (string | null)[]): CutPart | undefined => {
  const limit = Math.max(1, Math.min(mostShapes, Math.floor(texts.length / 2)));
  const shapes = new Map<string, KnownShape>();
  const columns = new Map<string, LeafColumn>();
  const indices: (number | null)[] = [];
  const values: LeafValue[] = [];
  let last: KnownShape | undefined;
  for (const [index, text] of texts.entries()) {
    if (text === null) {
      indices.push(null);
      continue;
    }
    values.length = 0;
    if (last === undefined || !cutAlong(last.shape, text, values)) {
      values.length = 0;
      const shape = cutLeaves(text, values);
      last = shapes.get(shape);
      if (last === undefined) {
        if (shapes.size === limit) return undefined;
        last = knownShape(part, shape, shapes.size, columns);
        if (columns.size > mostColumns) return undefined;
        shapes.set(shape, last);
      }
    }
    indices.push(last.index);
    for (const [place, column] of last.columns.entries()) addValue(column, index, values[place]!);
  }
  for (const { isSingle, values: cells } of columns.values()) if (isSingle) padTo(cells, texts.length);
  return { shapes: [...shapes.keys()], indices, columns: [...columns.values()] };
};

const addValue = ({ isSingle, values }: LeafColumn, index: number, value: LeafValue): void => {
  if (isSingle) padTo(values, index);
  values.push(value);
};

const padTo = (values: (LeafValue | null)[], length: number): void => {
  while (values.length < length) values.push(null);
};

const knownShape = (part: string, text: string, index: number, columns: Map<string, LeafColumn>): KnownShape => {
  const shape = parseShape(text);
  return {
    shape,
    index,
    columns: shape.leaves.map((leaf) => {
      const name = leafName(part, leaf);
      let column = columns.get(name);
      if (column === undefined) {
        column = { kind: leaf.kind, name, isSingle: leaf.isSingle, values: [] };
        columns.set(name, column);
      }
      return column;
    }),
  };
};

/** Returns the name of the column of a leaf, under which `record_block_path` numbers it. */
export const leafName = (part: string, { kind, path }: Pick<JsonLeaf, 'kind' | 'path'>): string => kind + part + path;

/**
 * Joins shapes and leaves to the JSON texts of one part.
 * @param valuesOf returns the values of the column of a name, one per record or, for lists, one after another
 * @param isWanted whether the text of a record is needed; null takes the place of others
 */
export const joinPart = (
  part: string,
  shapes: readonly string[],
  indices: readonly (number | null)[],
  valuesOf: (leaf: Pick<LeafColumn, 'kind' | 'name' | 'isSingle'>) => readonly (LeafValue | null)[],
  isWanted: (index: number) => boolean,
): (string | null)[] => {
  const readers = new Map<string, LeafReader>();
  const known = shapes.map((text) => {
    const { pieces, leaves } = parseShape(text);
    return {
      pieces,
      leaves: leaves.map((leaf) => {
        const { kind, isSingle } = leaf;
        const name = leafName(part, leaf);
        let reader = readers.get(name);
        if (reader === undefined) {
          reader = { values: valuesOf({ kind, name, isSingle }), isSingle, next: 0 };
          readers.set(name, reader);
        }
        return { leaf, reader };
      }),
    };
  });
  return indices.map((shape, index) => {
    if (shape === null) return null;
    const { pieces, leaves } = known[shape]!;
    if (!isWanted(index)) {
      for (const { reader } of leaves) if (!reader.isSingle) reader.next++;
      return null;
    }
    let text = pieces[0]!;
    for (const [place, { leaf, reader }] of leaves.entries()) {
      const value = reader.values[reader.isSingle ? index : reader.next++]!;
      text += leafText(leaf, value) + pieces[place + 1]!;
    }
    return text;
  });
};

/** Reads the values of a column in the order of the records. */
interface LeafReader {
  values: readonly (LeafValue | null)[];
  isSingle: boolean;
  /** Index of the next element of a list. */
  next: number;
}
