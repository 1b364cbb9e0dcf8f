import sql, { type Sql } from 'sql-template-tag';
import { keysOfPath } from '#json/key-path.js';
import type { Field, FieldKind, Fields } from '#search/field/field.js';
import { type JsonRoot, type JsonValues, rowJson } from '../sql/json-value.js';
import { name } from '../sql/name.js';
import { type StoredField, sqlOf } from '../sql/stored-field.js';

/** A value in the JSON of each record. Blocks have it in columns of their own. */
export interface Leaf {
  /** Column of `r`. */
  readonly column: Sql;
  readonly root: JsonRoot;
  /** Lists of keys that lead to it, in the order in which they are tried. */
  readonly keys: readonly (readonly string[])[];
  /** Kind of the value, or the digits of a whole number, which may be the only element of a list. */
  readonly kind: 'double' | 'boolean' | 'keyword' | 'digits';
  /** Reads the value of a row. */
  readonly stored: Sql;
  /** Whether the value is an array, because some records have lists. */
  readonly isList?: true;
  /** Products whose records have the value in a slot instead. */
  readonly declaring?: readonly string[];
  /** Slot whose numbers need the value, if they are too large. */
  readonly slot?: number;
}

/** A field whose values are read from leaves. */
interface LeafField extends StoredField {
  readonly leaves: readonly Leaf[];
}

/** Returns the leaves that a field reads. */
export const leavesOf = (field: Field): readonly Leaf[] => ('leaves' in field ? (field as LeafField).leaves : []);

/** Returns fields that read single values in JSON as columns of `r`. */
export const withLeaves = (fields: Fields): Fields => {
  const columns = new LeafColumns();
  const known = new Map<string, Field>();
  const convert = (field: Field): Field => {
    let converted = known.get(field.path);
    if (converted === undefined) known.set(field.path, (converted = columns.fieldOf(field)));
    return converted;
  };
  return {
    ...fields,
    find: (path) => {
      const field = fields.find(path);
      return field && convert(field);
    },
    matching: (pattern) => fields.matching(pattern).map(convert),
  };
};

/** Whether the values of a field in JSON are leaves. */
const hasLeaves = ({ origin, path }: Field): boolean =>
  (origin.kind === 'declared' || origin.kind === 'undeclared') && !path.split('.').some(isIndex);

/** Whether a key would also lead into a list. */
const isIndex = (key: string): boolean => /^-?\d+$/.test(key);

/** Names the columns of leaves. */
class LeafColumns {
  private count = 0;

  /** Returns the field over columns, or as it is if it reads no leaves. */
  fieldOf(field: Field): Field {
    if (!hasLeaves(field)) return field;
    const leaves: Leaf[] = [];
    const converted = sqlOf(
      field,
      jsonOf((leaf) => {
        const column = name('json', this.count++);
        leaves.push({ ...leaf, column });
        return sql`r.${column}`;
      }),
    );
    const leafField: LeafField = { ...field, ...converted, leaves };
    return leaves.length === 0 ? field : leafField;
  }
}

/** Reads values in JSON from the columns that `add` names. */
const jsonOf = (add: (leaf: Omit<Leaf, 'column'>) => Sql): JsonValues => ({
  atKeys: (root, keys, kind) => add({ root, keys, kind: leafKind(kind), stored: rowJson.atKeys(root, keys, kind) }),
  allAtKeys: (root, keys, kind) =>
    add({ root, keys, kind: leafKind(kind), stored: rowJson.allAtKeys(root, keys, kind), isList: true }),
  ofOthers: (variables, kind) =>
    add({
      root: 'data',
      keys: keysOfPath(variables[0]!.name),
      kind: leafKind(kind),
      stored: rowJson.ofOthers(variables, kind),
      declaring: variables.map(({ productId }) => productId),
    }),
  digits: (name, slot) =>
    add({
      root: 'data',
      keys: [[name], ...keysOfPath(name)],
      kind: 'digits',
      stored: rowJson.digits(name, slot),
      slot,
    }),
  isCostly: false,
});

const leafKind = (kind: FieldKind): Leaf['kind'] => (kind === 'keyword' || kind === 'boolean' ? kind : 'double');
