import type { Values } from './document.js';

/** Identity of a thing: its identifier, or for a thing that is still to be made a word that is no identifier. */
export type Token = string;

/** Returns the token of a thing that is still to be made. */
export const newThingToken = (kind: string, key: string): Token => `+ ${kind} ${key}`;

export const isNew = (token: Token): boolean => token.startsWith('+ ');

/** Whether a text has the form of an identifier. */
export const isIdentifier = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

/** Returns a serial in the form for comparison. */
export const serialKey = (serial: string): string => serial.toLowerCase().replaceAll('-', '');

interface Keyed {
  id: string;
  externalId: string | null;
}

/** A thing of a document: its key, its values, and the stored thing that it stands for. */
export interface MatchedThing<Thing> {
  key: string;
  values: Values;
  place: string;
  token: Token;
  stored: Thing | undefined;
}

/** An item of a document before it is matched. */
export interface DocumentItem {
  key: string;
  values: Values;
  place: string;
}

/**
 * Finds the stored thing of each item: by its `id`, else by its key. An `id` that the organization does not have belongs
 * to another organization, from which the file comes; such a thing is found by its key or made.
 */
export function match<Thing extends Keyed>(
  kind: string,
  items: readonly DocumentItem[],
  stored: readonly Thing[],
  faults: string[],
): MatchedThing<Thing>[] {
  const byId = new Map(stored.map((each) => [each.id, each]));
  const byKey = new Map(stored.flatMap((each) => (each.externalId === null ? [] : [[each.externalId, each]])));
  const named = new Map<string, string>();
  const keys = new Map<string, string>();
  const claim = (claims: Map<string, string>, what: string, place: string): boolean => {
    const earlier = claims.get(what);
    if (earlier === undefined) claims.set(what, place);
    else faults.push(`${place}: is the same ${kind} as ${earlier}`);
    return earlier === undefined;
  };
  const idOf = ({ values: { id } }: DocumentItem) => (typeof id === 'string' && byId.has(id) ? id : undefined);
  const sound = items.filter((item) => {
    const id = idOf(item);
    return claim(keys, item.key, item.place) && (id === undefined || claim(named, id, item.place));
  });
  return sound.flatMap((item) => {
    const { key, place } = item;
    const holder = byKey.get(key);
    const id = idOf(item);
    if (id !== undefined && holder !== undefined && holder.id !== id && !named.has(holder.id)) {
      faults.push(`${place}: the ${kind} ${holder.id} has this key: name it in the file by its id, or delete it first`);
      return [];
    }
    // A thing that another item names by its identifier gets another key, so this key becomes free.
    const found = id === undefined ? (holder && named.has(holder.id) ? undefined : holder) : byId.get(id);
    if (found === undefined && byId.has(key)) {
      faults.push(`${place}: is the identifier of a ${kind}: write it as "id" below a key`);
      return [];
    }
    return [{ ...item, token: found?.id ?? newThingToken(kind, key), stored: found }];
  });
}

/**
 * Returns the function that finds the token of a reference: by a key of the document, else by a stored key, else by an
 * identifier.
 */
export function referencesTo(
  matched: readonly MatchedThing<Keyed>[],
  stored: readonly Keyed[],
): (name: string) => Token | undefined {
  const tokens = new Map([
    ...stored.map(({ id }): [string, Token] => [id, id]),
    ...stored.flatMap(({ externalId, id }): [string, Token][] => (externalId === null ? [] : [[externalId, id]])),
    ...matched.map(({ key, token }): [string, Token] => [key, token]),
  ]);
  return (name) => tokens.get(name);
}
