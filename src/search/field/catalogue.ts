import { VariableType } from '#entities/enums.js';
import { keysOfPath } from '#json/key-path.js';
import { illegalArgument } from '../search-failure.js';
import type { DeclaredVariable, Field, FieldKind, Fields } from './field.js';

/** A row of the catalogue of fields seen at ingestion. */
export interface SeenField {
  path: string;
  keys: string[];
  kind: 'number' | 'boolean' | 'text';
  multi: boolean;
}

/** The engines' type of each type of variable. */
export const kindOfVariable: Readonly<Record<VariableType, FieldKind>> = {
  [VariableType.BOOL]: 'boolean',
  [VariableType.TXT]: 'keyword',
  [VariableType.FLOAT32]: 'double',
  [VariableType.INT16]: 'long',
  [VariableType.INT64]: 'long',
  [VariableType.UINT8]: 'long',
  [VariableType.UINT16]: 'long',
  [VariableType.UINT32]: 'long',
};

const kindOfSeen: Readonly<Record<SeenField['kind'], FieldKind>> = {
  number: 'double',
  boolean: 'boolean',
  text: 'keyword',
};

/** Creates a field that no product in scope declares, with the kind of its first value. */
export const seenField = ({ path, keys, kind, multi }: SeenField): Field => ({
  path,
  kind: kindOfSeen[kind],
  valueType: kind === 'text' ? 'text' : 'double',
  origin: {
    kind: 'undeclared',
    root: keys[0] === 'metadata' ? 'metadata' : 'data',
    keys: keysOfPath(path.slice(path.indexOf('.') + 1), keys.slice(1)),
  },
  multi,
  always: false,
  ofDevice: false,
});

/** An attribute of devices. `kind` is a type of its values in JSON. */
export interface KnownAttribute {
  name: string;
  kind: 'number' | 'boolean' | 'string';
}

/** Path below which the attributes of devices are. */
const attributesPath = 'device.attributes.';

const kindOfAttribute: Readonly<Record<KnownAttribute['kind'], FieldKind>> = {
  number: 'double',
  boolean: 'boolean',
  string: 'keyword',
};

/** Creates the fields of attributes, by their paths. An attribute with values of several types is a text. */
export const attributeFields = (known: readonly KnownAttribute[]): [string, Field][] =>
  [...Map.groupBy(known, ({ name }) => name)].map(([name, [first, ...others]]) => {
    const kind = others.length > 0 ? 'keyword' : kindOfAttribute[first!.kind];
    const path = `${attributesPath}${name}`;
    const valueType = kind === 'keyword' ? 'text' : 'double';
    return [
      path,
      { path, kind, valueType, origin: { kind: 'attribute', name }, multi: false, always: false, ofDevice: true },
    ];
  });

/** Returns the fields without the attributes of devices: a query that names one is refused. */
export const refusingAttributes = (fields: Fields): Fields => ({
  ...fields,
  find(path) {
    if (path.startsWith(attributesPath)) throw illegalArgument('This link reads no attributes of devices');
    return fields.find(path);
  },
});

/** Creates the field of a variable as the products in scope declare it. All of them must have the same kind. */
export const declaredField = (
  path: string,
  variables: readonly DeclaredVariable[],
  multi: boolean,
  complete: boolean,
): Field => {
  const kinds = new Set(variables.map(({ type }) => kindOfVariable[type]));
  const kind = kinds.size > 1 ? 'double' : kindOfVariable[variables[0]!.type];
  const exact = variables.some(({ type }) => type === VariableType.INT64) && kind === 'long';
  return {
    path,
    kind,
    valueType: kind === 'keyword' ? 'text' : exact ? 'long' : 'double',
    origin: { kind: 'declared', variables, complete },
    multi,
    always: false,
    ofDevice: false,
  };
};
