import type { AuditChanges, AuditTarget } from '#entities/audit-event.js';
import type { PlainJson } from '#json/json.js';
import { type AnyRules, rules, type Told } from './rules.js';

/** A change of one row: its present values and, for an update, the former values of the changed fields. */
export interface RowChange {
  /** Name of the class. */
  readonly of: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly row: Readonly<Record<string, unknown>>;
  readonly before?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the audit target of a row.
 * @throws Error for a class without rules, because its changes would go unrecorded
 */
export const targetOf = (of: string, row: object): AuditTarget => {
  const { kind, name } = rulesOf(of);
  const id = (row as { id?: string }).id ?? null;
  return { kind, id, name: name(row as never) ?? null };
};

/** Returns the changed fields of a row, without secret values. */
export const changesOf = ({ of, type, row, before = {} }: RowChange): AuditChanges => {
  const changes: Record<string, readonly [PlainJson, PlainJson]> = {};
  for (const [field, told] of Object.entries<Told>(rulesOf(of).fields)) {
    if (told === 'left out' || (type === 'update' && !(field in before))) continue;
    const then = type === 'create' ? null : ((type === 'delete' ? row[field] : before[field]) ?? null);
    const now = type === 'delete' ? null : (row[field] ?? null);
    if (then === null && now === null) continue;
    changes[field] = told === 'secret' ? [hidden(then), hidden(now)] : ([then, now] as [PlainJson, PlainJson]);
  }
  return changes;
};

const rulesOf = (of: string): AnyRules => {
  const found = rules[of];
  if (found === undefined) throw new Error(`No rule says which fields of ${of} are secret.`);
  return found;
};

const hidden = (value: unknown): PlainJson => (value === null ? null : 'changed');
