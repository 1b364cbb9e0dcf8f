import { type ProductQuery, type ProductSettingsInput, PutProductSettingsDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';

/** A product as its screen loads it. */
export type Product = NonNullable<ProductQuery['product']>;

/** Settings of a variable. */
export type VariableSettings = Product['settings']['variables'][number];

/** Replaces a part of a product's settings. The others stay. Fails if somebody else saved since the product was loaded. */
export const putSettings = (
  { id, settings: { version, ...settings } }: Product,
  changes: Partial<ProductSettingsInput>,
): Promise<unknown> =>
  ask(PutProductSettingsDocument, {
    organizationId: organizationId.value,
    productId: id,
    settings: { ...settings, ...changes },
    version,
  });

/** Returns the settings of a variable, if it has any. */
export const settingsOf = ({ settings }: Product, name: string): VariableSettings | undefined =>
  settings.variables.find((each) => each.name === name);

/** Says settings in short: `counter, 2 decimals, true = open`. */
export const settingsText = (settings: VariableSettings | undefined): string => {
  const { counter, decimals, words = [] } = settings ?? {};
  const rolls = counter?.rollsOverAt == null ? '' : ` to ${counter.rollsOverAt.toLocaleString()}`;
  return [
    counter == null ? '' : `counter${rolls}`,
    decimals == null ? '' : `${decimals} ${decimals === 1 ? 'decimal' : 'decimals'}`,
    ...words.slice(0, 3).map(({ value, word }) => `${value} = ${word}`),
    words.length > 3 ? `${words.length - 3} more words` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
};
