import type { Field } from '#search/field/field.js';
import { illegalArgument } from '#search/search-failure.js';
import type { Part } from '../engine.js';
import type { OrganizationPlaces } from '../place.js';
import type { PlaceKind } from '../value.js';
import type { OlderTypes } from './older-type.js';

/** Names of the fields in every document, by path. */
const reserved: Readonly<Record<string, string>> = {
  ts: 'ts',
  _doc: 'seq',
  _id: '_id',
  'product.id': 'p',
  'device.product.id': 'p',
  'device.id': 'd',
  'device.organizationId': 'o',
};

/** @throws SearchFailure for an attribute, whose values the engine does not have: conditions alone can be answered */
export const requireNoAttribute = ({ path, origin }: Field): void => {
  if (origin.kind === 'attribute')
    throw illegalArgument(`Field [${path}] can only be used in conditions when records are on a cluster`);
};

/** Name of a field that no document has. */
const nowhere = 'none';

/** Names of fields in the documents of an organization. */
export class EngineFields {
  constructor(
    private readonly places: OrganizationPlaces | undefined,
    readonly older: OlderTypes,
  ) {}

  /** Returns the engine's name of a record's field. */
  nameOf(field: Field): string {
    requireNoAttribute(field);
    const known = reserved[field.path];
    if (field.origin.kind === 'reserved' && known !== undefined) return known;
    if (field.origin.kind === 'none') return nowhere;
    return this.places?.get(field.path)?.[placeKindOf(field)] ?? nowhere;
  }

  /** Returns the engine's names of all fields whose paths lie under a path. */
  namesUnder(path: string): string[] {
    return (this.places?.under(path) ?? []).flatMap((places) => Object.values(places));
  }

  /**
   * Returns a condition for documents that were written when the field had another type, and so have no value of it.
   * Undefined if there are none.
   */
  olderThan(field: Field): Part | undefined {
    const shapes = this.older.shapesOf(field);
    return shapes.length === 0 ? undefined : { terms: { shape: shapes } };
  }
}

/** Returns how the values of a field are stored. */
const placeKindOf = ({ kind, valueType }: Field): PlaceKind => {
  if (kind === 'keyword') return 'k';
  if (kind === 'boolean') return 'b';
  return valueType === 'long' ? 'l' : 'n';
};

/** Returns the type that the engine assumes for the field in an index without it. */
export const typeOf = ({ kind, valueType }: Field): 'string' | 'long' | 'double' | 'date' => {
  if (kind === 'keyword') return 'string';
  if (kind === 'date') return 'date';
  return valueType === 'long' ? 'long' : 'double';
};
