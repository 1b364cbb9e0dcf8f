import type { Field } from '../../../search/field/field.js';
import type { Part } from '../engine.js';
import type { OrganizationPlaces } from '../place.js';
import type { PlaceKind } from '../value.js';
import type { OlderTypes } from './older-type.js';

/** Fields that every document has, by path. */
const reserved: Readonly<Record<string, string>> = {
  ts: 'ts',
  _doc: 'seq',
  _id: '_id',
  'product.id': 'p',
  'device.product.id': 'p',
  'device.id': 'd',
  'device.organizationId': 'o',
};

/** No document has this field. */
const nowhere = 'none';

/** Where documents of an organization have the values of fields. */
export class EngineFields {
  constructor(
    private readonly places: OrganizationPlaces | undefined,
    readonly older: OlderTypes,
  ) {}

  /** The engine's name of a record's field. */
  nameOf(field: Field): string {
    const known = reserved[field.path];
    if (field.origin.kind === 'reserved' && known !== undefined) return known;
    if (field.origin.kind === 'none') return nowhere;
    return this.places?.get(field.path)?.[placeKindOf(field)] ?? nowhere;
  }

  /** The names of all fields whose path lies under one. */
  namesUnder(path: string): string[] {
    return (this.places?.under(path) ?? []).flatMap((places) => Object.values(places));
  }

  /**
   * What leaves out documents that were made when the field had another type: they have no value of it. Undefined where
   * there are none.
   */
  olderThan(field: Field): Part | undefined {
    const shapes = this.older.shapesOf(field);
    return shapes.length === 0 ? undefined : { terms: { shape: shapes } };
  }
}

/** How the values of a field are read. */
const placeKindOf = ({ kind, valueType }: Field): PlaceKind => {
  if (kind === 'keyword') return 'k';
  if (kind === 'boolean') return 'b';
  return valueType === 'long' ? 'l' : 'n';
};

/** What the engine is to take a field for in an index that does not have it. */
export const typeOf = ({ kind, valueType }: Field): 'string' | 'long' | 'double' | 'date' => {
  if (kind === 'keyword') return 'string';
  if (kind === 'date') return 'date';
  return valueType === 'long' ? 'long' : 'double';
};
