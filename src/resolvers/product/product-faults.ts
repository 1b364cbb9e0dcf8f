import type { Fault } from '#common/errors.js';
import type { Variable } from '#entities/product.js';
import { derivedNameFaults, type SentSettings, settingsFaults } from '#entities/product-settings.js';
import { formulaFaults } from '#records/derive/derivation.js';

/** Returns faults of a product's settings, taken together with its variables. */
export const faultsOfSettings = (settings: SentSettings, variables: readonly Variable[]): Fault[] => {
  const derived = settings.derived ?? [];
  const names = derivedNameFaults(derived, variables);
  // A formula means what its names say, so names come first.
  const formulas = names.length > 0 ? [] : formulaFaults(variables, derived);
  return [
    ...settingsFaults(settings, variables),
    ...names,
    ...formulas.map(({ path, message }) => ({
      path: path === '' ? 'settings.derived' : `settings.derived.${path}`,
      message,
    })),
  ];
};
