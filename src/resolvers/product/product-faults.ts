import type { Fault } from '#common/errors.js';
import type { Variable } from '#entities/product.js';
import {
  type DerivedVariable,
  derivedNameFaults,
  type SentSettings,
  settingsFaults,
} from '#entities/product-settings.js';
import { type FormulaFault, formulaFaults } from '#records/derive/derivation.js';

/** Returns faults of a product's settings, taken together with its variables. */
export const faultsOfSettings = (settings: SentSettings, variables: readonly Variable[]): Fault[] => [
  ...settingsFaults(settings, variables),
  ...derivedFaults(settings.derived ?? [], variables).map(({ path, message }) => ({ path, message })),
];

/** Returns faults of derived variables. A formula means what its names say, so names come first. */
export const derivedFaults = (derived: readonly DerivedVariable[], variables: readonly Variable[]): FormulaFault[] => {
  const names = derivedNameFaults(derived, variables);
  return names.length > 0
    ? names
    : formulaFaults(variables, derived).map(({ path, ...fault }) => ({
        ...fault,
        path: path === '' ? 'settings.derived' : `settings.derived.${path}`,
      }));
};
