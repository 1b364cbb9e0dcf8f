import { type EntityClass, type EntityManager, LockMode } from '@mikro-orm/postgresql';
import sql from 'sql-template-tag';
import { execute } from '#auth/execute.js';
import { ApiError, conflict, invalid, notFound } from '#common/errors.js';
import { newValues } from '#entities/audit-event.js';
import { isId } from '#entities/id.js';
import type { PutAnswer, PutError, PutItem } from '#entities/put-answer.js';
import { itemFaults } from '#schema/arguments.js';
import type { Context } from '#schema/context.js';

/** The outcome for one item: the thing's identifier, or the error for which it was not put. */
export type UpsertOutcome = { status: 'created' | 'updated' | 'unchanged'; id: string | null } | { error: ApiError };

/** An item of a call, and its index. */
export interface Placed<Item> {
  readonly index: number;
  readonly item: Item;
}

/** The outcomes of a call's items. An item that has an outcome is not put. */
export class Outcomes<Item extends object> {
  private readonly outcomes: (UpsertOutcome | undefined)[];

  constructor(private readonly items: readonly Item[]) {
    this.outcomes = items.map(() => undefined);
  }

  /** The items without an outcome, in order. */
  get open(): Placed<Item>[] {
    return this.items.flatMap((item, index) => (this.outcomes[index] === undefined ? { index, item } : []));
  }

  settle(index: number, outcome: UpsertOutcome): void {
    this.outcomes[index] = outcome;
  }

  fail(index: number, error: ApiError): void {
    this.outcomes[index] = { error };
  }

  /** Fails the items that break a rule of their input type. */
  requireValid(): void {
    for (const { index, item } of this.open) {
      const faults = itemFaults(item);
      if (faults.length > 0) this.fail(index, invalid(faults));
    }
  }

  /** Fails each item with a key that an earlier one has. */
  requireUnique(path: string, keyOf: (item: Item) => string | null | undefined): void {
    const first = new Map<string, number>();
    for (const { index, item } of this.open) {
      const key = keyOf(item);
      if (key == null) continue;
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, index);
      else
        this.fail(
          index,
          conflict(`Item ${earlier} has the same ${path}.`, [{ path, message: `repeats item ${earlier}` }]),
        );
    }
  }

  /** Notes in the audit log how many things the call creates and changes. */
  note({ audit }: Pick<Context, 'audit'>, kind: string, isDry: boolean): void {
    if (isDry) return audit.skip();
    const { created, updated } = this.answer();
    audit.summarize({ kind, id: null, name: null }, newValues({ created, updated }));
  }

  answer(): PutAnswer {
    const results = this.outcomes.map((outcome, index) => itemOf(index, outcome!));
    const count = (wanted: PutItem['status']) => results.filter(({ status }) => status === wanted).length;
    return {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      failed: count('failed'),
      results,
    };
  }
}

const itemOf = (index: number, outcome: UpsertOutcome): PutItem =>
  'error' in outcome ? { index, status: 'failed', error: errorOf(outcome.error) } : { index, ...outcome };

const errorOf = ({ code, message, errors = [] }: ApiError): PutError => ({ code, message, errors: [...errors] });

/** A thing that a call finds by its key. */
export interface Keyed {
  id: string;
  organizationId: string;
  externalId?: string | null;
  name?: string | null;
}

/** Names of keys: `externalId`, which a tool chooses and the database keeps unique, or `name`, which is not unique. */
export type KeyName = 'externalId' | 'name';

/** An item with its key, or the identifier of a thing that is to get the key. */
export type KeyedItem<Key extends KeyName> = Readonly<Record<Key, string>> & { readonly id?: string | null };

/** Settings that turn the items of a call into things of one kind. */
export interface PutOptions<Thing extends Keyed, Item extends KeyedItem<Key>, Key extends KeyName> {
  organizationId: string;
  isDry: boolean;
  /** Name of the key. */
  key: Key;
  /** Class of the things. */
  type: EntityClass<Thing>;
  /** Limits the things within which keys are unique. Absent: all of the organization. */
  within?: Partial<Thing>;
  /** Whether a thing of the organization may be changed. The key of any other thing counts as taken. */
  isOurs?: (thing: Thing) => boolean;
  /** Whether an item that names any other thing by its identifier takes it over. Absent: none does. */
  mayTake?: boolean;
  /** Called before things are read, with the items that are valid. */
  prepare?: (em: EntityManager, items: readonly Item[]) => Promise<void>;
  /** Locks the number of things, and returns how many more there may be. Absent: there is no limit. */
  roomOf?: (em: EntityManager) => Promise<number>;
  /** Returns the error of an item above that number. */
  full?: () => ApiError;
  make: () => Thing;
  /** Gives the thing its new values, or throws the item's fault before it changes anything. */
  change: (thing: Thing, item: Item) => void | Promise<void>;
  /** Whether an item changes what is stored beside its thing. */
  changesBeside?: (item: Item) => boolean;
  /** Called after the things are stored, in their transaction. */
  afterFlush?: (em: EntityManager) => Promise<unknown>;
}

/** Creates and changes things by their keys, with one read and one flush for all. */
export async function putKeyed<Thing extends Keyed, Item extends KeyedItem<Key>, Key extends KeyName>(
  em: EntityManager,
  outcomes: Outcomes<Item>,
  options: PutOptions<Thing, Item, Key>,
): Promise<void> {
  const { organizationId, isDry, key, prepare, roomOf, full, make, change, afterFlush, isOurs = () => true } = options;
  const { changesBeside = () => false } = options;
  outcomes.requireValid();
  outcomes.requireUnique(key, (item) => item[key]);
  outcomes.requireUnique('id', ({ id }) => id);
  // Calls of one organization run one after the other, so that two of them do not create the same thing.
  await execute(em, sql`select pg_advisory_xact_lock(hashtextextended(${`put ${organizationId}`}, 0))`);
  let room = (await roomOf?.(em)) ?? Number.POSITIVE_INFINITY;
  const puts = outcomes.open;
  await prepare?.(
    em,
    puts.map(({ item }) => item),
  );
  const find = await finderOf(em, puts, options);
  const done = new Map<Thing, Placed<Item> & { isNew: boolean }>();
  for (const { index, item } of puts) {
    try {
      const known = find(item);
      const earlier = known && done.get(known);
      if (earlier) throw sameThing(key, earlier.index);
      const isAdded = known === undefined || !isOurs(known);
      if (isAdded && room <= 0 && full) throw full();
      const thing = known ?? make();
      await change(thing, item);
      Object.assign(thing, { [key]: item[key] });
      done.set(thing, { index, item, isNew: known === undefined });
      if (isAdded) room -= 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      outcomes.fail(index, error);
    }
  }
  const work = em.getUnitOfWork();
  work.computeChangeSets();
  const changed = new Set<object>(work.getChangeSets().map(({ entity }) => entity as object));
  for (const [thing, { index, item, isNew }] of done) {
    const status = isNew ? 'created' : changed.has(thing) || changesBeside(item) ? 'updated' : 'unchanged';
    outcomes.settle(index, { status, id: isNew && isDry ? null : thing.id });
    if (isNew && !isDry) em.persist(thing);
  }
  if (isDry) return em.clear();
  if (afterFlush === undefined) return;
  await em.flush();
  await afterFlush(em);
}

/** Reads the things that items name. Returns the function that finds the thing of an item, or throws its fault. */
async function finderOf<Thing extends Keyed, Item extends KeyedItem<Key>, Key extends KeyName>(
  em: EntityManager,
  puts: readonly Placed<Item>[],
  { organizationId, type, key, isDry, within, isOurs = () => true, mayTake = false }: PutOptions<Thing, Item, Key>,
): Promise<(item: Item) => Thing | undefined> {
  const keys = puts.map(({ item }) => item[key]);
  const ids = puts.flatMap(({ item: { id } }) => (id != null && isId(id) ? id : []));
  const where = { organizationId, ...within, $or: [{ [key]: { $in: keys } }, { id: { $in: ids } }] };
  // Locked, so that the flush stores all of them: none changes after it was read.
  const found = await em.find(type, where as never, isDry ? {} : { lockMode: LockMode.PESSIMISTIC_WRITE });
  const byKey = Map.groupBy(found, (thing): string | null | undefined => thing[key]);
  const byId = new Map(found.filter((thing) => mayTake || isOurs(thing)).map((thing) => [thing.id, thing]));
  return (item) => {
    const holders = byKey.get(item[key]) ?? [];
    if (item.id == null) {
      if (holders.length > 1) throw ambiguous(key, holders);
      if (holders[0] !== undefined && !isOurs(holders[0])) throw takenKey(key, holders[0]);
      return holders[0];
    }
    const named = byId.get(item.id);
    if (named === undefined) throw notFound('thing');
    if (holders.length > 0 && !holders.includes(named)) throw takenKey(key, holders[0]!);
    return named;
  };
}

const words: Readonly<Record<KeyName, string>> = { externalId: 'key', name: 'name' };

const takenKey = (path: KeyName, { id }: Keyed): ApiError =>
  conflict(`${id} already has this ${words[path]}.`, [{ path, message: `is taken by ${id}` }]);

const sameThing = (path: KeyName, index: number): ApiError =>
  conflict(`Item ${index} already puts this thing.`, [{ path, message: `names the thing of item ${index}` }]);

const ambiguous = (path: KeyName, holders: readonly Keyed[]): ApiError =>
  conflict(`${holders.length} have this ${words[path]}: send the \`id\` of the one to change.`, [
    { path, message: `is the ${words[path]} of ${holders.length}` },
  ]);
