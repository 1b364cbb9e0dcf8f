import type { Dice } from './oracle/dice.js';
import { devices, record, variables } from './oracle/document.js';
import { useWorld, type World, type WorldRecord } from './world.js';

/** Uses a world with random records of two products, whose variables have different slots. */
export const useTwoProducts = (dice: Dice): { world: World; records: readonly WorldRecord[] } => {
  const records = Array.from({ length: 400 }, (_, index) => {
    const one = record(dice, index);
    return index % 3 === 0 ? { ...one, serial: `1${one.serial}` } : one;
  });
  const world = useWorld({
    products: { probe: variables, turned: variables.toReversed() },
    devices: [
      ...devices,
      ...devices.map(({ serial, ...rest }, index) => ({
        ...rest,
        serial: `1${serial}`,
        product: 'turned',
        linked: index !== 2,
      })),
    ],
    records,
  });
  return { world, records };
};
