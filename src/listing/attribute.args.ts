import { InputType } from 'type-graphql';
import type { Fault } from '#common/errors.js';
import type { AttributeValue } from '#entities/attribute.js';
import { label, unixTime } from '#schema/fields.js';
import { attributeValue } from './attribute-value.js';

@InputType({ description: 'A value to give a device or a site by name.' })
export class AttributeInput {
  @label('Name.', 64) name!: string;
  @attributeValue(
    'A number, a boolean, or a text of at most 1 kB. Absent or null: the attribute has no value from then on.',
    {
      nullable: true,
    },
  )
  value?: AttributeValue | null;
  @unixTime('Time from which it holds, in Unix seconds; by default now. Another value of that time is replaced.')
  validFrom?: number | null;
}

/** Returns faults of attributes that have a name and time of one before. Without a time, they all hold from now on. */
export const repeatedAttributes = (attributes: readonly AttributeInput[]): Fault[] => {
  const seen = new Set<string>();
  return attributes.flatMap(({ name, validFrom }, index) => {
    const key = `${validFrom ?? 'now'} ${name}`;
    return seen.has(key) || !seen.add(key)
      ? [{ path: `attributes.${index}`, message: 'repeats a name and time above' }]
      : [];
  });
};
