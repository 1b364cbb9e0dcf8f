import { VariableType } from '../../entities/enums.js';
import type { PlainJson } from '../../json.js';
import { valueOfName } from '../../search/field/key-path.js';
import type { PlainObject } from '../item.js';
import type { Slot } from '../postgres/slot.js';
import type { TypedData } from '../typed.js';
import type { OrganizationPlaces, PathKind } from './place.js';
import { exactDigits, type PlaceKind, type PlaceValue, scalarOf } from './value.js';

/** A row of the table `record`, with the number of its device. JSON is text, as PostgreSQL writes it. */
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

/** The types of a record's product, as the document is made with them. */
export interface DocumentShape {
  /** See {@link Shapes}. */
  readonly id: number;
  /** By name of the variable. */
  readonly slots: ReadonlyMap<string, Slot>;
}

/** What a document is made with. `shape` is undefined for a record of no product, or of one that is gone. */
export interface DocumentTerms {
  readonly places: OrganizationPlaces;
  readonly shape: DocumentShape | undefined;
  /** Told of paths that have no place yet: the document lacks them, and is to be made anew once they have one. */
  wants(missing: PathKind): void;
}

/** How a variable's values are read. */
export const kindsOf = (type: VariableType): readonly PlaceKind[] => {
  if (type === VariableType.TXT) return ['k'];
  if (type === VariableType.BOOL) return ['b'];
  return type === VariableType.INT64 ? ['n', 'l'] : ['n'];
};

type Fields = Record<string, PlaceValue | PlaceValue[] | readonly string[]>;

/** The document of a record, as JSON. */
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
    // Several keys of a record may join to one path: the first value counts.
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
  // What fits no type of its variable is named by the record itself.
  const stale = older.filter((path) => !ignored?.includes(path));
  const sent = { ...data, ...Object.fromEntries(nested.map(([{ name }, value]) => [name, value])) };
  const odd = oddOf(sent, row, document, places);
  if (odd.length > 0) document['odd'] = odd;
  document['src'] = sourceText(row, stale);
  return JSON.stringify(document);
};

/** The variables with a dot in their name that nested keys have the values of. */
const nestedOf = (data: PlainObject, shape: DocumentShape | undefined): (readonly [Slot, PlainJson])[] =>
  [...(shape?.slots.values() ?? [])].flatMap((slot) => {
    if (!slot.name.includes('.') || (Object.hasOwn(data, slot.name) && data[slot.name] !== null)) return [];
    const value = valueOfName(data, slot.name);
    return value === undefined ? [] : [[slot, value] as const];
  });

/** How `odd` names a path whose number came as one of several. */
export const several = (path: string): string => path;

/** How `odd` names a path whose number came as text, or in an array whatever its length. */
export const textOrSeveral = (path: string): string => `"${path}`;

/** The paths below `data` of which a number that is found is not the one that came: lines of charts leave them out. */
const oddOf = (data: PlainObject, { many }: RecordRow, document: Fields, places: OrganizationPlaces): string[] =>
  Object.keys(data).flatMap((name) => {
    if (typeof data[name] !== 'string' && !Array.isArray(data[name])) return [];
    const path = `data.${name}`;
    const { n, b } = places.get(path) ?? {};
    if (![n, b].some((field) => field !== undefined && field in document)) return [];
    return [many?.[name] === undefined ? textOrSeveral(path) : several(path)];
  });

type Put = (path: string, kind: PlaceKind, value: PlaceValue | PlaceValue[] | undefined) => void;

/** Puts the value that a record's slot has; false where it has none: it came before the variable had its type. */
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

/** A value of an array in the variable's own type; undefined where it came when the variable had another one. */
const ownValue = (kind: PlaceKind, value: number | boolean | string): PlaceValue | undefined =>
  // Whole numbers beyond 2^53 are decimal text.
  kind === 'l' && typeof value === 'string' && isLong(value) ? value : scalarOf(kind, value);

const isLong = (digits: string): boolean =>
  /^-?\d{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);

/** Calls `leaf` for each value that is no object, with its path. What lies in objects within arrays has no path. */
const visit = (path: string, value: PlainJson, leaf: Leaf): void => {
  if (value === null) return;
  if (typeof value !== 'object' || Array.isArray(value)) leaf(path, value);
  else for (const key in value) visit(`${path}.${key}`, value[key]!, leaf);
};

/** Takes a value with its path. */
type Leaf = (path: string, value: PlainJson) => void;

/** Puts a value that the record's product does not declare, in every kind that its path is read as. */
const putScalars = (path: string, value: PlainJson, places: OrganizationPlaces, put: Put): void => {
  const seen = places.seen(path);
  if (seen !== undefined && places.get(path)?.[seen] === undefined) put(path, seen, read(seen, value));
  const kinds = places.get(path);
  for (const kind in kinds) put(path, kind as PlaceKind, read(kind as PlaceKind, value));
};

const read = (kind: PlaceKind, value: PlainJson): PlaceValue | PlaceValue[] | undefined =>
  Array.isArray(value) ? value.flatMap((one) => scalarOf(kind, one) ?? []) : scalarOf(kind, value);

/** What `src` has: all of a record that is shown, and what it takes to decode it anew or to move it back. */
const sourceText = ({ metadata, data, frame, given }: RecordRow, stale: readonly string[]): string => {
  const parts = [`"metadata":${metadata}`, `"data":${data}`];
  if (frame !== null) parts.push(`"frame":${frame}`);
  if (given !== null) parts.push(`"given":${given}`);
  if (stale.length > 0) parts.push(`"stale":${JSON.stringify(stale)}`);
  return `{${parts.join(',')}}`;
};

/** What the text `src` of a document says. `stale`: paths whose value was stored before the variable had the shape's type. */
export interface DocumentSource {
  metadata: PlainObject;
  data: PlainObject;
  frame?: PlainObject;
  given?: PlainObject;
  stale?: string[];
}
