import { textsOf } from '#records/opensearch/search/device-value.js';
import type { CompositeSource } from '#search/aggregation/composite.js';
import type { Field } from '#search/field/field.js';
import { illegalArgument } from '#search/search-failure.js';
import type { EngineAggregationContext } from '../bucket/aggregation-context.js';

/**
 * Returns the text of each device in a field of its own, for buckets of devices that become buckets of these texts.
 * @throws SearchFailure if devices share a text, or one has several.
 */
export const ownTexts = (
  field: Field,
  { at }: CompositeSource,
  { planning: { deviceValues } }: EngineAggregationContext,
): ((number: number) => string | null) => {
  const texts = deviceValues.all.flatMap((device) => textsOf(field, device));
  const without = deviceValues.all.filter((device) => textsOf(field, device).length === 0).length;
  const isShared =
    new Set(texts).size < texts.length || without > 1 || texts.length + without > deviceValues.all.length;
  if (isShared)
    throw illegalArgument(
      `[composite] over [${field.path}] is not supported, unless no two devices have the same value, where records are on a cluster`,
      at,
    );
  return (number) => {
    const device = deviceValues.of(number);
    return (device && textsOf(field, device)[0]) ?? null;
  };
};
