import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { valueOfName } from '#json/key-path.js';
import type { Slot } from '#records/scope/slot.js';
import type { PlainObject } from '../item.js';
import type { TypedData } from '../typed-data.js';
import type { OrganizationPlaces, PathKind } from './place.js';
import { exactDigits, type PlaceKind, type PlaceValue, scalarOf } from './value.js';

/** A row of the table `record`, with the number of its device. JSON is text as PostgreSQL writes it. */
export interface RecordRow {
  id: string;
  organizationId: string;
  deviceId: string;
  deviceNumber: number;
  productId: string | null;
  /** Microseconds since 1970. */
  us: number;
  seq: number;
  metadata: string;
  data: string;
  frame: string | null;
  given: string | null;
  numbers: TypedData['numbers'] | null;
  texts: TypedData['texts'] | null;
  many: TypedData['many'] | null;
  ignored: string[] | null;
}

/** The types of a record's product that the document is made with. */
export interface DocumentShape {
  /** See {@link Shapes}. */
  readonly id: number;
  /** Slots by name of the variable. */
  readonly slots: ReadonlyMap<string, Slot>;
}

/** Inputs for making a document. `shape` is undefined for a record without a product, or whose product was deleted. */
export interface DocumentTerms {
  readonly places: OrganizationPlaces;
  readonly shape: DocumentShape | undefined;
  /** Called with paths that have no place yet. The document lacks them and has to be remade once they have one. */
  wants(missing: PathKind): void;
}

/** Returns the kinds as which a variable's values are indexed. */
export const kindsOf = (type: VariableType): readonly PlaceKind[] => {
  if (type === VariableType.TXT) return ['k'];
  if (type === VariableType.BOOL) return ['b'];
  return type === VariableType.INT64 ? ['n', 'l'] : ['n'];
};

type Fields = Record<string, PlaceValue | PlaceValue[] | readonly string[]>;

/** Builds the document of a record, as JSON. */
export const documentOf = (row: RecordRow, { places, shape, wants }: DocumentTerms): string => {
  const { us, seq, productId, ignored } = row;
  const document: Fields = { o: row.organizationId, d: row.deviceId, dn: row.deviceNumber };
  if (productId !== null) document['p'] = productId;
  if (shape) document['shape'] = shape.id;
  if (ignored !== null) document['ig'] = ignored;
  document['ts'] = Math.floor(us / 1000);
  document['us'] = us;
  document['seq'] = seq;
  const data = JSON.parse(row.data) as PlainObject;
  const putIf = (path: string, kind: PlaceKind, value: PlaceValue | PlaceValue[] | undefined, declared: boolean) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
    const field = places.get(path)?.[kind];
    if (field !== undefined) document[field] = value;
    else if (places.hasRoom(kind, declared)) wants({ path, kind, declared });
  };
  const put: Put = (path, kind, value) => {
    // Several keys of a record may join to one path. The first value counts.
    const field = places.get(path)?.[kind];
    if (field === undefined || !(field in document)) putIf(path, kind, value, false);
  };
  const putDeclared: Put = (path, kind, value) => putIf(path, kind, value, true);
  const older: string[] = [];
  const others: Leaf = (path, value) => putScalars(path, value, places, put);
  const undeclared: Leaf = (path, value) => {
    if (!shape?.slots.has(path.slice('data.'.length))) others(path, value);
  };
  for (const name in data) {
    const slot = shape?.slots.get(name);
    if (!slot) visit(`data.${name}`, data[name]!, undeclared);
    else if (data[name] !== null && !putTyped(row, slot, data[name]!, putDeclared)) older.push(`data.${name}`);
  }
  const nested = nestedOf(data, shape);
  for (const [slot, value] of nested) putTyped(row, slot, value, putDeclared);
  visit('metadata', JSON.parse(row.metadata) as PlainObject, others);
  // The record itself lists the values that do not fit their variables.
  const stale = older.filter((path) => !ignored?.includes(path));
  const sent = { ...data, ...Object.fromEntries(nested.map(([{ name }, value]) => [name, value])) };
  const odd = oddOf(sent, row, document, places);
  if (odd.length > 0) document['odd'] = odd;
  document['src'] = sourceText(row, stale);
  return JSON.stringify(document);
};

/** Returns the variables with a dot in their name whose values are in nested keys. */
const nestedOf = (data: PlainObject, shape: DocumentShape | undefined): (readonly [Slot, PlainJson])[] =>
  [...(shape?.slots.values() ?? [])].flatMap((slot) => {
    if (!slot.name.includes('.') || (Object.hasOwn(data, slot.name) && data[slot.name] !== null)) return [];
    const value = valueOfName(data, slot.name);
    return value === undefined ? [] : [[slot, value] as const];
  });

/** Returns the entry in `odd` for a path whose number is one of several. */
export const severalPath = (path: string): string => path;

/** Returns the entry in `odd` for a path whose number came as text, or in an array of any length. */
export const textOrSeveral = (path: string): string => `"${path}`;

/** Lists the paths below `data` whose indexed number is not the sent value. Lines of charts omit them. */
const oddOf = (data: PlainObject, { many }: RecordRow, document: Fields, places: OrganizationPlaces): string[] =>
  Object.keys(data).flatMap((name) => {
    if (typeof data[name] !== 'string' && !Array.isArray(data[name])) return [];
    const path = `data.${name}`;
    const { n, b } = places.get(path) ?? {};
    if (![n, b].some((field) => field !== undefined && field in document)) return [];
    return [many?.[name] === undefined ? textOrSeveral(path) : severalPath(path)];
  });

type Put = (path: string, kind: PlaceKind, value: PlaceValue | PlaceValue[] | undefined) => void;

/**
 * Puts the value of a record's slot. Returns false if the slot is empty, because the record came before the variable
 * had its type.
 */
const putTyped = ({ numbers, texts, many }: RecordRow, slot: Slot, value: PlainJson, put: Put): boolean => {
  const path = `data.${slot.name}`;
  const several = many?.[slot.name];
  if (several) {
    const kinds = kindsOf(slot.type).map(
      (kind) => [kind, several.flatMap((one) => ownValue(kind, one) ?? [])] as const,
    );
    for (const [kind, own] of kinds) put(path, kind, own);
    return kinds.some(([, own]) => own.length > 0);
  }
  const single = slot.kind === 'text' ? texts?.[slot.slot - 1] : numbers?.[slot.slot - 1];
  if (single === null || single === undefined) return false;
  for (const kind of kindsOf(slot.type)) {
    const exact = kind === 'l' && !Number.isSafeInteger(single) ? exactDigits(value) : undefined;
    put(path, kind, exact ?? single);
  }
  return true;
};

/**
 * Returns a value of an array in the variable's own type, or undefined if it came while the variable had another type.
 */
const ownValue = (kind: PlaceKind, value: number | boolean | string): PlaceValue | undefined =>
  // Whole numbers beyond 2^53 are decimal text.
  kind === 'l' && typeof value === 'string' && isLong(value) ? value : scalarOf(kind, value);

const isLong = (digits: string): boolean =>
  /^-?\d{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);

/** Calls `leaf` for each value that is not an object, with its path. An array of objects has the values of all. */
const visit = (path: string, value: PlainJson, leaf: Leaf): void => {
  if (value === null) return;
  if (Array.isArray(value) && value.some(isObject)) visitItems(path, value, leaf);
  else if (typeof value !== 'object' || Array.isArray(value)) leaf(path, value);
  else for (const key in value) visit(`${path}.${key}`, value[key]!, leaf);
};

const isObject = (value: PlainJson): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Calls `leaf` once for each path in an array, with the values of all its items. */
const visitItems = (path: string, items: readonly PlainJson[], leaf: Leaf): void => {
  const below = new Map<string, PlainJson[]>();
  const gather: Leaf = (inner, value) => {
    const values = below.get(inner) ?? [];
    for (const one of Array.isArray(value) ? value : [value]) values.push(one);
    below.set(inner, values);
  };
  // PostgreSQL does not look into arrays of arrays either.
  for (const item of items) if (!Array.isArray(item)) visit(path, item, gather);
  for (const [inner, values] of below) leaf(inner, values);
};

/** Receives a value with its path. */
type Leaf = (path: string, value: PlainJson) => void;

/** Puts a value that the record's product does not declare, in every kind that its path is indexed as. */
const putScalars = (path: string, value: PlainJson, places: OrganizationPlaces, put: Put): void => {
  const seen = places.seen(path);
  if (seen !== undefined && places.get(path)?.[seen] === undefined) put(path, seen, read(seen, value));
  const kinds = places.get(path);
  for (const kind in kinds) put(path, kind as PlaceKind, read(kind as PlaceKind, value));
};

const read = (kind: PlaceKind, value: PlainJson): PlaceValue | PlaceValue[] | undefined =>
  Array.isArray(value) ? value.flatMap((one) => scalarOf(kind, one) ?? []) : scalarOf(kind, value);

/** Builds `src`: all parts of a record that are shown, and those needed to decode it again or to move it back. */
const sourceText = ({ metadata, data, frame, given }: RecordRow, stale: readonly string[]): string => {
  const parts = [`"metadata":${metadata}`, `"data":${data}`];
  if (frame !== null) parts.push(`"frame":${frame}`);
  if (given !== null) parts.push(`"given":${given}`);
  if (stale.length > 0) parts.push(`"stale":${JSON.stringify(stale)}`);
  return `{${parts.join(',')}}`;
};

/**
 * Content of a document's `src`. `stale` lists paths whose value was stored before the variable had the shape's type.
 */
export interface DocumentSource {
  metadata: PlainObject;
  data: PlainObject;
  frame?: PlainObject;
  given?: PlainObject;
  stale?: string[];
}
